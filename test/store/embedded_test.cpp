// The embedded store: the conformance suite through both of its doors, and what it remembers.
#include "store/embedded.hpp"

#include <gtest/gtest.h>

#include "store/conformance.hpp"

namespace weir::store::test {
namespace {

using policy::algorithm;

// Through the interface that every store has.
struct as_a_store {
  embedded it;
  admission admit(const std::vector<claim>& claims, output_range output, instant now) {
    store& s = it;
    std::optional<admission> out;
    task<admission> work = s.admit(claims, output, now);
    keep_result(work, out);
    return std::move(*out);
  }
  void settle(grant held, usage real, instant now) {
    store& s = it;
    bool ended = false;
    task<void> work = s.settle(std::move(held), real, now);
    note_end(work, ended);
    EXPECT_TRUE(ended);
  }
};

// As the hot path calls it, sweeping all the time.
struct at_once {
  embedded it;
  admission out;
  admission admit(const std::vector<claim>& claims, output_range output, instant now) {
    it.admit_now(claims, output, now, out);
    it.sweep(now, 200);
    return std::move(out);
  }
  void settle(grant held, usage real, instant now) {
    it.settle_now(held, real, now);
    EXPECT_TRUE(held.empty());
    it.sweep(now, 200);
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(embedded_as_a_store, store_conformance, as_a_store);
INSTANTIATE_TYPED_TEST_SUITE_P(embedded_at_once, store_conformance, at_once);

class embedded_store : public ::testing::Test {
 protected:
  admission admit(const std::vector<claim>& claims, std::int64_t us) {
    admission out;
    it_.admit_now(claims, {}, at(us), out);
    return out;
  }
  embedded it_;
};

TEST_F(embedded_store, is_its_own_immediate_store) {
  store& s = it_;
  EXPECT_EQ(s.immediate(), &it_);
}

TEST_F(embedded_store, nothing_is_held_when_all_calls_are_settled) {
  const policy::limit_rule calls = rule(1000, algorithm::sliding_window);
  const policy::limit_rule tokens = rule(100'000, algorithm::token_bucket, policy::unit::tokens);
  const policy::limit_rule slots = rule(100, algorithm::concurrency);
  std::vector<admission> open;
  for (std::uint64_t i = 0; i < 50; ++i) {
    open.push_back(admit({{&calls, key(i), 1}, {&tokens, key(100), 70}, {&slots, key(200), 1}}, 0));
    ASSERT_TRUE(open.back().allowed);
  }
  EXPECT_EQ(it_.totals().entries, 52U);
  EXPECT_EQ(it_.totals().open, 150);
  EXPECT_EQ(it_.totals().held, 50);
  EXPECT_EQ(it_.totals().reserved, 3500);
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (i % 2 == 0) {
      it_.settle_now(open[i].held, {1, 90}, at(1));
    } else {
      it_.release_now(open[i].held, at(1));
    }
  }
  EXPECT_EQ(it_.totals().open, 0);
  EXPECT_EQ(it_.totals().held, 0);
  EXPECT_EQ(it_.totals().reserved, 0);
}

TEST_F(embedded_store, a_peek_answers_as_a_call_would_and_leaves_no_trace) {
  const policy::limit_rule r = rule(5, algorithm::token_bucket);
  EXPECT_EQ(it_.peek({&r, key(1), 5}, at(0)).remaining, 5);
  EXPECT_TRUE(it_.peek({&r, key(1), 6}, at(0)).never);
  EXPECT_EQ(it_.totals().entries, 0U);
  admission a = admit({{&r, key(1), 3}}, 0);
  EXPECT_EQ(it_.peek({&r, key(1), 0}, at(0)).remaining, 2);
  EXPECT_FALSE(it_.peek({&r, key(1), 3}, at(0)).allowed);
  EXPECT_EQ(it_.peek({&r, key(1), 0}, at(0)).remaining, 2);
}

TEST_F(embedded_store, entries_go_when_they_have_been_whole_for_a_window_and_not_before) {
  for (const algorithm how : all_algorithms) {
    embedded fresh;
    const policy::limit_rule r = rule(5, how);
    admission a;
    const claim one[] = {{&r, key(1), 5}};
    fresh.admit_now(one, {}, at(0), a);
    EXPECT_EQ(fresh.sweep(at(100 * minute), 100'000), 0U) << "a call is open";
    fresh.settle_now(a.held, {1, 0}, at(0));
    EXPECT_EQ(fresh.sweep(at(minute - 1), 100'000), 0U);
    EXPECT_EQ(fresh.totals().entries, 1U);
    EXPECT_EQ(fresh.sweep(at(2 * minute + 1), 100'000), 1U);
    EXPECT_EQ(fresh.totals().entries, 0U);
  }
}

TEST_F(embedded_store, new_keys_push_out_idle_ones_without_a_sweep) {
  const policy::limit_rule r = rule(5, algorithm::token_bucket);
  std::size_t most = 0;
  for (std::uint64_t i = 0; i < 200'000; ++i) {
    admission a = admit({{&r, key(i), 1}}, static_cast<std::int64_t>(i) * 60'000);
    it_.settle_now(a.held, {1, 0}, a.at);
    if (i % 1000 == 0) most = std::max(most, it_.totals().entries);
  }
  EXPECT_LT(most, 6000U) << "1200 of them are within a window and what it takes to refill";
}

TEST_F(embedded_store, a_call_that_fails_for_its_own_limits_amount_changes_no_entry_of_others) {
  const policy::limit_rule r = rule(5, algorithm::token_bucket);
  const admission a = admit({{&r, key(1), -1}}, 0);
  EXPECT_FALSE(a.allowed);
  EXPECT_TRUE(a.verdicts[0].never);
  EXPECT_EQ(it_.peek({&r, key(1), 0}, at(0)).remaining, 5);
}

TEST_F(embedded_store, more_claims_than_a_call_can_have_are_a_bug) {
  const policy::limit_rule r = rule(5, algorithm::token_bucket);
  const std::vector<claim> many(max_claims + 1, claim{&r, key(1), 0});
  EXPECT_THROW(admit(many, 0), std::logic_error);
  EXPECT_TRUE(admit({many.begin(), many.end() - 1}, 0).allowed);
}

}  // namespace
}  // namespace weir::store::test
