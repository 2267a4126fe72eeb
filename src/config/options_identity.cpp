// The rows of `identity`.
#include "config/option_rows.hpp"

namespace weir::config {

namespace {

constexpr std::int64_t minute = 60'000'000;

template <auto Member>
constexpr auto of_identity = &field<&settings::identity, Member>;

template <auto Member>
constexpr auto of_jwt = &field<&settings::identity, &identity_settings::jwt, Member>;

void add_jwt_keys(std::vector<option>& rows) {
  rows.push_back({.path = "identity.jwt",
                  .sentence = "Bearer tokens; off where the section is missing or every key in it "
                              "(secret, public_key, jwks) is given as empty."});
  rows.push_back({.path = "identity.jwt.algorithms[]",
                  .type = kind::text,
                  .assign = of_jwt<&jwt_settings::algorithms>,
                  .choices = "HS256 HS384 HS512 RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 "
                             "ES512",
                  .sentence = "The algorithms that are accepted, and no other."});
  rows.push_back({.path = "identity.jwt.secret",
                  .type = kind::secret,
                  .assign = of_jwt<&jwt_settings::secret>,
                  .sentence = "The shared secret, for HS algorithms."});
  rows.push_back({.path = "identity.jwt.public_key",
                  .type = kind::text,
                  .assign = of_jwt<&jwt_settings::public_key>,
                  .sentence = "PEM file of the public key, for RS, PS and ES algorithms."});
  rows.push_back({.path = "identity.jwt.jwks",
                  .type = kind::text,
                  .assign = of_jwt<&jwt_settings::jwks>,
                  .sentence = "File or http(s) URL of a key set, read again as keys rotate."});
  rows.push_back({.path = "identity.jwt.jwks_max_age",
                  .type = kind::duration,
                  .assign = of_jwt<&jwt_settings::jwks_max_age>,
                  .fallback = "24h",
                  .least = minute,
                  .most = 30 * 24 * 60 * minute,
                  .sentence = "How long known keys serve while the key set cannot be fetched."});
}

void add_jwt_claims(std::vector<option>& rows) {
  rows.push_back({.path = "identity.jwt.issuer",
                  .type = kind::text,
                  .assign = of_jwt<&jwt_settings::issuer>,
                  .sentence = "The value that `iss` must have; none: not checked."});
  rows.push_back({.path = "identity.jwt.audience",
                  .type = kind::text,
                  .assign = of_jwt<&jwt_settings::audience>,
                  .sentence = "A member that `aud` must have; none: not checked."});
  rows.push_back({.path = "identity.jwt.user",
                  .type = kind::text,
                  .assign = of_jwt<&jwt_settings::user_claim>,
                  .fallback = "sub",
                  .least = 1,
                  .sentence = "The claim that names the user."});
  rows.push_back({.path = "identity.jwt.tier",
                  .type = kind::text,
                  .assign = of_jwt<&jwt_settings::tier_claim>,
                  .fallback = "tier",
                  .least = 1,
                  .sentence = "The claim that names the tier, in any case."});
  rows.push_back({.path = "identity.jwt.leeway",
                  .type = kind::duration,
                  .assign = of_jwt<&jwt_settings::leeway>,
                  .fallback = "0",
                  .most = 5 * minute,
                  .sentence = "The clock skew allowed for `exp` and `nbf`."});
}

}  // namespace

void add_identity_options(std::vector<option>& rows) {
  rows.push_back({.path = "identity", .sentence = "Who is calling."});
  add_jwt_keys(rows);
  add_jwt_claims(rows);
  rows.push_back({.path = "identity.api_keys",
                  .type = kind::text,
                  .assign = of_identity<&identity_settings::api_keys_file>,
                  .sentence = "File of hashed API keys that `weir key` writes; none: no keys."});
  rows.push_back({.path = "identity.anonymous",
                  .type = kind::flag,
                  .assign = of_identity<&identity_settings::anonymous>,
                  .fallback = "true",
                  .sentence = "Whether calls without credentials are let in, by their address."});
  rows.push_back({.path = "identity.anonymous.tier",
                  .type = kind::name,
                  .assign = of_identity<&identity_settings::anonymous_tier>,
                  .fallback = "FREE",
                  .upper_case = true,
                  .sentence = "The tier of calls without credentials."});
  rows.push_back(
      {.path = "identity.default_tier",
       .type = kind::name,
       .assign = of_identity<&identity_settings::default_tier>,
       .fallback = "FREE",
       .upper_case = true,
       .sentence = "The tier of a caller whose credentials name none, or an unknown one."});
}

}  // namespace weir::config
