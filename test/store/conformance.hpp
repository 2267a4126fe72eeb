// What every store must answer. A store's test file names a driver and instantiates the suite with
// it: a class with admit(const std::vector<claim>&, output_range, instant) -> admission and
// settle(grant, usage, instant), made anew for each test over an empty store; see
// embedded_test.cpp.
#pragma once

#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "store/reference.hpp"
#include "store/support.hpp"

namespace weir::store::test {

template <class Driver>
class store_conformance : public ::testing::Test {
 protected:
  admission admit(const std::vector<claim>& claims, std::int64_t us, output_range output = {}) {
    return driver_.admit(claims, output, at(us));
  }
  void settle(admission& a, usage real, std::int64_t us) {
    driver_.settle(std::move(a.held), real, at(us));
  }
  std::int64_t remaining(const policy::limit_rule& r, key128 k, std::int64_t us) {
    admission look = admit({{&r, k, 0}}, us);
    const std::int64_t left = look.verdicts[0].remaining;
    settle(look, {0, 0}, us);
    return left;
  }

  Driver driver_;
  const policy::limit_rule ten_ = rule(10, policy::algorithm::token_bucket);
  const policy::limit_rule two_ = rule(2, policy::algorithm::token_bucket);
  const policy::limit_rule tokens_ =
      rule(1000, policy::algorithm::token_bucket, policy::unit::tokens);
  const policy::limit_rule at_once_ = rule(2, policy::algorithm::concurrency);
};

TYPED_TEST_SUITE_P(store_conformance);

TYPED_TEST_P(store_conformance, a_call_without_limits_is_admitted_and_holds_nothing) {
  admission a = this->admit({}, 0);
  EXPECT_TRUE(a.allowed);
  EXPECT_TRUE(a.held.empty());
  EXPECT_EQ(a.refused, admission::none);
}

// L93, BC-075.
TYPED_TEST_P(store_conformance, a_call_refused_by_one_limit_takes_nothing_from_the_others) {
  admission last = this->admit({{&this->two_, key(2), 2}}, 0);
  for (int i = 0; i < 50; ++i) {
    const admission a = this->admit(
        {{&this->ten_, key(1), 1}, {&this->two_, key(2), 1}, {&this->tokens_, key(3), 100}}, 0);
    EXPECT_FALSE(a.allowed);
    EXPECT_EQ(a.refused, 1U);
    EXPECT_TRUE(a.held.empty());
    ASSERT_EQ(a.verdicts.size(), 3U);
    EXPECT_TRUE(a.verdicts[0].allowed);
    EXPECT_EQ(a.verdicts[0].remaining, 10);
    EXPECT_FALSE(a.verdicts[1].allowed);
    EXPECT_EQ(a.verdicts[1].wait.count(), minute / 2);
    EXPECT_EQ(a.verdicts[2].remaining, 1000);
  }
  EXPECT_EQ(this->remaining(this->ten_, key(1), 0), 10);
  EXPECT_EQ(this->remaining(this->tokens_, key(3), 0), 1000);
}

TYPED_TEST_P(store_conformance, verdicts_tell_what_is_left_after_the_call) {
  admission a = this->admit({{&this->ten_, key(1), 3}, {&this->tokens_, key(2), 400}}, 0);
  EXPECT_TRUE(a.allowed);
  EXPECT_EQ(a.at.mono, at(0).mono);
  EXPECT_EQ(a.verdicts[0].limit, 10);
  EXPECT_EQ(a.verdicts[0].remaining, 7);
  EXPECT_EQ(a.verdicts[0].reset.count(), minute * 3 / 10);
  EXPECT_EQ(a.verdicts[1].remaining, 600);
}

TYPED_TEST_P(store_conformance, the_refusal_to_tell_is_never_before_the_longest_wait) {
  admission used = this->admit({{&this->ten_, key(1), 10}, {&this->two_, key(2), 2}}, 0);
  EXPECT_TRUE(used.allowed);
  EXPECT_EQ(this->admit({{&this->ten_, key(1), 1}, {&this->two_, key(2), 1}}, 0).refused, 1U);
  EXPECT_EQ(this->admit({{&this->two_, key(2), 1}, {&this->ten_, key(1), 1}}, 0).refused, 0U);
  const admission never = this->admit({{&this->two_, key(2), 1}, {&this->ten_, key(3), 11}}, 0);
  EXPECT_EQ(never.refused, 1U);
  EXPECT_TRUE(never.verdicts[1].never);
}

TYPED_TEST_P(store_conformance, the_same_key_twice_in_a_call_counts_twice) {
  admission a = this->admit({{&this->ten_, key(1), 4}, {&this->ten_, key(1), 4}}, 0);
  EXPECT_TRUE(a.allowed);
  EXPECT_EQ(a.verdicts[1].remaining, 2);
  EXPECT_FALSE(this->admit({{&this->ten_, key(1), 1}, {&this->ten_, key(1), 2}}, 0).allowed);
  EXPECT_EQ(this->remaining(this->ten_, key(1), 0), 2);
  this->settle(a, {0, 0}, 0);
  EXPECT_EQ(this->remaining(this->ten_, key(1), 0), 10);
}

TYPED_TEST_P(store_conformance, an_observed_limit_refuses_nothing_and_counts_as_if_enforced) {
  int reported = 0;
  for (int i = 0; i < 5; ++i) {
    const admission a =
        this->admit({{&this->ten_, key(1), 1}, {&this->two_, key(2), 1, manner::observe}}, 0);
    EXPECT_TRUE(a.allowed);
    reported += a.verdicts[1].allowed ? 0 : 1;
  }
  EXPECT_EQ(reported, 3);
  EXPECT_EQ(this->remaining(this->ten_, key(1), 0), 5);
  EXPECT_TRUE(this->admit({{&this->two_, key(2), 1}}, minute / 2).allowed) << "no debt grew";
}

TYPED_TEST_P(store_conformance, tokens_are_settled_with_what_was_really_used) {
  admission less = this->admit({{&this->tokens_, key(1), 600}}, 0);
  this->settle(less, {1, 100}, 0);
  EXPECT_EQ(this->remaining(this->tokens_, key(1), 0), 900);
  admission more = this->admit({{&this->tokens_, key(1), 100}}, 0);
  this->settle(more, {1, 1400}, 0);
  EXPECT_EQ(this->remaining(this->tokens_, key(1), 0), 0);
  const admission refused = this->admit({{&this->tokens_, key(1), 1}}, 0);
  EXPECT_FALSE(refused.allowed);
  EXPECT_EQ(refused.verdicts[0].wait.count(), 501 * minute / 1000) << "500 of debt and 1 to take";
  admission nonsense = this->admit({{&this->tokens_, key(2), 100}}, 0);
  this->settle(nonsense, {1, -5000}, 0);
  EXPECT_EQ(this->remaining(this->tokens_, key(2), 0), 1000);
}

TYPED_TEST_P(store_conformance, settling_twice_changes_nothing_the_second_time) {
  admission a = this->admit({{&this->tokens_, key(1), 600}, {&this->at_once_, key(2), 1}}, 0);
  admission other = this->admit({{&this->at_once_, key(2), 1}}, 0);
  this->settle(a, {1, 100}, 0);
  this->settle(a, {1, 100}, 0);
  EXPECT_TRUE(a.held.empty());
  EXPECT_EQ(this->remaining(this->tokens_, key(1), 0), 900);
  EXPECT_EQ(this->remaining(this->at_once_, key(2), 0), 1);
}

TYPED_TEST_P(store_conformance, a_released_call_gives_everything_back) {
  for (const policy::algorithm how : all_algorithms) {
    const policy::limit_rule r = rule(5, how);
    admission a = this->admit({{&r, key(7), 3}}, 0);
    EXPECT_EQ(this->remaining(r, key(7), 1), 2);
    this->settle(a, {0, 0}, 2);
    EXPECT_EQ(this->remaining(r, key(7), 2), 5);
  }
}

TYPED_TEST_P(store_conformance, a_finished_call_keeps_its_request_and_frees_its_slot) {
  admission a = this->admit({{&this->ten_, key(1), 1}, {&this->at_once_, key(2), 1}}, 0);
  admission b = this->admit({{&this->ten_, key(1), 1}, {&this->at_once_, key(2), 1}}, 0);
  const admission third = this->admit({{&this->ten_, key(1), 1}, {&this->at_once_, key(2), 1}}, 0);
  EXPECT_FALSE(third.allowed);
  EXPECT_EQ(third.refused, 1U);
  this->settle(a, {1, 0}, 0);
  EXPECT_TRUE(this->admit({{&this->at_once_, key(2), 1}}, 0).allowed);
  EXPECT_EQ(this->remaining(this->ten_, key(1), 0), 8);
}

TYPED_TEST_P(store_conformance, a_call_can_be_settled_when_its_configuration_is_gone) {
  std::optional<policy::limit_rule> old{this->tokens_};
  admission a = this->admit({{&*old, key(1), 600}}, 0);
  old.reset();
  this->settle(a, {1, 100}, 0);
  EXPECT_EQ(this->remaining(this->tokens_, key(1), 0), 900);
}

TYPED_TEST_P(store_conformance, a_reload_resets_nothing) {
  const policy::limit_rule same = rule(10, policy::algorithm::token_bucket);
  const policy::limit_rule more = rule(15, policy::algorithm::token_bucket);
  const policy::limit_rule fewer = rule(3, policy::algorithm::token_bucket);
  admission a = this->admit({{&this->ten_, key(1), 6}}, 0);
  EXPECT_EQ(this->remaining(same, key(1), 0), 4);
  EXPECT_EQ(this->remaining(more, key(1), 0), 9);
  EXPECT_EQ(this->remaining(fewer, key(1), 0), 3);
}

// BC-084.
TYPED_TEST_P(store_conformance, the_first_calls_of_an_unknown_caller_are_limited_too) {
  int allowed = 0;
  for (int i = 0; i < 10; ++i) allowed += this->admit({{&this->two_, key(99), 1}}, 0).allowed;
  EXPECT_EQ(allowed, 2);
}

// BC-081: one call every 5 s for 3 minutes against 10 a minute.
TYPED_TEST_P(store_conformance, a_busy_caller_gets_its_quota_back_in_every_window) {
  for (const policy::algorithm how :
       {policy::algorithm::token_bucket, policy::algorithm::sliding_window,
        policy::algorithm::calendar}) {
    const policy::limit_rule r = rule(10, how);
    const key128 k = key(1000 + static_cast<std::uint64_t>(how));
    int allowed = 0;
    std::int64_t end = 0;
    for (std::int64_t t = 0; t < 3 * minute; t += 5'000'000) {
      const admission a = this->admit({{&r, k, 1}}, t);
      allowed += a.allowed ? 1 : 0;
      if (a.allowed) continue;
      if (end > t) EXPECT_LE(t + a.verdicts[0].wait.count(), end) << "the end moved away";
      end = t + a.verdicts[0].wait.count();
    }
    EXPECT_GE(allowed, 29);
    EXPECT_LE(allowed, how == policy::algorithm::token_bucket ? 36 : 31);
    if (how == policy::algorithm::calendar) EXPECT_EQ(allowed, 30);
  }
}

TYPED_TEST_P(store_conformance, random_calls_are_answered_as_a_plain_reference_answers_them) {
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    const std::string wrong = differs_from_reference(this->driver_, seed, 400);
    ASSERT_EQ(wrong, "") << "seed " << seed;
  }
}

