// Percentiles by nearest rank, and their stated error.
#include "sim/stress_histogram.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "sim/stress_schedule.hpp"

namespace weir::sim {
namespace {

TEST(stress_histogram, small_values_give_exact_percentiles) {
  duration_histogram h;
  for (int us = 100; us >= 1; --us) h.add(microseconds{us});
  EXPECT_EQ(h.count(), 100);
  EXPECT_EQ(h.percentile(50), 50us);
  EXPECT_EQ(h.percentile(90), 90us);
  EXPECT_EQ(h.percentile(95), 95us);
  EXPECT_EQ(h.percentile(99), 99us);
  EXPECT_EQ(h.percentile(100), 100us);
  EXPECT_EQ(h.percentile(0.5), 1us);
}

TEST(stress_histogram, of_one_value_every_percentile_is_that_value) {
  duration_histogram h;
  h.add(1'234'567us);
  EXPECT_EQ(h.percentile(50), 1'234'567us);
  EXPECT_EQ(h.percentile(99), 1'234'567us);
  EXPECT_EQ(h.max(), 1'234'567us);
}

TEST(stress_histogram, of_nothing_percentiles_are_zero) {
  const duration_histogram h;
  EXPECT_EQ(h.percentile(99), 0us);
  EXPECT_EQ(h.max(), 0us);
}

TEST(stress_histogram, a_bucket_is_told_by_its_upper_end) {
  duration_histogram h;
  h.add(1000us);  // 512 to 1023 are counted in steps of 4
  h.add(5000us);
  EXPECT_EQ(h.percentile(50), 1003us);
}

TEST(stress_histogram, percentiles_are_never_too_low_and_too_high_by_less_than_the_error) {
  duration_histogram h;
  std::vector<std::int64_t> all;
  seeded random{9};
  for (int i = 0; i < 20'000; ++i) {
    const auto us = static_cast<std::int64_t>(std::exp(random.share() * 20));  // 1 us to 8 min
    all.push_back(us);
    h.add(microseconds{us});
  }
  std::sort(all.begin(), all.end());
  for (const double percent : {1.0, 10.0, 50.0, 90.0, 99.0, 99.9}) {
    const auto rank = static_cast<std::size_t>(std::ceil(percent / 100 * 20'000));
    const auto truth = static_cast<double>(all[rank - 1]);
    const auto told = static_cast<double>(h.percentile(percent).count());
    EXPECT_GE(told, truth) << percent;
    EXPECT_LE(told, truth * (1 + duration_histogram::max_relative_error)) << percent;
  }
}

TEST(stress_histogram, extreme_values_are_kept_within_its_range) {
  duration_histogram h;
  h.add(-5us);
  EXPECT_EQ(h.percentile(100), 0us);
  h.add(microseconds{std::int64_t{1} << 50});
  EXPECT_EQ(h.percentile(100), microseconds{std::int64_t{1} << 50});
}

}  // namespace
}  // namespace weir::sim
