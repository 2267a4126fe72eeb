// Checks and small conversions on identity's text: user ids, tier names, times in keys.yaml. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.hpp"

namespace weir::identity {

inline constexpr std::size_t max_user_bytes{256};

// 1 to 256 bytes of UTF-8 (RFC 3629) without control characters (C0, DEL, C1).
[[nodiscard]] bool acceptable_user(std::string_view text);

// ASCII letters to upper case; other bytes stay.
[[nodiscard]] std::string upper(std::string_view text);

// ASCII, case-insensitive.
[[nodiscard]] bool same_word(std::string_view a, std::string_view b);

// "2026-12-01T08:00:00Z", seconds rounded down.
[[nodiscard]] std::string to_utc_text(wall_time t);

// "2026-12-01" (midnight UTC) or "2026-12-01T08:00:00Z", years 1970 to 9999; nothing for anything
// else.
[[nodiscard]] std::optional<wall_time> parse_utc(std::string_view text);

}  // namespace weir::identity