TYPED_TEST_P(store_conformance, a_soft_limit_refuses_nothing_and_counts_everything) {
  for (const policy::algorithm how :
       {policy::algorithm::calendar, policy::algorithm::sliding_window, policy::algorithm::total}) {
    const policy::limit_rule r = rule(5, how, policy::unit::tokens);
    const key128 k = key(300 + static_cast<std::uint64_t>(how));
    admission within = this->admit({{&r, k, 4, manner::soft}}, 0);
    EXPECT_TRUE(within.verdicts[0].allowed);
    admission over = this->admit({{&r, k, 4, manner::soft}}, 0);
    EXPECT_TRUE(over.allowed);
    EXPECT_FALSE(over.verdicts[0].allowed);
    EXPECT_EQ(over.verdicts[0].remaining, 0);
    this->settle(within, {1, 4}, 0);
    this->settle(over, {1, 3}, 0);
    EXPECT_EQ(this->remaining(r, k, 0), 0);
    if (how == policy::algorithm::sliding_window) continue;
    EXPECT_EQ(this->admit({{&r, k, 0, manner::soft}}, 0).verdicts[0].used, 7);
  }
}

TYPED_TEST_P(store_conformance, an_answer_is_bounded_by_what_a_cap_affords) {
  const policy::limit_rule cap = rule(1000, policy::algorithm::calendar, policy::unit::tokens);
  const policy::limit_rule bucket =
      rule(5000, policy::algorithm::token_bucket, policy::unit::tokens);
  claim capped{&cap, key(1), 300};
  capped.shrinks = true;
  capped.per_output = 2;
  claim limited{&bucket, key(2), 300};
  limited.per_output = 2;
  admission a = this->admit({limited, capped}, 0, {1, 4096});
  EXPECT_TRUE(a.allowed);
  EXPECT_EQ(a.output, 350);
  EXPECT_EQ(a.verdicts[0].remaining, 4000) << "both take what was granted";
  EXPECT_EQ(a.verdicts[1].remaining, 0);
  const admission full = this->admit({limited, capped}, 0, {1, 4096});
  EXPECT_FALSE(full.allowed);
  EXPECT_EQ(full.refused, 1U);
  EXPECT_EQ(this->remaining(bucket, key(2), 0), 4000);
  this->settle(a, {1, 400}, 0);
  EXPECT_EQ(this->remaining(cap, key(1), 0), 600);
  EXPECT_EQ(this->admit({capped}, 0, {1, 100}).output, 100);
}

