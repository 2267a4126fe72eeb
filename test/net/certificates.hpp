// Certificates made by the tests themselves, written to files as the configuration would name them.
#pragma once

#include <string>

namespace weir::net {

// A self-signed certificate and its key; the files are gone with it.
class certificate {
 public:
  // `names` as in a subjectAltName: "DNS:localhost,IP:127.0.0.1".
  explicit certificate(const std::string& names);
  ~certificate();
  certificate(const certificate&) = delete;
  certificate& operator=(const certificate&) = delete;
  [[nodiscard]] const std::string& cert_file() const { return cert_; }
  [[nodiscard]] const std::string& key_file() const { return key_; }

 private:
  std::string cert_;
  std::string key_;
};

}  // namespace weir::net
