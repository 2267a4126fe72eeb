// Steady part, windows, variation.
#include "sim/stress_steadiness.hpp"

#include <algorithm>
#include <cmath>

namespace weir::sim {
namespace {

std::int64_t whole_seconds_up(microseconds t) { return (t + 1s - 1us) / 1s; }

microseconds end_of_burst(const stress_tally& tally, microseconds ramp) {
  microseconds last = ramp;
  for (const auto& caller : tally.callers)
    if (caller.limited > 0) last = std::max(last, caller.first_limited);
  return last;
}

std::int64_t ok_in(const stress_tally& tally, std::int64_t from, std::int64_t to) {
  std::int64_t sum = 0;
  const auto known = static_cast<std::int64_t>(tally.seconds.size());
  for (std::int64_t s = from; s < std::min(to, known); ++s)
    sum += tally.seconds[static_cast<std::size_t>(s)].ok;
  return sum;
}

// Standard deviation (of the population) over mean of the 200s in successive windows.
double variation(const stress_tally& tally, std::int64_t from, std::int64_t windows,
                 std::int64_t length) {
  double sum = 0;
  double squares = 0;
  for (std::int64_t w = 0; w < windows; ++w) {
    const auto here = static_cast<double>(ok_in(tally, from + w * length, from + (w + 1) * length));
    sum += here;
    squares += here * here;
  }
  if (sum == 0) return 0;
  const auto n = static_cast<double>(windows);
  const double mean = sum / n;
  return std::sqrt(std::max(0.0, squares / n - mean * mean)) / mean;
}

}  // namespace

steadiness measure_steadiness(const stress_tally& tally, microseconds sent_for, microseconds ramp) {
  steadiness out;
  out.to_s = sent_for / 1s;
  out.from_s = std::min(whole_seconds_up(end_of_burst(tally, ramp)), out.to_s);
  const std::int64_t length = out.to_s - out.from_s;
  out.ok = ok_in(tally, out.from_s, out.to_s);
  out.per_second_cv = variation(tally, out.from_s, length, 1);
  if (length == 0) return out;
  const auto admitted = static_cast<std::int64_t>(
      std::count_if(tally.callers.begin(), tally.callers.end(),
                    [](const identity_tally& caller) { return caller.ok > 0; }));
  if (out.ok == 0) return out;
  out.window_s = std::max<std::int64_t>(1, (admitted * length + out.ok - 1) / out.ok);
  out.windows = length / out.window_s;
  out.window_cv = variation(tally, out.from_s, out.windows, out.window_s);
  return out;
}

}  // namespace weir::sim
