// One line instead of one per call: lets the first of a kind of message through, then one per
// period, and says how many it swallowed. Not a limit on callers (see policy/). Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>

#include "base/time.hpp"

namespace weir::observe {

class rate_limited {
 public:
  explicit rate_limited(microseconds every) : every_{every.count()} {}

  // Empty: keep silent. Otherwise log now; the number is how many were swallowed since the last
  // time it said so.
  [[nodiscard]] std::optional<std::uint64_t> pass(mono_time now) {
    const std::int64_t at = now.time_since_epoch().count();
    std::int64_t next = next_.load(std::memory_order_relaxed);
    if (at < next || !next_.compare_exchange_strong(next, at + every_, std::memory_order_relaxed)) {
      swallowed_.fetch_add(1, std::memory_order_relaxed);
      return std::nullopt;
    }
    return swallowed_.exchange(0, std::memory_order_relaxed);
  }

 private:
  std::int64_t every_;
  std::atomic<std::int64_t> next_{std::numeric_limits<std::int64_t>::min()};
  std::atomic<std::uint64_t> swallowed_{0};
};

}  // namespace weir::observe