TYPED_TEST_P(store_conformance, a_caller_that_names_a_length_gets_it_or_nothing) {
  const policy::limit_rule cap = rule(1000, policy::algorithm::calendar, policy::unit::tokens);
  claim capped{&cap, key(1), 300};
  capped.shrinks = true;
  capped.per_output = 1;
  EXPECT_FALSE(this->admit({capped}, 0, {701, 701}).allowed);
  const admission a = this->admit({capped}, 0, {700, 700});
  EXPECT_TRUE(a.allowed);
  EXPECT_EQ(a.output, 700);
}

// 4 million of a currency, to the pico-unit.
TYPED_TEST_P(store_conformance, money_is_exact_to_the_pico_unit) {
  constexpr std::int64_t unit = 1'000'000'000'000;
  const policy::limit_rule cap =
      rule(4'000'000 * unit, policy::algorithm::calendar, policy::unit::money);
  claim c{&cap, key(1), 3'999'999 * unit + 1};
  c.currency = 2;
  admission a = this->admit({c}, 0);
  EXPECT_TRUE(a.allowed);
  EXPECT_EQ(a.verdicts[0].remaining, unit - 1);
  c.amount = unit;
  EXPECT_FALSE(this->admit({c}, 0).allowed);
  c.amount = unit - 1;
  admission b = this->admit({c}, 0);
  EXPECT_TRUE(b.allowed);
  usage real{1, 77};
  real.money = {5, 6, 7, 8};
  this->settle(a, real, 0);
  this->settle(b, real, 0);
  EXPECT_EQ(this->remaining(cap, key(1), 0), 4'000'000 * unit - 14);
}

