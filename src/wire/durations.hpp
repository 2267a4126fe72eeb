// Spans of time as HTTP says them: Retry-After and the limit headers of providers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.hpp"

namespace weir::wire {

// Retry-After in seconds or as an HTTP date (RFC 9110, 10.2.3); nothing for junk. Negative and past
// ones are 0.
std::optional<microseconds> parse_retry_after(std::string_view text, wall_time now);

// x-ratelimit-reset-*: "12ms", "6m0s", "1h2m3.5s", "45" (seconds) or an RFC 3339 instant. Nothing
// for junk and negatives.
std::optional<microseconds> parse_reset(std::string_view text, wall_time now);

// A span as OpenAI writes it: "0s", "12ms", "1s", "6m0s". Rounded up, to ms below a second, else to
// seconds.
std::string format_reset(microseconds span);

// Whole seconds, rounded up, at least 1: what Retry-After says.
std::int64_t retry_after_seconds(microseconds wait);

}  // namespace weir::wire
