// Money as text: decimal units of a currency on the outside, whole pico-units (1e-12) inside. Pure;
// no floating point.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace weir::policy {

inline constexpr std::int64_t pico_per_unit = 1'000'000'000'000;

// Amounts are at most so many units: sums of a few still fit into 63 bits.
inline constexpr std::int64_t most_units = 4'000'000;

// "10", "0.002" or "12.50": digits, and after a point 1 to 12 more; no sign, no exponent, no
// separator. The result is in pico-units, 0 to most_units x 10^12.
[[nodiscard]] result<std::int64_t> parse_money(std::string_view text);

// The shortest decimal with at least two places that is exactly so much: 2500000000 -> "0.0025",
// 10000000000000 -> "10.00". Negative amounts have a minus sign.
[[nodiscard]] std::string format_money(std::int64_t pico);

}  // namespace weir::policy
