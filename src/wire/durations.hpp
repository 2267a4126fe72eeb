// Spans of time as HTTP says them: Retry-After and the limit headers of providers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.hpp"

namespace weir::wire {

// Retry-After in seconds, also with a fraction, or as an HTTP date in any of its three forms (RFC
// 9110, 5.6.7). Nothing for junk, negatives, the past, and more than thirty years.
std::optional<microseconds> parse_retry_after(std::string_view text, wall_time now);

// retry-after-ms: milliseconds, also with a fraction. Nothing for junk and negatives. Where it
// stands it wins over Retry-After.
std::optional<microseconds> parse_retry_after_ms(std::string_view text);

// x-ratelimit-reset-*: "12ms", "6m0s", "1h2m3.5s", "45" (seconds) or an RFC 3339 instant, of which
// the past is 0. Nothing for junk and negatives.
std::optional<microseconds> parse_reset(std::string_view text, wall_time now);

// A span as OpenAI writes it: "0s", "12ms", "1s", "6m0s". Rounded up, to ms below a second, else to
// seconds.
std::string format_reset(microseconds span);

// Whole seconds, rounded up, at least 1: what Retry-After says.
std::int64_t retry_after_seconds(microseconds wait);

}  // namespace weir::wire
