// Keys and tokens for the tests, made by OpenSSL alone, so that what cjose verifies is signed by
// somebody else.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <openssl/evp.h>
#include <string>
#include <string_view>

#include "base/time.hpp"
#include "config/settings.hpp"
#include "identity/identity.hpp"

namespace weir::identity::testing {

using nlohmann::json;

// A key pair or a secret that tokens are signed with.
class maker {
 public:
  static maker rsa(int bits = 2048);
  static maker ec(const std::string& group);  // "P-256", ...
  static maker ed25519();
  static maker secret(std::string text);

  [[nodiscard]] std::string public_pem() const;
  [[nodiscard]] std::string private_pem() const;
  [[nodiscard]] json jwk(std::string_view kid = {}) const;  // public part, or the secret
  // The raw signature of `text` as RFC 7518 lays it out.
  [[nodiscard]] std::string sign(std::string_view alg, std::string_view text) const;

 private:
  std::shared_ptr<EVP_PKEY> pkey_;
  std::string secret_;
};

// Made once, since RSA keys take their time.
const maker& rsa_one();
const maker& rsa_two();

std::string base64url(std::string_view bytes);
std::string token_of(std::string_view header, std::string_view payload, std::string_view alg,
                     const maker& key);
// {"alg": alg, "kid": kid} unless kid is empty.
std::string token_of(std::string_view alg, const json& payload, const maker& key,
                     std::string_view kid = {});
std::string jwks_of(const std::vector<json>& keys);

// A folder that is removed with its files at the end.
class scratch_folder {
 public:
  scratch_folder();
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  ~scratch_folder();
  [[nodiscard]] std::string file(std::string_view name) const;
  std::string write(std::string_view name, std::string_view text) const;  // its path

 private:
  std::string path_;
};
std::string text_of_file(const std::string& path);

// Tiers FREE, PRO, ENTERPRISE; team research with u-1001; JWT off, no API keys.
config::settings plain_settings();
// With a secret and HS256.
config::settings secret_settings(std::string secret = "a secret of more than 32 bytes in length");
// With the public part of `key` in `folder`, and these algorithms.
config::settings pem_settings(const scratch_folder& folder, const maker& key,
                              std::vector<std::string> algorithms);
// With RS256 keys from a URL.
config::settings url_settings();

std::unique_ptr<authenticator> made(const config::settings& settings, instant now,
                                    key_table keys = {});
std::string bearer(std::string_view token);
outcome call(authenticator& auth, std::string_view token, instant now,
             patience p = patience::may_wait);

// The user of an accepted call; "refused: REASON" or "needs keys".
std::string verdict(const outcome& o);

// {"sub": "u-1", "exp": an hour from now}.
json good_payload(instant now);
std::int64_t seconds(instant now);

}  // namespace weir::identity::testing
