// Which limits can be made, and what a reload does to what is already counted.
#include "policy/limit.hpp"

#include <gtest/gtest.h>

#include "support.hpp"

namespace weir::policy::test {
namespace {

using std::chrono::hours;

limit_spec good() { return {.amount = 10, .window = 60s}; }

TEST(limit, a_rule_that_makes_no_sense_cannot_be_made) {
  EXPECT_TRUE(limit_rule::make(good()));
  for (const std::int64_t amount :
       {std::int64_t{0}, std::int64_t{-1}, (std::int64_t{1} << 50) + 1}) {
    limit_spec spec = good();
    spec.amount = amount;
    ASSERT_FALSE(limit_rule::make(spec)) << amount;
    EXPECT_NE(limit_rule::make(spec).error().message.find(std::to_string(amount)),
              std::string::npos);
  }
  for (const microseconds window : {microseconds{0}, microseconds{-5}, microseconds{hours{9601}}}) {
    for (const algorithm how :
         {algorithm::token_bucket, algorithm::sliding_window, algorithm::total}) {
      limit_spec spec = good();
      spec.algorithm = how;
      spec.window = window;
      EXPECT_FALSE(limit_rule::make(spec)) << window.count();
    }
  }
}

TEST(limit, concurrent_calls_go_with_the_concurrency_algorithm_only) {
  limit_spec spec = good();
  spec.unit = unit::concurrent;
  EXPECT_FALSE(limit_rule::make(spec));
  spec.algorithm = algorithm::concurrency;
  EXPECT_TRUE(limit_rule::make(spec));
  spec.unit = unit::tokens;
  EXPECT_FALSE(limit_rule::make(spec));
}

TEST(limit, a_larger_bucket_adds_the_difference) {
  limiter l = limiter::with_level(bucket_rule(10, minute), 4);
  l.rule = bucket_rule(16, minute);
  EXPECT_EQ(l.remaining(0), 10);
}

TEST(limit, a_smaller_bucket_keeps_what_fits_and_its_debt) {
  limiter l = limiter::with_level(bucket_rule(100, minute), 30);
  l.rule = bucket_rule(50, minute);
  EXPECT_EQ(l.remaining(0), 30);
  l.rule = bucket_rule(20, minute);
  EXPECT_EQ(l.remaining(0), 20);
  bare_bucket owing{100, minute, -40};
  owing.bucket.adopt(100, 10, minute, 0);
  owing.amount = 10;
  EXPECT_EQ(owing.level(0), -40);
}

TEST(limit, a_changed_bucket_window_keeps_the_fraction_used) {
  limiter l = limiter::with_level(bucket_rule(100, minute), 25);
  l.rule = bucket_rule(100, 60 * minute);
  EXPECT_EQ(l.remaining(0), 25);
  EXPECT_EQ(l.peek(0, 0).reset.count(), 45 * minute);
}

TEST(limit, a_reload_of_the_same_rule_resets_nothing) {
  limiter l{bucket_rule(3, minute)};
  for (int i = 0; i < 3; ++i) {
    l.rule = bucket_rule(3, minute);
    EXPECT_TRUE(l.takes(1, 0));
  }
  l.rule = bucket_rule(3, minute);
  EXPECT_FALSE(l.takes(1, 0));
}

TEST(limit, a_sliding_windows_facts_stay_whatever_the_rule_becomes) {
  limiter l{sliding_rule(10, minute)};
  EXPECT_TRUE(l.takes(6, 0));
  l.rule = sliding_rule(8, minute);
  EXPECT_EQ(l.remaining(1), 2);
  l.rule = sliding_rule(20, minute);
  EXPECT_EQ(l.remaining(1), 14);
  l.rule = sliding_rule(20, minute / 2);
  EXPECT_EQ(l.remaining(minute / 2 - 1), 14);
  EXPECT_EQ(l.remaining(minute / 2), 20);
}

TEST(limit, a_calendar_that_changes_period_or_zone_keeps_what_is_used) {
  limiter l{calendar_rule(10, calendar_period::day), 40 * minute};
  EXPECT_TRUE(l.takes(7, 40 * minute));
  l.rule = calendar_rule(10, calendar_period::month);
  EXPECT_EQ(l.remaining(40 * minute), 3);
  EXPECT_EQ(l.remaining(25 * 60 * minute), 3) << "the day's end is no longer its end";
  l.rule = calendar_rule(10, calendar_period::month, "Europe/Rome");
  EXPECT_EQ(l.remaining(25 * 60 * minute), 3);
}

TEST(limit, another_algorithm_begins_with_what_was_used) {
  limiter l{calendar_rule(10, calendar_period::day)};
  EXPECT_TRUE(l.takes(7, 0));
  for (const limit_rule& next :
       {bucket_rule(10, minute), sliding_rule(10, minute), total_rule(10, minute),
        calendar_rule(10, calendar_period::hour)}) {
    l.rule = next;
    EXPECT_EQ(l.remaining(0), 3);
  }
}

TEST(limit, what_an_earlier_algorithm_admitted_does_not_count_in_a_later_one) {
  limiter l{sliding_rule(10, minute)};
  EXPECT_TRUE(l.takes(5, 0));
  l.rule = bucket_rule(10, minute);
  EXPECT_EQ(l.remaining(0), 5);
  l.state.settle(algorithm::sliding_window, 5, 0, 0, at(0));
  EXPECT_EQ(l.remaining(0), 5);
  EXPECT_EQ(l.state.open(), 0U);
}

TEST(limit, a_wall_clock_that_steps_back_over_midnight_does_not_reopen_the_day) {
  limiter l{calendar_rule(5, calendar_period::minute)};
  const auto when = [](std::int64_t mono, std::int64_t wall) {
    return instant{mono_time{microseconds{mono}}, wall_time{microseconds{wall}}};
  };
  EXPECT_TRUE(l.state.take(l.rule, 5, when(10, minute + 10)).allowed);
  const decision back = l.state.take(l.rule, 1, when(20, minute - 10));
  EXPECT_FALSE(back.allowed);
  EXPECT_EQ(back.wait.count(), minute - 20) << "until its length has passed";
  EXPECT_TRUE(l.state.take(l.rule, 1, when(10 + minute, 2 * minute)).allowed);
}

TEST(limit, a_wall_clock_that_was_far_ahead_holds_the_wrong_window_for_its_length_only) {
  limiter l{calendar_rule(5, calendar_period::minute)};
  const std::int64_t ahead = 1000 * minute;
  const instant wrong{mono_time{microseconds{10}}, wall_time{microseconds{ahead}}};
  EXPECT_TRUE(l.state.take(l.rule, 5, wrong).allowed);
  const instant righted{mono_time{microseconds{20}}, wall_time{microseconds{20}}};
  const decision refused = l.state.take(l.rule, 1, righted);
  EXPECT_FALSE(refused.allowed);
  EXPECT_LE(refused.wait.count(), minute);
  const instant later{mono_time{microseconds{20}} + refused.wait,
                      wall_time{microseconds{20}} + refused.wait};
  EXPECT_TRUE(l.state.take(l.rule, 1, later).allowed);
}

TEST(limit, an_overrun_counts_in_the_window_of_its_admission_and_is_not_carried_over) {
  limiter l{calendar_rule(100, calendar_period::minute)};
  std::int64_t stamp = 0;
  EXPECT_TRUE(l.state.take(l.rule, 90, at(0), &stamp).allowed);
  l.state.settle(algorithm::calendar, 90, 130, stamp, at(1));
  EXPECT_FALSE(l.takes(1, 2));
  EXPECT_EQ(l.remaining(minute), 100);
  EXPECT_TRUE(l.state.take(l.rule, 10, at(minute + 1), &stamp).allowed);
  EXPECT_EQ(l.remaining(2 * minute), 100);
  l.state.settle(algorithm::calendar, 10, 50, stamp, at(2 * minute + 1));
  EXPECT_EQ(l.remaining(2 * minute + 1), 100);
}

TEST(limit, a_total_is_forgotten_when_unused_for_its_window_and_never_refilled_before) {
  limiter l{total_rule(5, minute)};
  EXPECT_TRUE(l.takes(3, 0));
  EXPECT_EQ(l.remaining(minute - 1), 2);
  EXPECT_TRUE(l.takes(2, minute - 1));
  EXPECT_TRUE(l.take(1, minute).never);
  EXPECT_EQ(l.remaining(2 * minute - 1), 5);
}

}  // namespace
}  // namespace weir::policy::test
