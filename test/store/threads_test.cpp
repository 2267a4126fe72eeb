// The embedded store under several threads: exactly as many as the limit says, all or nothing, and
// nothing left over.
#include <atomic>
#include <barrier>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <thread>
#include <vector>

#include "store/embedded.hpp"
#include "store/support.hpp"

namespace weir::store::test {
namespace {

using policy::algorithm;

constexpr int calls = 500;

// Runs body(thread, i) for i in [0, calls), shared out among threads that begin together.
void together(int threads, const std::function<void(int, int)>& body) {
  std::barrier start{threads};
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t) {
    all.emplace_back([&, t] {
      start.arrive_and_wait();
      for (int i = t; i < calls; i += threads) body(t, i);
    });
  }
  for (std::thread& t : all) t.join();
}

class threads : public ::testing::TestWithParam<int> {
 protected:
  embedded it_;
};

INSTANTIATE_TEST_SUITE_P(one_and_four, threads, ::testing::Values(1, 4));

TEST_P(threads, five_hundred_calls_at_once_against_n_admit_exactly_n) {
  for (const algorithm how : all_algorithms) {
    for (const std::int64_t n : {1, 7, 123, 499}) {
      embedded fresh;
      const policy::limit_rule limit = rule(n, how);
      std::vector<admission> answers(calls);
      together(GetParam(), [&](int, int i) {
        const claim one[] = {{&limit, key(5), 1}};
        fresh.admit_now(one, {}, at(0), answers[static_cast<std::size_t>(i)]);
      });
      std::int64_t admitted = 0;
      for (const admission& a : answers) admitted += a.allowed ? 1 : 0;
      EXPECT_EQ(admitted, n);
      together(GetParam(), [&](int, int i) {
        fresh.settle_now(answers[static_cast<std::size_t>(i)].held, {0, 0}, at(0));
      });
      EXPECT_EQ(fresh.totals().open, 0);
      EXPECT_EQ(fresh.peek({&limit, key(5), 0}, at(0)).remaining, n);
    }
  }
}

TEST_P(threads, claims_in_any_order_are_taken_all_or_none) {
  const policy::limit_rule wide = rule(400, algorithm::token_bucket);
  const policy::limit_rule narrow = rule(150, algorithm::sliding_window);
  const policy::limit_rule middle = rule(300, algorithm::calendar);
  std::atomic<int> admitted{0};
  together(GetParam(), [&](int, int i) {
    std::vector<claim> claims{{&wide, key(1), 1}, {&narrow, key(2), 1}, {&middle, key(3), 1}};
    std::rotate(claims.begin(), claims.begin() + i % 3, claims.end());
    admission a;
    it_.admit_now(claims, {}, at(0), a);
    admitted += a.allowed ? 1 : 0;
  });
  EXPECT_EQ(admitted, 150);
  EXPECT_EQ(it_.peek({&wide, key(1), 0}, at(0)).remaining, 250);
  EXPECT_EQ(it_.peek({&narrow, key(2), 0}, at(0)).remaining, 0);
  EXPECT_EQ(it_.peek({&middle, key(3), 0}, at(0)).remaining, 150);
}

TEST_P(threads, never_more_than_the_limit_run_at_once) {
  const policy::limit_rule slots = rule(3, algorithm::concurrency);
  std::atomic<int> running{0};
  std::atomic<int> most{0};
  together(GetParam(), [&](int, int) {
    const claim one[] = {{&slots, key(1), 1}};
    admission a;
    it_.admit_now(one, {}, at(0), a);
    if (!a.allowed) return;
    const int now = ++running;
    for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
    }
    --running;
    it_.settle_now(a.held, {1, 0}, at(0));
  });
  EXPECT_LE(most, 3);
  EXPECT_EQ(it_.totals().held, 0);
}

// Random calls over many keys, settled by whoever comes, with sweeps and time in between.
TEST_P(threads, nothing_is_left_after_a_storm_of_calls_of_all_kinds) {
  std::vector<policy::limit_rule> rules;
  for (const algorithm how : all_algorithms) {
    rules.push_back(rule(50, how, policy::unit::requests, microseconds{50}));
    rules.push_back(rule(5000, how, policy::unit::tokens, microseconds{300}));
  }
  std::vector<std::vector<grant>> mine(static_cast<std::size_t>(GetParam()));
  std::vector<std::mt19937> randoms;
  for (int t = 0; t < GetParam(); ++t) randoms.emplace_back(t + 1);
  std::atomic<std::int64_t> now{0};
  for (int round = 0; round < 20; ++round) {
    together(GetParam(), [&](int t, int) {
      std::mt19937& random = randoms[static_cast<std::size_t>(t)];
      std::vector<grant>& open = mine[static_cast<std::size_t>(t)];
      const instant when = at(now += static_cast<std::int64_t>(random() % 20));
      std::vector<claim> claims;
      for (std::size_t i = 0, n = random() % 7; i < n; ++i) {
        const std::size_t which = random() % rules.size();
        claims.push_back({&rules[which], key(which * 1000 + random() % 300),
                          static_cast<std::int64_t>(random() % 5),
                          random() % 8 == 0 ? manner::observe : manner::enforce});
      }
      admission a;
      it_.admit_now(claims, {}, when, a);
      open.push_back(std::move(a.held));
      if (random() % 2 == 0) {
        it_.settle_now(open[random() % open.size()], {1, 7}, when);
      }
      if (random() % 16 == 0) it_.sweep(when, 100);
      (void)it_.totals();
    });
  }
  for (auto& open : mine) {
    for (grant& g : open) it_.release_now(g, at(now));
  }
  const embedded_totals left = it_.totals();
  EXPECT_EQ(left.open, 0);
  EXPECT_EQ(left.held, 0);
  EXPECT_EQ(left.reserved, 0);
  EXPECT_GT(left.entries, 0U);
  while (it_.sweep(at(now + 10 * minute), 1'000'000) > 0) {
  }
  EXPECT_EQ(it_.totals().entries, 0U);
}

}  // namespace
}  // namespace weir::store::test
