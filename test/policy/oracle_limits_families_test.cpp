// The tables L60 to L95 of the oracle, row by row: resilience4j, Go's x/time, folly, failsafe,
// governor, gubernator and single rules. resilience4j's and failsafe's cycles are weir's calendar,
// whose shortest period is the minute: those rows run with a minute for their cycle.
#include <gtest/gtest.h>
#include <limits>
#include <vector>

#include "support.hpp"

namespace weir::policy::test {
namespace {

// Not here, because weir never lets a caller in later than now (a refusal tells the wait and the
// caller comes back): Reserve and Cancel of x/time, L67 to L71; the waits of a reservation in L60
// and L62; failsafe's "bursty" reservations, L77 and L78. Debts are the nearest thing, and rows
// that can be read as a debt are. L89 and L90 are the estimate of an interpolating counter; ours is
// a log of sub-windows with a one-sided error (limit_property_test.cpp, as L84). L93 is a matter of
// several limits: test/store/conformance.hpp.

TEST(oracle_limits, L60_three_per_cycle_and_then_the_rest_of_the_cycle_is_the_wait) {
  limiter l{calendar_rule(3, calendar_period::minute)};
  for (std::int64_t t = 1; t <= 3; ++t) EXPECT_TRUE(l.takes(1, t));
  for (std::int64_t t = 4; t <= 9; ++t) EXPECT_EQ(l.take(1, t).wait.count(), minute - t);
}

TEST(oracle_limits, L61_one_tick_before_the_cycle_ends_there_is_nothing_and_the_wait_is_one) {
  limiter l{calendar_rule(1, calendar_period::minute)};
  EXPECT_TRUE(l.takes(1, minute));
  EXPECT_FALSE(l.takes(1, minute));
  EXPECT_EQ(l.remaining(2 * minute - 1), 0);
  EXPECT_EQ(l.wait(1, 2 * minute - 1), 1);
}

TEST(oracle_limits, L62_cycles_without_calls_are_not_saved_up) {
  limiter l{calendar_rule(1, calendar_period::minute)};
  EXPECT_TRUE(l.takes(1, minute));
  EXPECT_EQ(l.remaining(6 * minute + 10), 1);
}

TEST(oracle_limits, L63_a_limit_raised_to_2_gives_2_in_the_next_cycle) {
  limiter l{calendar_rule(1, calendar_period::minute)};
  EXPECT_TRUE(l.takes(1, 0));
  l.rule = calendar_rule(2, calendar_period::minute);
  EXPECT_TRUE(l.takes(1, minute));
  EXPECT_TRUE(l.takes(1, minute));
  EXPECT_FALSE(l.takes(1, minute));
}

struct step {
  std::int64_t t;  // in 100 ms
  std::int64_t n;
  bool allowed;
};

void expect_steps(limiter l, const std::vector<step>& steps) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    EXPECT_EQ(l.takes(steps[i].n, steps[i].t * 100'000), steps[i].allowed) << "step " << i;
  }
}

TEST(oracle_limits, L64_ten_per_second_burst_1_as_x_time_rate) {
  expect_steps(limiter{bucket_rule(1, 100'000)}, {{0, 1, true},
                                                  {0, 1, false},
                                                  {0, 1, false},
                                                  {1, 1, true},
                                                  {1, 1, false},
                                                  {2, 2, false},
                                                  {2, 1, true}});
}

TEST(oracle_limits, L65_ten_per_second_burst_3_as_x_time_rate) {
  expect_steps(limiter{bucket_rule(3, 300'000)}, {{0, 2, true},
                                                  {0, 2, false},
                                                  {0, 1, true},
                                                  {0, 1, false},
                                                  {1, 4, false},
                                                  {2, 1, true},
                                                  {3, 1, true},
                                                  {4, 1, true},
                                                  {4, 1, true},
                                                  {4, 1, false},
                                                  {9, 3, true},
                                                  {9, 0, true}});
}

TEST(oracle_limits, L66_time_that_jumps_back_and_returns_gives_nothing_twice) {
  expect_steps(limiter{bucket_rule(3, 300'000), 0}, {{1, 1, true},
                                                     {0, 1, true},
                                                     {0, 1, true},
                                                     {0, 1, false},
                                                     {1, 1, false},
                                                     {1, 1, false},
                                                     {2, 1, true},
                                                     {2, 1, false}});
}

TEST(oracle_limits, L72_what_is_never_refilled_is_refused_for_ever_once_used) {
  limiter l{total_rule(1, minute)};
  EXPECT_TRUE(l.takes(1, 0));
  const decision d = l.take(1, 1);
  EXPECT_FALSE(d.allowed);
  EXPECT_TRUE(d.never);
  EXPECT_FALSE(limit_rule::make({.amount = 0, .window = microseconds{1}})) << "rate 0 is no rule";
}

TEST(oracle_limits, L73_five_seconds_of_too_many_calls_admit_the_burst_and_the_rate) {
  limiter l{bucket_rule(100, 1'000'000)};
  int admitted = 0;
  for (std::int64_t t = 0; t <= 5'000'000; t += 2000) admitted += l.takes(1, t) ? 1 : 0;
  EXPECT_LE(admitted, 601);
  EXPECT_GE(admitted, 600);  // 599.4 in whole calls
}

TEST(oracle_limits, L74_each_token_of_debt_adds_its_time_to_the_wait) {
  bare_bucket b{1, 1'000'000, 0};
  for (std::int64_t i = 1; i <= 10; ++i) {
    b.bucket.charge(1, 1, 0);
    EXPECT_EQ(b.bucket.check(1, 0, 0).wait.count(), i * 1'000'000);
  }
}

TEST(oracle_limits, L75_L76_giving_back_stops_at_full_and_time_that_goes_back_changes_nothing) {
  limiter l = limiter::with_level(bucket_rule(10, 10'000'000), 3, 5'000'000);
  EXPECT_EQ(l.remaining(1'000'000), 3) << "L76";
  l.give_back(50, 5'000'000);
  EXPECT_EQ(l.remaining(5'000'000), 10) << "L75";
}

struct debt_step {
  std::int64_t ms, n, wait_ms;
};

// Charges whatever it costs and looks how long it takes until nothing is owed.
void expect_debts(std::int64_t interval_ms, const std::vector<debt_step>& steps) {
  bare_bucket b{1, interval_ms * 1000, 1};
  for (const debt_step& s : steps) {
    b.bucket.charge(1, s.n, s.ms * 1000);
    EXPECT_EQ(b.bucket.check(1, 0, s.ms * 1000).wait.count(), s.wait_ms * 1000)
        << s.n << " at " << s.ms;
  }
}

// Failsafe counts from a grid of intervals, ours from the taking: where the two differ after an
// idle time (L79 900 and 0, L80 190, L81 50) ours is the full interval.
TEST(oracle_limits, L79_to_L81_smooth_limits_read_as_debts) {
  expect_debts(500, {{0, 7, 3000},
                     {800, 3, 3700},
                     {2300, 1, 2700},
                     {3500, 3, 3000},
                     {9100, 3, 1000},
                     {11000, 1, 0}});
  expect_debts(200, {{0, 3, 400}, {550, 2, 250}, {2210, 2, 200}});
  expect_debts(100, {{0, 1, 0}, {150, 1, 0}, {250, 2, 100}});
}

TEST(oracle_limits, L82_idle_time_does_not_give_one_more_than_the_burst) {
  limiter l{bucket_rule(5, 1'000'000)};
  EXPECT_TRUE(l.takes(1, 0));
  int admitted = 0;
  while (l.takes(1, 2'000'000)) ++admitted;
  EXPECT_EQ(admitted, 5);
}

TEST(oracle_limits, L83_more_than_the_burst_is_a_refusal_for_ever_and_not_a_wait) {
  limiter l{bucket_rule(5, 1'000'000)};
  for (std::int64_t n : {6, 7, 15}) {
    const decision d = l.take(n, 0);
    EXPECT_TRUE(d.never);
    EXPECT_EQ(d.limit, 5);
    EXPECT_EQ(d.wait.count(), 0);
  }
}

TEST(oracle_limits, L85_a_changed_limit_of_a_window_counts_what_is_used_against_it) {
  limiter l{calendar_rule(100, calendar_period::minute)};
  const std::vector<std::pair<std::int64_t, std::int64_t>> rows{
      {100, 99}, {100, 98}, {10, 7}, {10, 6}, {200, 195}};
  for (const auto& [limit, remaining] : rows) {
    l.rule = calendar_rule(limit, calendar_period::minute);
    EXPECT_EQ(l.take(1, 0).remaining, remaining) << "limit " << limit;
  }
}

TEST(oracle_limits, L86_a_lowered_limit_of_a_bucket_leaves_what_fits) {
  limiter l{bucket_rule(100, 60'000'000)};
  EXPECT_EQ(l.take(1, 0).remaining, 99);
  l.rule = bucket_rule(10, 60'000'000);
  EXPECT_EQ(l.take(1, 0).remaining, 9);
  EXPECT_EQ(l.take(1, 0).remaining, 8);
}

TEST(oracle_limits, L87_a_leaky_bucket_of_10_per_30_seconds_over_time) {
  struct row {
    std::int64_t n, ms, remaining;
    bool over;
  };
  limiter l{bucket_rule(10, 30'000'000)};
  for (const row& r : std::vector<row>{{1, 0, 9, false},
                                       {1, 1000, 8, false},
                                       {1, 2000, 7, false},
                                       {0, 3500, 8, false},
                                       {0, 6500, 9, false},
                                       {9, 6500, 0, false},
                                       {1, 6500, 0, true},
                                       {0, 9500, 1, false},
                                       {0, 69500, 10, false},
                                       {10, 129500, 0, false},
                                       {9, 158500, 0, false},
                                       {1, 161500, 0, false}}) {
    const decision d = l.take(r.n, r.ms * 1000);
    EXPECT_EQ(d.remaining, r.remaining) << r.n << " at " << r.ms;
    EXPECT_EQ(d.allowed, !r.over) << r.n << " at " << r.ms;
  }
}

TEST(oracle_limits, L88_what_is_given_back_never_exceeds_the_limit) {
  limiter l{calendar_rule(2, calendar_period::minute)};
  l.give_back(1, 0);
  EXPECT_EQ(l.remaining(0), 2);
  l.give_back(1, 0);
  EXPECT_EQ(l.remaining(0), 2);
  EXPECT_TRUE(l.take(4, 0).never);
  EXPECT_EQ(l.remaining(0), 2);
}

std::vector<limit_rule> one_of_each(std::int64_t amount) {
  return {bucket_rule(amount, minute), sliding_rule(amount, minute),
          calendar_rule(amount, calendar_period::minute), concurrency_rule(amount),
          total_rule(amount, minute)};
}

TEST(oracle_limits, L91_a_peek_changes_nothing) {
  for (const limit_rule& r : one_of_each(5)) {
    limiter l = limiter::with_level(r, 3);
    EXPECT_TRUE(l.peek(0, 10).allowed);
    EXPECT_EQ(l.peek(2, 10).remaining, 3);
    const decision d = l.take(0, 10);
    EXPECT_TRUE(d.allowed);
    EXPECT_EQ(d.remaining, 3);
    EXPECT_EQ(l.remaining(10), 3);
  }
}

TEST(oracle_limits, L92_a_refused_take_costs_nothing) {
  for (const limit_rule& r : one_of_each(5)) {
    limiter l = limiter::with_level(r, 3);
    for (int i = 0; i < 50; ++i) EXPECT_FALSE(l.takes(4, 10));
    EXPECT_EQ(l.remaining(10), 3);
    EXPECT_TRUE(l.takes(3, 10));
  }
}

TEST(oracle_limits, L94_a_millisecond_left_is_a_wait_and_not_nothing) {
  limiter l{bucket_rule(1, 1000)};
  EXPECT_TRUE(l.takes(1, 0));
  EXPECT_EQ(l.wait(1, 999),
            1);  // the header's rounding up to whole seconds is wire/durations.hpp's
  EXPECT_EQ(l.wait(1, 0), 1000);
}

TEST(oracle_limits, L95_rate_times_time_beyond_64_bits_ends_at_capacity) {
  constexpr std::int64_t most = std::int64_t{1} << 50;
  constexpr std::int64_t ten_years = std::int64_t{3650} * 24 * 3600 * 1'000'000;
  for (const std::int64_t window : {std::int64_t{1}, std::int64_t{400} * 24 * 3600 * 1'000'000}) {
    limiter l = limiter::with_level(bucket_rule(most, window), 0);
    EXPECT_EQ(l.remaining(0), 0);
    EXPECT_EQ(l.wait(most, 0), window);
    EXPECT_EQ(l.remaining(ten_years), most);
    EXPECT_TRUE(l.takes(most, ten_years));
    EXPECT_EQ(l.remaining(ten_years), 0);
  }
  limiter owing{bucket_rule(1, ten_years / 10)};
  owing.state.charge(std::numeric_limits<std::int64_t>::max(), at(0));
  EXPECT_FALSE(owing.takes(1, ten_years));
  EXPECT_GT(owing.wait(1, ten_years), 0);
}

}  // namespace
}  // namespace weir::policy::test
