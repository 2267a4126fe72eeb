// TLS contexts on OpenSSL.
#include "net/tls.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

namespace weir::net {
namespace {

std::string last_reason() {
  const auto code = ::ERR_get_error();
  ::ERR_clear_error();
  const char* text = ::ERR_reason_error_string(code);
  return text != nullptr ? text : "unknown reason";
}

bool is_address(const std::string& host) {
  unsigned char buffer[sizeof(in6_addr)];
  return ::inet_pton(AF_INET, host.c_str(), buffer) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), buffer) == 1;
}

void common_options(SSL_CTX* context) {
  ::SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  ::SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                  SSL_MODE_RELEASE_BUFFERS);
  ::SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
}

}  // namespace

void ssl_free::operator()(SSL* session) const { ::SSL_free(session); }
void tls_context::free_context::operator()(SSL_CTX* context) const { ::SSL_CTX_free(context); }

result<tls_context> tls_context::server(const std::string& cert_file, const std::string& key_file) {
  tls_context made{::SSL_CTX_new(::TLS_server_method())};
  SSL_CTX* context = made.context_.get();
  common_options(context);
  if (::SSL_CTX_use_certificate_chain_file(context, cert_file.c_str()) != 1) {
    return fail(fmt::format("{}: expected a PEM certificate chain ({})", cert_file, last_reason()));
  }
  if (::SSL_CTX_use_PrivateKey_file(context, key_file.c_str(), SSL_FILETYPE_PEM) != 1 ||
      ::SSL_CTX_check_private_key(context) != 1) {
    return fail(
        fmt::format("{}: expected the PEM key of {} ({})", key_file, cert_file, last_reason()));
  }
  return made;
}

result<tls_context> tls_context::client(const std::string& ca_file, bool verify) {
  tls_context made{::SSL_CTX_new(::TLS_client_method())};
  made.verify_ = verify;
  SSL_CTX* context = made.context_.get();
  common_options(context);
  ::SSL_CTX_set_verify(context, verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
  const int trusted = ca_file.empty()
                          ? ::SSL_CTX_set_default_verify_paths(context)
                          : ::SSL_CTX_load_verify_locations(context, ca_file.c_str(), nullptr);
  if (trusted != 1)
    return fail(fmt::format("{}: expected PEM trust roots ({})", ca_file, last_reason()));
  return made;
}

tls_session tls_context::accept(int fd) const {
  tls_session session{::SSL_new(context_.get())};
  ::SSL_set_fd(session.get(), fd);
  ::SSL_set_accept_state(session.get());
  return session;
}

tls_session tls_context::connect(int fd, const std::string& host) const {
  tls_session session{::SSL_new(context_.get())};
  ::SSL_set_fd(session.get(), fd);
  ::SSL_set_connect_state(session.get());
  if (is_address(host)) {
    ::X509_VERIFY_PARAM_set1_ip_asc(::SSL_get0_param(session.get()), host.c_str());
  } else {
    ::SSL_set_tlsext_host_name(session.get(), host.c_str());
    if (verify_) ::SSL_set1_host(session.get(), host.c_str());
  }
  return session;
}

}  // namespace weir::net
