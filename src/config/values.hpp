// The small notations of a configuration: durations, sizes, numbers, yes or no. Pure. Errors say
// what was expected and never quote the text, which may come from a secret variable.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"

namespace weir::config {

// Digits only, at most 2^53.
[[nodiscard]] result<std::int64_t> parse_integer(std::string_view text);

// "true" or "false".
[[nodiscard]] result<bool> parse_flag(std::string_view text);

// A whole number and one of us, ms, s, m, min, h, d; or "0". At most 10 years.
[[nodiscard]] result<microseconds> parse_duration(std::string_view text);

// Bytes: a whole number, alone or with one of B, KiB, MiB, GiB (1024) or kB, KB, MB, GB (1000). At
// most 2^53.
[[nodiscard]] result<std::int64_t> parse_size(std::string_view text);

// The shortest text that the parser of the same kind reads back as the same value.
[[nodiscard]] std::string format_duration(microseconds value);
[[nodiscard]] std::string format_size(std::int64_t bytes);

}  // namespace weir::config
