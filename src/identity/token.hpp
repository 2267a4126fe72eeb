// Makes signed tokens, for `weir token`, `weir stress` and the tests. The gateway only verifies.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "config/settings.hpp"

namespace weir::identity {

// A token for `user` and `tier` (empty: no tier claim) under the settings' claim names, issuer and
// audience, valid from now for `expires_in` (at least 1 s). Signed with the first listed HS
// algorithm (HS256 where none is) and the secret, or, given the text of a PEM private key, with the
// first listed RS, PS or ES algorithm that fits it; `kid` then goes into the header unless empty.
// Errors: no secret and no key, a key of the wrong type, an unacceptable user. They hold nothing of
// either.
result<std::string> mint_token(const config::jwt_settings& settings, std::string_view user,
                               std::string_view tier, microseconds expires_in, instant now,
                               std::string_view private_key_pem = {}, std::string_view kid = {});

}  // namespace weir::identity
