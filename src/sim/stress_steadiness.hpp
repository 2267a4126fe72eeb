// Whether the 200s of a stress run came steadily once the first burst was over. Pure.
#pragma once

#include <cstdint>

#include "sim/stress_tally.hpp"

namespace weir::sim {

// A bucket that is full at the start lets a burst through, and what comes after it is the limit's
// own pace. So the steady part begins with the first whole second in which every caller that was
// ever refused has had its first refusal, and at the earliest when the ramp is over. At 10 a minute
// a caller is let through once in 6 s, and callers that began together are let through together;
// so seconds are added up to windows at least as long as one caller's mean interval between two
// 200s, in which each caller has its turn.
struct steadiness {
  std::int64_t from_s{0};  // the steady part: whole seconds [from, to)
  std::int64_t to_s{0};
  std::int64_t ok{0};        // 200s in it, by when they were due
  double per_second_cv{0};   // standard deviation / mean of the 200s per second
  std::int64_t window_s{0};  // length of a window; 0: too few 200s to say
  std::int64_t windows{0};   // whole windows in the steady part
  double window_cv{0};       // the same of the 200s per window
  [[nodiscard]] bool judged() const { return windows >= min_windows; }
  static constexpr std::int64_t min_windows = 3;
};

// `sent_for`: how long calls were sent, at most the duration. `ramp`: of the plan.
steadiness measure_steadiness(const stress_tally& tally, microseconds sent_for, microseconds ramp);

}  // namespace weir::sim
