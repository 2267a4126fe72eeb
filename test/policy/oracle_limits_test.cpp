// The tables L1 to L51 of the oracle, row by row: GCRA and Bucket4j's token bucket. A bucket of
// capacity C that refills r per p is C per C*p/r here. Bucket4j's "intervally" is weir's calendar,
// whose shortest period is the minute: those rows run with a minute for their interval.
#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

#include "support.hpp"

namespace weir::policy::test {
namespace {

struct gcra_row {
  const char* id;
  std::int64_t ms, n;
  bool allowed;
  std::int64_t remaining, reset_ms, retry_ms;  // retry -1: never
};

TEST(oracle_limits, L1_to_L16_gcra_of_1_per_second_and_burst_5_answers_as_redis_cell_does) {
  const std::vector<gcra_row> rows{
      {"L1", 0, 6, false, 5, 0, -1},          {"L2", 0, 1, true, 4, 1000, 0},
      {"L3", 0, 1, true, 3, 2000, 0},         {"L4", 0, 1, true, 2, 3000, 0},
      {"L5", 0, 1, true, 1, 4000, 0},         {"L6", 0, 1, true, 0, 5000, 0},
      {"L7", 0, 1, false, 0, 5000, 1000},     {"L8", 3000, 1, true, 2, 3000, 0},
      {"L9", 3100, 1, true, 1, 3900, 0},      {"L10", 4000, 1, true, 1, 4000, 0},
      {"L11", 8000, 1, true, 4, 1000, 0},     {"L12", 9500, 1, true, 4, 1000, 0},
      {"L13", 9500, 0, true, 4, 1000, 0},     {"L14", 9500, 2, true, 2, 3000, 0},
      {"L15", 9500, 5, false, 2, 3000, 3000}, {"L16", 15000, 6, false, 5, 0, -1}};
  limiter l{bucket_rule(5, 5'000'000)};
  for (const gcra_row& row : rows) {
    SCOPED_TRACE(row.id);
    const decision d = l.take(row.n, row.ms * 1000);
    EXPECT_EQ(d.allowed, row.allowed);
    EXPECT_EQ(d.limit, 5);
    EXPECT_EQ(d.remaining, row.remaining);
    EXPECT_EQ(d.reset.count(), row.reset_ms * 1000);
    EXPECT_EQ(d.never, row.retry_ms < 0);
    EXPECT_EQ(d.wait.count(), std::max<std::int64_t>(0, row.retry_ms) * 1000);
  }
}

TEST(oracle_limits, L20_take_49_of_100_leaves_51) {
  limiter l{bucket_rule(100, 100)};
  const decision d = l.take(49, 0);
  EXPECT_TRUE(d.allowed);
  EXPECT_EQ(d.remaining, 51);
}

TEST(oracle_limits, L21_the_last_token_can_be_taken) {
  limiter l = limiter::with_level(bucket_rule(100, 100), 1);
  const decision d = l.take(1, 0);
  EXPECT_TRUE(d.allowed);
  EXPECT_EQ(d.remaining, 0);
}

TEST(oracle_limits, L22_to_L24_a_refusal_tells_the_wait_and_more_than_capacity_is_never) {
  EXPECT_EQ(limiter::with_level(bucket_rule(100, 100), 70).take(80, 0).wait.count(), 10) << "L22";
  EXPECT_EQ(limiter::with_level(bucket_rule(100, 100), 0).take(10, 0).wait.count(), 10) << "L23";
  const decision d = limiter::with_level(bucket_rule(100, 100), 10).take(120, 0);
  EXPECT_FALSE(d.allowed) << "L24";
  EXPECT_TRUE(d.never) << "L24";
}

TEST(oracle_limits, L25_L26_an_interval_gives_nothing_before_it_ends) {
  const limit_rule hundred = calendar_rule(100, calendar_period::minute);
  EXPECT_EQ(limiter::with_level(hundred, 70).take(80, 0).wait.count(), minute) << "L25";
  EXPECT_EQ(limiter::with_level(hundred, 0).take(10, 0).wait.count(), minute) << "L26";
  EXPECT_TRUE(limiter::with_level(hundred, 0).take(120, 0).never) << "L26";
}

TEST(oracle_limits, L27_to_L30_refill_is_continuous_capped_and_blind_to_a_clock_that_steps_back) {
  EXPECT_EQ(bare_bucket(1000, 1000, 0, 10000).level(10040), 40) << "L27";
  EXPECT_EQ(bare_bucket(1000, 1000, 50, 10000).level(10001), 51) << "L28";
  EXPECT_EQ(bare_bucket(1000, 1000, 55, 10000).level(9999), 55) << "L29";
  EXPECT_EQ(bare_bucket(1000, 1000, 200, 10000).level(20000), 1000) << "L30";
}

TEST(oracle_limits, L31_to_L33_parts_of_a_token_are_kept_exactly_until_the_bucket_is_full) {
  const bare_bucket l31{100, 1000, 0, 10000};
  EXPECT_EQ(l31.level(10003), 0);
  EXPECT_EQ(l31.remainder(10003), 300);
  const bare_bucket l32{100, 1000, 90, 10000};
  EXPECT_EQ(l32.level(10017), 91);
  EXPECT_EQ(l32.remainder(10017), 700);
  const bare_bucket l33{100, 1000, 0, 10000};
  EXPECT_EQ(l33.level(28888), 100);
  EXPECT_EQ(l33.remainder(28888), 0);
}

TEST(oracle_limits, L34_a_part_of_a_token_that_is_left_over_counts_later) {
  limiter l = limiter::with_level(bucket_rule(10, 100), 0);
  EXPECT_TRUE(l.takes(9, 97));
  EXPECT_FALSE(l.takes(1, 97));
  EXPECT_TRUE(l.takes(1, 100));
  EXPECT_FALSE(l.takes(1, 100));
}

TEST(oracle_limits, L35_a_bucket_that_was_full_keeps_no_part_of_a_token) {
  limiter l = limiter::with_level(bucket_rule(10, 100), 0);
  EXPECT_TRUE(l.takes(9, 97));
  l.give_back(10, 97);
  EXPECT_EQ(l.remaining(97), 10);
  EXPECT_TRUE(l.takes(10, 97));
  EXPECT_FALSE(l.takes(1, 100));
}

TEST(oracle_limits, L36_to_L40_waits_are_exact) {
  limiter l36 = limiter::with_level(bucket_rule(4, 4'000'000), 0);
  EXPECT_EQ(l36.wait(1, 200'000), 800'000) << "L36";
  EXPECT_EQ(l36.wait(3, 200'000), 2'800'000) << "L36";
  EXPECT_EQ(limiter::with_level(bucket_rule(10, 100), 0).wait(10, 0), 100) << "L37";
  EXPECT_EQ(limiter::with_level(bucket_rule(10, 500), 0).wait(10, 0), 500) << "L38";
  EXPECT_EQ(limiter::with_level(bucket_rule(10, 100), 4).wait(7, 0), 30) << "L39";
  EXPECT_EQ(std::max(limiter::with_level(bucket_rule(10, 100), 1).wait(3, 0),
                     limiter::with_level(bucket_rule(5, 10), 2).wait(3, 0)),
            20)
      << "L40";
}

TEST(oracle_limits, L41_L42_reset_is_the_time_until_full) {
  EXPECT_EQ(limiter::with_level(bucket_rule(10, 100), 1).peek(0, 0).reset.count(), 90) << "L41";
  EXPECT_EQ(
      limiter::with_level(calendar_rule(10, calendar_period::minute), 1).peek(0, 0).reset.count(),
      minute)
      << "L41 intervally";
  EXPECT_EQ(limiter::with_level(bucket_rule(10, 500), -23).peek(0, 0).reset.count(), 1650) << "L42";
  // L42 intervally: not built. A calendar window is whole again at its end, never by a part.
}

TEST(oracle_limits, L43_three_bandwidths_after_half_a_day_idle_do_not_overflow) {
  std::vector<limiter> all;
  all.push_back(limiter::with_level(bucket_rule(700'000, 3'600'000'000), 0));
  all.push_back(limiter::with_level(bucket_rule(14'500, 60'000'000), 0));
  all.push_back(limiter::with_level(bucket_rule(300, 1'000'000), 0));
  const std::int64_t later = std::int64_t{12} * 3600 * 1'000'000;
  for (limiter& l : all) EXPECT_TRUE(l.takes(300, later));
  EXPECT_TRUE(
      std::any_of(all.begin(), all.end(), [&](limiter& l) { return !l.peek(1, later).allowed; }));
}

TEST(oracle_limits, L44_L45_giving_back_stops_at_full) {
  limiter l44 = limiter::with_level(bucket_rule(10, 100), 5);
  l44.give_back(6, 0);
  EXPECT_EQ(l44.remaining(0), 10) << "L44";
  l44.give_back(std::numeric_limits<std::int64_t>::max(), 0);
  EXPECT_EQ(l44.remaining(0), 10) << "L44";
  limiter wide = limiter::with_level(bucket_rule(10, 100), 5);
  limiter narrow{bucket_rule(2, 100)};
  EXPECT_EQ(std::min(wide.remaining(0), narrow.remaining(0)), 2) << "L45";
  wide.give_back(3, 0);
  narrow.give_back(3, 0);
  EXPECT_EQ(std::min(wide.remaining(0), narrow.remaining(0)), 2) << "L45";
}

TEST(oracle_limits, L46_what_is_charged_beyond_the_level_is_a_debt) {
  bare_bucket b{100, 100, 0};
  b.bucket.charge(100, 52, 50);
  EXPECT_EQ(b.level(50), -2);
  EXPECT_EQ(b.bucket.check(100, 0, 50).wait.count(), 2);
  EXPECT_EQ(b.bucket.check(100, 0, 50).remaining, 0);
}

TEST(oracle_limits, L47_an_interval_refills_at_its_end_at_once) {
  limiter l = limiter::with_level(calendar_rule(9, calendar_period::minute), 0);
  EXPECT_EQ(l.remaining(minute * 4 / 10), 0);
  EXPECT_EQ(l.remaining(minute), 9);
  EXPECT_EQ(l.remaining(minute * 11 / 10), 9);
}

// L48: not built. Intervals that refill a part of the capacity; a calendar window refills all of
// it. L49: not built. A first window that starts late begins whole here, as an operator would
// expect.

TEST(oracle_limits, L50_a_wait_is_rounded_up_so_that_it_is_true) {
  limiter l = limiter::with_level(bucket_rule(3, 10), 0);
  EXPECT_EQ(l.wait(1, 0), 4);
  EXPECT_FALSE(l.takes(1, 3));
  EXPECT_TRUE(l.takes(1, 4));
}

TEST(oracle_limits, L51_a_negative_amount_is_refused_for_ever_and_gives_nothing) {
  for (const limit_rule& r :
       {bucket_rule(10, 100), sliding_rule(10, 100), calendar_rule(10, calendar_period::minute),
        concurrency_rule(10), total_rule(10, 100)}) {
    limiter l = limiter::with_level(r, 5);
    const decision d = l.take(-3, 0);
    EXPECT_FALSE(d.allowed);
    EXPECT_TRUE(d.never);
    EXPECT_EQ(l.remaining(0), 5);
    EXPECT_TRUE(l.take(0, 0).allowed) << "zero is a peek";
    EXPECT_EQ(l.remaining(0), 5);
  }
}

}  // namespace
}  // namespace weir::policy::test