// BC-087: what one token costs is far below a nano-unit's rounding.
TYPED_TEST_P(store_conformance, a_million_small_costs_add_up_without_drift) {
  const policy::limit_rule cap =
      rule(1'000'000'000'000, policy::algorithm::calendar, policy::unit::money);
  for (int i = 0; i < 2000; ++i) {
    admission a = this->admit({{&cap, key(1), 40'000}}, 0);
    usage real{1, 1};
    real.money[0] = 37'500;
    this->settle(a, real, 0);
  }
  EXPECT_EQ(this->remaining(cap, key(1), 0), 1'000'000'000'000 - 2000 * 37'500);
}

TYPED_TEST_P(store_conformance, an_overrun_is_a_debt_that_counts_to_the_last_token) {
  const policy::limit_rule cap = rule(1000, policy::algorithm::calendar, policy::unit::tokens);
  admission a = this->admit({{&cap, key(1), 600}}, 0);
  this->settle(a, {1, 1250}, 0);
  const admission next = this->admit({{&cap, key(1), 1}}, 0);
  EXPECT_FALSE(next.allowed);
  EXPECT_EQ(next.verdicts[0].used, 1250);
  EXPECT_TRUE(this->admit({{&cap, key(1), 1}}, minute).allowed) << "it belongs to its own window";
}

REGISTER_TYPED_TEST_SUITE_P(
    store_conformance, a_call_without_limits_is_admitted_and_holds_nothing,
    a_call_refused_by_one_limit_takes_nothing_from_the_others,
    verdicts_tell_what_is_left_after_the_call, the_refusal_to_tell_is_never_before_the_longest_wait,
    the_same_key_twice_in_a_call_counts_twice,
    an_observed_limit_refuses_nothing_and_counts_as_if_enforced,
    tokens_are_settled_with_what_was_really_used, settling_twice_changes_nothing_the_second_time,
    a_released_call_gives_everything_back, a_finished_call_keeps_its_request_and_frees_its_slot,
    a_call_can_be_settled_when_its_configuration_is_gone, a_reload_resets_nothing,
    the_first_calls_of_an_unknown_caller_are_limited_too,
    a_busy_caller_gets_its_quota_back_in_every_window,
    random_calls_are_answered_as_a_plain_reference_answers_them,
    a_soft_limit_refuses_nothing_and_counts_everything, an_answer_is_bounded_by_what_a_cap_affords,
    a_caller_that_names_a_length_gets_it_or_nothing, money_is_exact_to_the_pico_unit,
    a_million_small_costs_add_up_without_drift, an_overrun_is_a_debt_that_counts_to_the_last_token);

}  // namespace weir::store::test
