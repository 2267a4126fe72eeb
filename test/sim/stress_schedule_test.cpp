// When calls are due: counts, order, phases, ramp, jitter, seed.
#include "sim/stress_schedule.hpp"

#include <gtest/gtest.h>
#include <map>

namespace weir::sim {
namespace {

std::vector<arrival> all_of(const schedule_plan& plan) {
  schedule s{plan};
  std::vector<arrival> out;
  while (!s.done()) out.push_back(s.take());
  return out;
}

TEST(stress_schedule, every_user_sends_exactly_rate_times_duration_calls_in_order) {
  const auto calls = all_of({50, 10, 60s});
  ASSERT_EQ(calls.size(), 30'000U);
  std::map<std::uint32_t, int> per_user;
  for (const auto& one : calls) ++per_user[one.user];
  ASSERT_EQ(per_user.size(), 50U);
  for (const auto& [user, count] : per_user) EXPECT_EQ(count, 600) << user;
  for (std::size_t i = 1; i < calls.size(); ++i) EXPECT_LE(calls[i - 1].due, calls[i].due);
  EXPECT_LT(calls.back().due, 60s);
}

TEST(stress_schedule, without_jitter_a_users_calls_are_one_period_apart) {
  const auto calls = all_of({1, 4, 10s});
  ASSERT_EQ(calls.size(), 40U);
  EXPECT_LT(calls[0].due, 250ms);
  for (std::size_t i = 1; i < calls.size(); ++i) {
    const auto gap = (calls[i].due - calls[i - 1].due).count();
    EXPECT_NEAR(static_cast<double>(gap), 250'000, 1);
  }
}

TEST(stress_schedule, users_have_phases_of_their_own) {
  const auto calls = all_of({20, 1, 1s});
  ASSERT_EQ(calls.size(), 20U);
  for (std::size_t i = 1; i < calls.size(); ++i) EXPECT_NE(calls[i].due, calls[i - 1].due);
}

TEST(stress_schedule, with_a_ramp_users_begin_one_after_another) {
  std::map<std::uint32_t, microseconds> first;
  for (const auto& one : all_of({10, 100, 10s, 5s})) first.try_emplace(one.user, one.due);
  ASSERT_EQ(first.size(), 10U);
  for (const auto& [user, due] : first) {
    EXPECT_GE(due, user * 500ms);
    EXPECT_LT(due, user * 500ms + 10ms);
  }
}

TEST(stress_schedule, jitter_delays_by_less_than_its_share_of_a_period) {
  schedule_plan plan{1, 10, 10s};
  const auto even = all_of(plan);
  plan.jitter = 0.5;
  const auto uneven = all_of(plan);
  ASSERT_GE(uneven.size() + 1, even.size());
  bool moved = false;
  for (std::size_t i = 0; i < uneven.size(); ++i) {
    EXPECT_GE(uneven[i].due, even[i].due);
    EXPECT_LE(uneven[i].due, even[i].due + 50ms);
    moved = moved || uneven[i].due > even[i].due + 1ms;
  }
  EXPECT_TRUE(moved);
}

TEST(stress_schedule, the_seed_alone_decides_the_moments) {
  const schedule_plan plan{7, 3, 5s, 1s, 0.3, 42};
  schedule_plan other = plan;
  other.seed = 43;
  const auto a = all_of(plan), b = all_of(plan), c = all_of(other);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].due, b[i].due);
    EXPECT_EQ(a[i].user, b[i].user);
  }
  EXPECT_NE(a[0].due, c[0].due);
}

TEST(stress_schedule, a_rate_below_one_call_in_the_duration_may_send_none) {
  const auto calls = all_of({100, 0.01, 10s});
  EXPECT_LT(calls.size(), 40U);  // 10 of 100 users are expected to have their call in 10 of 100 s
  EXPECT_GT(calls.size(), 0U);
}

// The reference sequence of splitmix64 for the seed 1234567.
TEST(stress_schedule, random_numbers_are_those_of_splitmix64) {
  seeded random{1234567};
  EXPECT_EQ(random.next(), 6457827717110365317U);
  EXPECT_EQ(random.next(), 3203168211198807973U);
}

}  // namespace
}  // namespace weir::sim
