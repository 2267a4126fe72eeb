// A TLS client held by the test, driven by hand so that it can misbehave.
#pragma once

#include <openssl/ssl.h>

#include "net/support.hpp"

namespace weir::net {

class tls_end {
 public:
  // Nothing is verified here. max_version 0: what OpenSSL likes.
  tls_end(world& in, std::uint16_t port, int max_version = 0);
  ~tls_end();
  tls_end(const tls_end&) = delete;
  tls_end& operator=(const tls_end&) = delete;

  bool handshake();
  void send(std::string_view bytes);
  std::string read_through(std::string_view text);
  // Reads up to the end. True: it was announced by a close_notify.
  bool ends_in_order();
  // The bytes of a record that would carry `text`, taken from the session without sending them.
  std::string sealed(std::string_view text);
  wire_end& socket() { return socket_; }
  SSL* session() { return session_; }

 private:
  world& in_;
  wire_end socket_;
  SSL_CTX* context_;
  SSL* session_;
};

}  // namespace weir::net
