// Who is calling, or why the call is refused. Plain values; nothing here holds a secret, a token or
// a key.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/settings.hpp"

namespace weir::identity {

// One authenticated (or anonymous) caller. Strings are data of the caller: valid UTF-8 without
// control characters, user at most 256 bytes; encode them before they become a key, a label or a
// header.
struct caller {
  enum class kind : std::uint8_t {
    jwt,        // a verified bearer token
    api_key,    // an sk-weir- key
    anonymous,  // no credentials: the address is the user
  };

  std::string user;    // sub of the token, user of the key, or the address
  std::string tier;    // upper case, always one of the configured tiers or the default tier
  std::string team;    // empty: none
  std::string key_id;  // id of the API key; empty for the other kinds
  kind how{kind::anonymous};
  std::vector<std::string>
      models;  // allowed models as written in the key (names or aliases); empty: all
  std::shared_ptr<const std::vector<config::limit_settings>>
      limits;           // the API key's own; null: none
  std::string address;  // what per-address limits count, as client_address() returned it

  // Whether the key allows a model under this name. A caller that uses aliases is asked once per
  // name.
  [[nodiscard]] bool may_use(std::string_view model) const {
    return models.empty() || std::ranges::find(models, model) != models.end();
  }

  // Who shares a budget or a fair share: the team, or the user where there is none.
  [[nodiscard]] const std::string& tenant() const { return team.empty() ? user : team; }
};

// Why a call is not let in. For the log and for counters only: the caller is told nothing of it.
enum class reason : std::uint8_t {
  missing_credentials,  // none given, and anonymous calls are off
  unsupported_scheme,   // an Authorization header that is no Bearer token
  malformed_token,  // not three base64url parts of JSON objects, duplicate members, or over 16 KiB
  algorithm_refused,     // alg missing, none, or not in the configured list
  forbidden_header,      // crit, jwk, jku, x5u or x5c in the token's header
  no_key_for_algorithm,  // no configured key is of the type that the algorithm needs
  unknown_key,           // kid is not among the known keys
  ambiguous_key,         // no kid, or a kid that several keys share
  keys_expired,          // the JWKS could not be fetched for longer than jwks_max_age
  bad_signature,         // the signature does not fit the key
  missing_expiry,        // exp is absent
  malformed_claim,       // exp, nbf, iss or aud of the wrong type or out of range
  expired,               // exp has passed
  not_yet_valid,         // nbf is still to come
  wrong_issuer,          // iss is absent or not the configured one
  wrong_audience,        // aud is absent or does not hold the configured one
  bad_user,         // the user claim is absent, empty, over 256 bytes or holds control characters
  unknown_api_key,  // no such API key
  api_key_expired,  // the API key's expiry has passed
};

// A short fixed name such as "bad_signature". Static storage.
[[nodiscard]] std::string_view to_string(reason r);

// The answer for a call that is not let in.
struct rejection {
  reason why{reason::missing_credentials};  // for the log only
  int status{401};
  // The value of WWW-Authenticate. Static storage.
  std::string_view challenge{"Bearer error=\"invalid_token\""};
};

// The token names a key that is not known yet, and asking the JWKS server may help: see
// authenticator::begin_fetch.
struct needs_keys {};

using outcome = std::variant<caller, rejection, needs_keys>;

}  // namespace weir::identity
