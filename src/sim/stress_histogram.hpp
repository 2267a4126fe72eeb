// Durations counted in buckets whose width grows with the value: constant memory, percentiles
// within a stated error. Not thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "base/time.hpp"

namespace weir::sim {

// Exact below 256 us; from there 128 buckets per doubling, so that a percentile is never below the
// true value and above it by less than 1/128 (0.8 %). Values over 2^36 us (19 hours) are counted as
// that; the maximum is exact.
class duration_histogram {
 public:
  static constexpr double max_relative_error = 1.0 / 128;

  duration_histogram();

  // Negative values count as 0.
  void add(microseconds value);

  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] microseconds max() const { return microseconds{max_}; }
  // By nearest rank: the smallest value that at least `percent` of all do not exceed. 0 where
  // nothing was counted. `percent` above 0, at most 100.
  [[nodiscard]] microseconds percentile(double percent) const;

 private:
  std::vector<std::int64_t> buckets_;
  std::int64_t count_{0};
  std::int64_t max_{0};
};

}  // namespace weir::sim
