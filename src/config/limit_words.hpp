// The words of a limit's notation that need tables: windows with algorithms, and scopes. Used by
// limit_text.cpp only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "config/limit_text.hpp"
#include "config/settings.hpp"

namespace weir::config {

// Sets algorithm, window and period of `spec`, whose unit is known, from "min", "day", "24h", ...
// and the name of an algorithm; either may be empty. `for_life`: a missing window means a total for
// the life of the session. The error says what does not go together.
[[nodiscard]] result<void> set_window(policy::limit_spec& spec, std::string_view window,
                                      std::string_view algorithm, bool for_life);

// "user", "and", "model", ... as split at spaces, with "and" or "," between members.
[[nodiscard]] result<limit_scope> parse_scope(const std::vector<std::string>& words);

[[nodiscard]] limit_scope default_scope(limit_home home);

}  // namespace weir::config
