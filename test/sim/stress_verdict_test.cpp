// Tally, steadiness and verdict, with numbers worked out by hand.
#include "sim/stress_verdict.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace weir::sim {
namespace {

call_outcome answer(int status, microseconds due, std::uint32_t identity = 0) {
  call_outcome call;
  call.status = status;
  call.due = due;
  call.identity = identity;
  call.others_in_flight = 20;
  if (status == 429) {
    call.retry_after = retry_after_state::good;
    call.retry_after_s = 6;
  }
  return call;
}

// A caller with a full bucket of `burst`, refilled once every `period`, at 10 calls a second.
void add_bucket(stress_tally& tally, std::uint32_t identity, int burst, int period_tenths,
                int seconds) {
  for (int tenth = 0; tenth < seconds * 10; ++tenth) {
    const bool ok = tenth < burst || (tenth > 0 && tenth % period_tenths == 0);
    tally.add(answer(ok ? 200 : 429, tenth * 100ms + identity * 1ms, identity));
  }
}

const check& named(const std::vector<check>& checks, std::string_view name) {
  for (const auto& one : checks)
    if (one.name == name) return one;
  throw std::logic_error{"no such check"};
}

check_state state(const stress_tally& tally, std::string_view name, expectations expected = {},
                  microseconds sent_for = 60s) {
  expected.sent_for = sent_for;
  if (expected.elapsed == 0us) expected.elapsed = sent_for;
  const auto checks = judge(tally, measure_steadiness(tally, sent_for, 0s), expected);
  return named(checks, name).state;
}

TEST(stress_tally, retry_after_is_a_whole_number_of_at_least_one) {
  std::int64_t seconds = 0;
  EXPECT_EQ(read_retry_after("17", true, seconds), retry_after_state::good);
  EXPECT_EQ(seconds, 17);
  EXPECT_EQ(read_retry_after("", false, seconds), retry_after_state::absent);
  for (const char* bad :
       {"", "0", "-3", "0.4", "1s", " 1", "Wed, 21 Oct 2026 07:28:00 GMT", "99999999999999999999"})
    EXPECT_EQ(read_retry_after(bad, true, seconds), retry_after_state::bad) << bad;
}

TEST(stress_tally, every_call_is_counted_once_where_it_belongs) {
  stress_tally tally{2, 16};
  tally.add(answer(200, 100ms));
  tally.add(answer(200, 1100ms, 1));
  tally.add(answer(429, 1200ms, 1));
  tally.add(answer(503, 1300ms));
  tally.add(answer(401, 1400ms));
  call_outcome lost = answer(0, 2s);
  lost.end = call_end::refused;
  tally.add(lost);
  call_outcome given_up = answer(200, 2s);
  given_up.end = call_end::abandoned;
  tally.add(given_up);
  tally.add_unsent(3s);
  EXPECT_EQ(tally.sent, 6);
  EXPECT_EQ(tally.unsent, 1);
  EXPECT_EQ(tally.with_status(200), 2);
  EXPECT_EQ(tally.with_status(401), 1);
  EXPECT_EQ(tally.transport_errors(), 1);
  EXPECT_EQ(tally.callers[1].ok, 1);
  EXPECT_EQ(tally.callers[1].first_limited, 1200ms);
  ASSERT_EQ(tally.seconds.size(), 4U);
  EXPECT_EQ(tally.seconds[1].sent, 4);
  EXPECT_EQ(tally.seconds[1].ok, 1);
  EXPECT_EQ(tally.retry_429.min_s, 6);
}

TEST(stress_tally, only_whole_answers_have_a_latency) {
  stress_tally tally{1};
  call_outcome call = answer(200, 0s);
  call.latency = 80us;
  call.tokens = 5;
  tally.add(call);
  call.latency = 200us;
  call.fault = answer_fault::cut;
  tally.add(call);
  EXPECT_EQ(tally.latency.count(), 1);
  EXPECT_EQ(tally.latency.max(), 80us);
  EXPECT_EQ(tally.faulty_answers(), 1);
  EXPECT_EQ(tally.tokens, 10);
}

// 50 callers of FREE, all starting together: 10 at once, then one each in 6 s.
TEST(stress_steadiness, callers_that_have_their_turn_together_are_steady) {
  stress_tally tally{50};
  for (std::uint32_t u = 0; u < 50; ++u) add_bucket(tally, u, 10, 60, 60);
  const steadiness s = measure_steadiness(tally, 60s, 0s);
  EXPECT_EQ(s.from_s, 2);  // the first refusals come in second 1
  EXPECT_EQ(s.to_s, 60);
  EXPECT_EQ(s.ok, 450);      // seconds 6, 12, ... 54
  EXPECT_EQ(s.window_s, 7);  // 50 * 58 / 450 = 6.4
  EXPECT_EQ(s.windows, 8);
  // One turn in each window but that of seconds 30 to 36, with two: 50 x 7, 100 x 1.
  const double mean = 450.0 / 8;
  const double sd = std::sqrt((7 * 2500.0 + 10'000.0) / 8 - mean * mean);
  EXPECT_NEAR(s.window_cv, sd / mean, 1e-9);
  EXPECT_GT(s.per_second_cv, 2);
  EXPECT_EQ(state(tally, "steady"), check_state::pass);
}

TEST(stress_steadiness, two_hundreds_that_cease_half_way_are_not_steady) {
  stress_tally tally{1};
  for (int s = 0; s < 20; ++s) tally.add(answer(s < 10 ? 200 : 503, s * 1s));
  const steadiness s = measure_steadiness(tally, 20s, 0s);
  EXPECT_EQ(s.window_s, 2);
  EXPECT_EQ(s.windows, 10);
  EXPECT_NEAR(s.window_cv, 1, 1e-9);  // 2 in five windows, 0 in five: mean 1, deviation 1
  EXPECT_EQ(state(tally, "steady", {}, 20s), check_state::fail);
}

TEST(stress_steadiness, an_even_flow_without_refusals_is_judged_by_the_second) {
  stress_tally tally{1};
  for (int tenth = 0; tenth < 100; ++tenth) tally.add(answer(200, tenth * 100ms));
  const steadiness s = measure_steadiness(tally, 10s, 0s);
  EXPECT_EQ(s.from_s, 0);
  EXPECT_EQ(s.window_s, 1);
  EXPECT_EQ(s.windows, 10);
  EXPECT_EQ(s.window_cv, 0);
}

TEST(stress_steadiness, the_ramp_is_no_part_of_the_steady_part) {
  stress_tally tally{1};
  for (int s = 0; s < 10; ++s)
    for (int n = 0; n < (s < 5 ? s : 5); ++n) tally.add(answer(200, s * 1s));
  EXPECT_EQ(measure_steadiness(tally, 10s, 4500ms).from_s, 5);
  EXPECT_EQ(measure_steadiness(tally, 10s, 4500ms).window_cv, 0);
  EXPECT_GT(measure_steadiness(tally, 10s, 0s).window_cv, 0.3);
}

TEST(stress_steadiness, a_short_run_is_not_judged) {
  stress_tally tally{20};
  for (std::uint32_t u = 0; u < 20; ++u) add_bucket(tally, u, 10, 60, 5);
  EXPECT_EQ(state(tally, "steady", {}, 5s), check_state::not_judged);
}

TEST(stress_steadiness, no_200_for_three_turns_after_the_burst_fails) {
  stress_tally tally{1};
  for (int s = 0; s < 30; ++s) tally.add(answer(s < 5 ? 200 : 429, s * 1s));
  EXPECT_EQ(state(tally, "steady", {}, 30s), check_state::fail);  // 24 s, a turn each 6 s
  EXPECT_EQ(state(tally, "steady", {}, 20s), check_state::not_judged);
}

TEST(stress_verdict, a_run_as_it_should_be_passes_with_nothing_failed) {
  stress_tally tally{50};
  for (std::uint32_t u = 0; u < 50; ++u) add_bucket(tally, u, 10, 60, 60);
  expectations expected;
  expected.sent_for = expected.elapsed = 60s;
  const auto checks = judge(tally, measure_steadiness(tally, 60s, 0s), expected);
  EXPECT_EQ(checks.size(), 9U);
  EXPECT_TRUE(passed(checks));
  for (const auto& one : checks) EXPECT_EQ(one.state, check_state::pass) << one.name << one.reason;
}

TEST(stress_verdict, a_caller_over_its_limit_must_be_refused) {
  stress_tally tally{1};
  for (int n = 0; n < 21; ++n) tally.add(answer(200, n * 2s));
  EXPECT_EQ(state(tally, "limited"), check_state::fail);  // 21 sent, 10 + 10 in a minute allowed
  stress_tally fewer{1};
  for (int n = 0; n < 20; ++n) fewer.add(answer(200, n * 2s));
  EXPECT_EQ(state(fewer, "limited"), check_state::not_judged);
}

TEST(stress_verdict, a_limit_that_was_given_is_an_upper_bound_for_each_caller) {
  stress_tally tally{2};
  for (int n = 0; n < 21; ++n) tally.add(answer(200, n * 1s, 1));
  tally.add(answer(429, 30s, 1));
  expectations given;
  given.limit_given = true;
  EXPECT_EQ(state(tally, "limited", given), check_state::fail);
  EXPECT_EQ(state(tally, "limited"), check_state::pass);
  given.elapsed = 66s;  // 10 + 11
  EXPECT_EQ(state(tally, "limited", given), check_state::pass);
}

TEST(stress_verdict, without_a_limit_no_429_is_expected) {
  stress_tally tally{1};
  for (int n = 0; n < 100; ++n) tally.add(answer(200, n * 500ms));
  expectations none;
  none.limit = 0;
  EXPECT_EQ(state(tally, "limited", none), check_state::pass);
  tally.add(answer(429, 1s));
  EXPECT_EQ(state(tally, "limited", none), check_state::fail);
}

TEST(stress_verdict, tiers_have_the_limits_that_ship) {
  EXPECT_EQ(shipped_limit("FREE"), 10);
  EXPECT_EQ(shipped_limit("pro"), 60);
  EXPECT_EQ(shipped_limit("Enterprise"), 300);
  EXPECT_EQ(shipped_limit("no such tier"), 10);
}

TEST(stress_verdict, one_429_without_a_true_retry_after_fails) {
  stress_tally tally{1};
  EXPECT_EQ(state(tally, "retry_after"), check_state::not_judged);
  tally.add(answer(429, 1s));
  EXPECT_EQ(state(tally, "retry_after"), check_state::pass);
  for (const auto bad : {retry_after_state::absent, retry_after_state::bad}) {
    stress_tally with = tally;
    call_outcome call = answer(429, 2s);
    call.retry_after = bad;
    with.add(call);
    EXPECT_EQ(state(with, "retry_after"), check_state::fail);
  }
}

TEST(stress_verdict, a_503_needs_the_pressure_of_calls_in_flight) {
  stress_tally tally{1, 16};
  tally.add(answer(503, 1s));
  EXPECT_EQ(state(tally, "pressure"), check_state::pass);
  call_outcome calm = answer(503, 2s);
  calm.others_in_flight = 15;
  tally.add(calm);
  EXPECT_EQ(state(tally, "pressure"), check_state::fail);
}

TEST(stress_verdict, lost_calls_other_statuses_and_cut_answers_fail) {
  stress_tally tally{1};
  tally.add(answer(200, 0s));
  EXPECT_EQ(state(tally, "transport"), check_state::pass);
  EXPECT_EQ(state(tally, "statuses"), check_state::pass);
  EXPECT_EQ(state(tally, "whole"), check_state::pass);
  call_outcome cut = answer(200, 1s);
  cut.fault = answer_fault::cut;
  tally.add(cut);
  tally.add(answer(502, 1s));
  call_outcome lost;
  lost.end = call_end::timeout;
  tally.add(lost);
  EXPECT_EQ(state(tally, "transport"), check_state::fail);
  EXPECT_EQ(state(tally, "statuses"), check_state::fail);
  EXPECT_EQ(state(tally, "whole"), check_state::fail);
}

TEST(stress_verdict, nothing_admitted_fails) {
  stress_tally tally{1};
  tally.add(answer(429, 0s));
  EXPECT_EQ(state(tally, "admitted"), check_state::fail);
}

TEST(stress_verdict, a_machine_too_busy_to_send_on_time_is_told) {
  stress_tally tally{1};
  tally.add(answer(200, 0s));
  tally.add_lag(249ms);
  const steadiness none;
  EXPECT_EQ(judge(tally, none, {})[0].reason, "all 1 calls were sent");
  tally.add_lag(2s);
  EXPECT_NE(judge(tally, none, {})[0].reason.find("2.0 s late"), std::string::npos);
}

TEST(stress_verdict, more_than_one_in_a_hundred_calls_unsent_fails) {
  stress_tally tally{1};
  for (int n = 0; n < 99; ++n) tally.add(answer(200, 0s));
  tally.add_unsent(0s);
  EXPECT_EQ(state(tally, "offered"), check_state::pass);
  tally.add_unsent(0s);
  EXPECT_EQ(state(tally, "offered"), check_state::fail);
}

}  // namespace
}  // namespace weir::sim
