// Buckets and ranks.
#include "sim/stress_histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace weir::sim {
namespace {

constexpr int exact_bits = 8;  // values below 2^8 have their own bucket
constexpr std::int64_t per_octave = 1 << (exact_bits - 1);  // buckets of each doubling after that
constexpr std::int64_t largest = std::int64_t{1} << 36;

std::int64_t shift_of(std::int64_t value) {
  const auto width = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(value)));
  return std::max(0, width - exact_bits);
}

std::size_t index_of(std::int64_t value) {
  const std::int64_t shift = shift_of(value);
  return static_cast<std::size_t>(shift * per_octave + (value >> shift));
}

// The largest value that falls into a bucket.
std::int64_t upper_of(std::size_t index) {
  const auto i = static_cast<std::int64_t>(index);
  if (i < 2 * per_octave) return i;
  const std::int64_t shift = i / per_octave - 1;
  return ((i - shift * per_octave + 1) << shift) - 1;
}

}  // namespace

duration_histogram::duration_histogram() : buckets_(index_of(largest) + 1) {}

void duration_histogram::add(microseconds value) {
  const std::int64_t us = std::max<std::int64_t>(0, value.count());
  ++buckets_[index_of(std::min(us, largest))];
  ++count_;
  max_ = std::max(max_, us);
}

microseconds duration_histogram::percentile(double percent) const {
  if (count_ == 0) return microseconds{0};
  const double exact_rank = std::ceil(percent / 100 * static_cast<double>(count_) - 1e-9);
  const auto rank = std::clamp<std::int64_t>(static_cast<std::int64_t>(exact_rank), 1, count_);
  std::int64_t seen = 0;
  for (std::size_t i = 0; i + 1 < buckets_.size(); ++i) {
    seen += buckets_[i];
    if (seen >= rank) return microseconds{std::min(upper_of(i), max_)};
  }
  return microseconds{max_};
}

}  // namespace weir::sim
