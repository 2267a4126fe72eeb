// What a verified payload must say. Pure; the signature is checked before.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <variant>

#include "base/time.hpp"
#include "config/settings.hpp"
#include "identity/caller.hpp"

namespace weir::identity {

// When a credential holds: not_before <= now < expires, leeway already applied to both.
struct validity {
  wall_time not_before{wall_time::min()};
  wall_time expires{wall_time::max()};

  // Nothing where the credential holds.
  [[nodiscard]] std::optional<reason> check(wall_time now) const;
};

struct claims {
  std::string user;
  std::string tier;  // as written; empty where the claim is absent or no string
  validity valid;
};

// exp is required and a number (fractions allowed) before the year 10000, nbf likewise where
// present. A string, a number out of range or any other type is malformed, never "no expiry". iss
// and aud are checked where configured; aud may be a string or a list of strings.
[[nodiscard]] std::variant<claims, reason> read_claims(const nlohmann::json& payload,
                                                       const config::jwt_settings& settings);

}  // namespace weir::identity
