// The notation of limits: `AMOUNT UNIT[/WINDOW] [ALGORITHM] [per SCOPE]` and its long form. Pure.
// docs/options.md explains it to operators; what a limit does is src/policy.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "config/settings.hpp"

namespace weir::config {

// Where a limit is written, which decides who shares it when it does not say.
enum class limit_home : std::uint8_t {
  tier,     // per user
  team,     // shared by the team
  session,  // per session; a limit without a window is a total for its life
  route,    // per user
  model,    // per model, shared by its callers
};

// A limit as written: the short form is `text` alone.
struct limit_draft {
  std::string text;              // "10 requests/min"
  std::vector<std::string> per;  // members of the scope; empty: by its home
  std::string algorithm;         // empty: by its window
  std::string zone;              // empty: UTC
  bool observe{false};           // mode: observe
};

// Reads a draft. `where` becomes limit_settings::where. Errors: anything that is not the notation,
// an amount below 1, a window that its algorithm cannot have, a zone without a calendar, something
// said twice, and money, by name.
[[nodiscard]] result<limit_settings> make_limit(const limit_draft& draft, limit_home home,
                                                std::string where);

// A sentence for what this version of weir does not do: "'breaker' is part of ...; remove it", with
// the quotation marks where `subject` has them.
[[nodiscard]] std::string not_built(std::string_view subject);

// The window of a session's limit that names none: a session idle for so long is forgotten.
inline constexpr microseconds session_life = 24h * 30;

}  // namespace weir::config
