// Numbers as JSON writes them, read as counts without overflow.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace weir::wire {

// Counts in requests are saturated here: sums and products of two of them can be checked with ease.
inline constexpr std::int64_t largest_count = std::int64_t{1} << 50;

// The most that an engine's report is believed: what a double holds exactly.
inline constexpr std::int64_t largest_report = (std::int64_t{1} << 53) - 1;

// What a caller asks for: rounded up, saturated; 1e3 is 1000. Nothing where it is negative.
std::optional<std::int64_t> read_asked(std::string_view number);

// What an engine reports: a whole number within 0..largest_report, 1.0 included, else nothing.
std::optional<std::int64_t> read_reported(std::string_view number);

// a x b, both at least 0, saturated at largest_count.
std::int64_t saturated_product(std::int64_t a, std::int64_t b);

}  // namespace weir::wire
