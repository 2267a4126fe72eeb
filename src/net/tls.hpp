// TLS contexts on OpenSSL. A context is shared by all threads once made; sessions belong to one
// connection each.
#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"

using SSL_CTX = struct ssl_ctx_st;
using SSL = struct ssl_st;

namespace weir::net {

struct ssl_free {
  void operator()(SSL* session) const;
};
using tls_session = std::unique_ptr<SSL, ssl_free>;

class tls_context {
 public:
  // Server side: a PEM chain and its key. TLS 1.2 and later. Errors name the file and OpenSSL's
  // reason.
  static result<tls_context> server(const std::string& cert_file, const std::string& key_file);
  // Client side: trust from the system's store, or from `ca_file` where one is given.
  static result<tls_context> client(const std::string& ca_file, bool verify);

  // A session over a connected socket, as server.
  [[nodiscard]] tls_session accept(int fd) const;
  // A session over a connected socket, as client; the certificate must be valid for `host`.
  [[nodiscard]] tls_session connect(int fd, const std::string& host) const;

 private:
  struct free_context {
    void operator()(SSL_CTX* context) const;
  };
  explicit tls_context(SSL_CTX* context) : context_{context, free_context{}} {}
  std::shared_ptr<SSL_CTX> context_;
  bool verify_{true};
};

}  // namespace weir::net
