// The misbehaving TLS client.
#include "net/tls_end.hpp"

namespace weir::net {

tls_end::tls_end(world& in, std::uint16_t port, int max_version)
    : in_{in},
      socket_{wire_end::to(in, port)},
      context_{::SSL_CTX_new(::TLS_client_method())},
      session_{nullptr} {
  if (max_version != 0) {
    // Security level 0, or OpenSSL itself would not offer what is to be refused.
    ::SSL_CTX_set_security_level(context_, 0);
    ::SSL_CTX_set_min_proto_version(context_, max_version);
    ::SSL_CTX_set_max_proto_version(context_, max_version);
  }
  session_ = ::SSL_new(context_);
  ::SSL_set_fd(session_, socket_.fd());
  ::SSL_set_connect_state(session_);
}

tls_end::~tls_end() {
  ::SSL_free(session_);
  ::SSL_CTX_free(context_);
}

bool tls_end::handshake() {
  int done = -1;
  in_.until([&] {
    done = ::SSL_do_handshake(session_);
    const int why = ::SSL_get_error(session_, done);
    return done == 1 || (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE);
  });
  return done == 1;
}

void tls_end::send(std::string_view bytes) {
  std::string copy{bytes};
  std::size_t at = 0;
  const bool all = in_.until([&] {
    std::size_t sent = 0;
    if (::SSL_write_ex(session_, copy.data() + at, copy.size() - at, &sent) == 1) at += sent;
    return at == copy.size();
  });
  EXPECT_TRUE(all);
}

std::string tls_end::read_through(std::string_view text) {
  std::string got;
  const bool found = in_.until([&] {
    char byte = 0;
    std::size_t read = 0;
    while (got.find(text) == std::string::npos && ::SSL_read_ex(session_, &byte, 1, &read) == 1)
      got += byte;
    return got.find(text) != std::string::npos;
  });
  EXPECT_TRUE(found) << got;
  return got;
}

bool tls_end::ends_in_order() {
  int why = SSL_ERROR_NONE;
  in_.until([&] {
    char bytes[4096];
    const int got = ::SSL_read(session_, bytes, sizeof bytes);
    why = got > 0 ? SSL_ERROR_NONE : ::SSL_get_error(session_, got);
    return why != SSL_ERROR_NONE && why != SSL_ERROR_WANT_READ;
  });
  return why == SSL_ERROR_ZERO_RETURN;
}

std::string tls_end::sealed(std::string_view text) {
  BIO* held = ::BIO_new(::BIO_s_mem());
  ::SSL_set0_wbio(session_, held);
  EXPECT_EQ(::SSL_write(session_, text.data(), static_cast<int>(text.size())),
            static_cast<int>(text.size()));
  char* bytes = nullptr;
  const long size = ::BIO_get_mem_data(held, &bytes);
  const std::string record(bytes, static_cast<std::size_t>(size));
  ::SSL_set0_wbio(session_, ::BIO_new_socket(socket_.fd(), BIO_NOCLOSE));
  return record;
}

}  // namespace weir::net
