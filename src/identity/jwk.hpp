// Keys that verify or sign tokens: from a secret, a PEM text or a JWKS document, held as cjose
// keys.
#pragma once

#include <cjose/cjose.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "identity/algorithm.hpp"

namespace weir::identity {

// Immutable, so safe to use from several threads.
struct signing_key {
  std::string kid;                // empty: none
  std::optional<algorithm> only;  // the one algorithm a JWK names for itself
  key_type type{key_type::oct};
  std::shared_ptr<const cjose_jwk_t> key;

  [[nodiscard]] bool fits(algorithm a) const {
    return facts_of(a).key == type && (!only || *only == a);
  }
};

enum class pem_part : std::uint8_t {
  public_key,   // SubjectPublicKeyInfo, or an X.509 certificate; a private key is refused
  private_key,  // PKCS #8, PKCS #1 or SEC 1, not encrypted
};

// Errors: an empty secret.
result<signing_key> key_from_secret(std::string_view secret);

// Errors: no such PEM text, RSA under 2048 bits, a curve other than P-256, P-384 and P-521, another
// type of key. They hold nothing of the key and do not name the file.
result<signing_key> key_from_pem(std::string_view pem, pem_part part);

// All keys of an RFC 7517 document that can verify. Skipped: keys for encryption, of unknown types
// or algorithms, that do not hold together, and shared secrets unless `symmetric` (a secret that a
// URL hands out is none). Errors: no JSON object with a list `keys`, or no usable key in it.
result<std::vector<signing_key>> keys_from_jwks(std::string_view text, bool symmetric);

// Whether the last part of the compact token is the key's signature of the rest, by the algorithm
// that the token's header names: look at the header first.
[[nodiscard]] bool verify_signature(std::string_view token, const signing_key& key);

// The bytes that unpadded base64url (RFC 4648) stands for; nothing where the text is anything else.
[[nodiscard]] std::optional<std::string> base64url_decode(std::string_view text);

}  // namespace weir::identity
