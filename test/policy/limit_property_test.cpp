// The kernels against slow, obviously right models, over random times (also backwards), amounts and
// orders, with settlements in between.
#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "sequence.hpp"
#include "support.hpp"

namespace weir::policy::test {
namespace {

// What is right, told as plainly as possible. Time given to a model never goes back: what changes a
// limit moves its time on, a refusal or a peek does not.
struct model {
  virtual ~model() = default;
  // May n be taken at t? Nothing where the rule leaves it open.
  virtual std::optional<bool> fits(std::int64_t n, std::int64_t t) = 0;
  virtual void take(std::int64_t n, std::int64_t t) = 0;
  // The admission taken as the i-th one turns out to have used `real`.
  virtual void settle(std::size_t i, std::int64_t real, std::int64_t t) = 0;
};

// Tokens in 1/window of one, added tick by tick.
struct bucket_model final : model {
  std::int64_t amount, window, scaled, last{std::numeric_limits<std::int64_t>::min()};
  std::vector<std::int64_t> taken;

  bucket_model(std::int64_t a, std::int64_t w) : amount{a}, window{w}, scaled{a * w} {}
  void refill(std::int64_t t) {
    for (; last < t && scaled < amount * window; ++last) {
      scaled = std::min(amount * window, scaled + amount);
    }
    last = std::max(last, t);
  }
  std::optional<bool> fits(std::int64_t n, std::int64_t t) override {
    bucket_model then = *this;
    then.refill(t);
    return then.scaled >= n * window;
  }
  void take(std::int64_t n, std::int64_t t) override {
    refill(t);
    scaled -= n * window;
    taken.push_back(n);
  }
  void settle(std::size_t i, std::int64_t real, std::int64_t t) override {
    if (real == taken[i]) return;
    refill(t);
    scaled = std::min(amount * window, scaled + (taken[i] - real) * window);
  }
};

// Everything ever taken, with its time. `late`: how much later than at t + window it may be given
// back.
struct span_model final : model {
  struct taking {
    std::int64_t t, n;
  };
  std::int64_t amount, window, late;
  std::vector<taking> all;

  span_model(std::int64_t a, std::int64_t w, std::int64_t l) : amount{a}, window{w}, late{l} {}
  [[nodiscard]] std::int64_t used(std::int64_t t, std::int64_t length) const {
    std::int64_t sum = 0;
    for (const taking& x : all) sum += x.t + length > t ? x.n : 0;
    return sum;
  }
  std::optional<bool> fits(std::int64_t n, std::int64_t t) override {
    if (used(t, window) + n > amount) return false;
    if (used(t, window + late) + n <= amount) return true;
    return std::nullopt;
  }
  void take(std::int64_t n, std::int64_t t) override { all.push_back({t, n}); }
  // What has left the window is past: the kernel need not know any more.
  void settle(std::size_t i, std::int64_t real, std::int64_t t) override {
    if (all[i].t + window + late > t) all[i].n = real;
  }
};

// Sums per period of a fixed length.
struct period_model final : model {
  struct taking {
    std::int64_t period, n;
  };
  std::int64_t amount, length;
  std::vector<taking> all;

  period_model(std::int64_t a, std::int64_t l) : amount{a}, length{l} {}
  std::optional<bool> fits(std::int64_t n, std::int64_t t) override {
    std::int64_t sum = 0;
    for (const taking& x : all) sum += x.period == t / length ? x.n : 0;
    return sum + n <= amount;
  }
  void take(std::int64_t n, std::int64_t t) override { all.push_back({t / length, n}); }
  void settle(std::size_t i, std::int64_t real, std::int64_t) override { all[i].n = real; }
};

struct admitted {
  std::int64_t n, stamp;
  std::size_t number;  // in the model
};

std::string at_operation(std::size_t i, const char* what) {
  return "operation " + std::to_string(i) + ": " + what;
}

// Runs a sequence on kernel and model side by side; at the end settles all and looks for leftovers.
std::string agrees(const limit_rule& rule, model& right, const std::vector<operation>& all) {
  const std::int64_t start = all.empty() ? 0 : all.front().t;
  limit_state state{rule, at(start)};
  std::vector<admitted> open;
  std::size_t taken = 0;
  std::int64_t last = start;
  const auto settle = [&](std::size_t which, std::int64_t real, std::int64_t now) {
    const admitted a = open[which];
    // A log has no record of a taking of nothing: what it turns out to be is counted late.
    if (a.n == 0 && rule.algorithm() == algorithm::sliding_window) real = 0;
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(which));
    state.settle(rule.algorithm(), a.n, real, a.stamp, at(now));
    right.settle(a.number, real, now);
    if (real != a.n) last = now;
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    const operation& o = all[i];
    const std::int64_t now = std::max(last, o.t);
    if (rule.algorithm() == algorithm::calendar) last = now;  // a window once entered is not left
    state.prepare(rule, at(o.t));
    const decision before = state.check(o.n, at(o.t));
    if (before.remaining < 0 || before.remaining > rule.amount()) {
      return at_operation(i, "remaining out of bounds");
    }
    const std::optional<bool> fits = right.fits(o.n, now);
    if (o.what != act::settle && o.n > 0 && fits && *fits != before.allowed) {
      return at_operation(i, before.allowed ? "allowed too much" : "refused what fits");
    }
    if (before.never != (o.n > rule.amount())) return at_operation(i, "never is wrong");
    if (o.what == act::take) {
      admitted a{o.n, 0, taken};
      if (!state.take(rule, o.n, at(o.t), &a.stamp).allowed) continue;
      right.take(o.n, now);
      last = now;
      ++taken;
      open.push_back(a);
    } else if (o.what == act::settle && !open.empty()) {
      settle(static_cast<std::size_t>(o.n) % open.size(), o.real, now);
    }
  }
  while (!open.empty()) settle(0, 0, last);
  return state.open() == 0 ? "" : "admissions left open";
}

struct shape {
  std::int64_t amount, window;
};

const std::vector<shape> bucket_shapes{{1, 1}, {1, 10}, {3, 10}, {7, 100}, {10, 7}, {50, 33}};

TEST(limit_property, a_token_bucket_agrees_with_a_bucket_refilled_tick_by_tick) {
  for (const auto& [amount, window] : bucket_shapes) {
    const limit_rule rule = bucket_rule(amount, window);
    expect_always({.amount = amount, .window = window}, 1000, [&](const auto& all) {
      bucket_model right{rule.amount(), rule.window()};
      if (!all.empty()) right.last = all.front().t;
      return agrees(rule, right, all);
    });
  }
}

TEST(limit_property, an_exact_sliding_window_agrees_with_a_sum_over_all_takings) {
  for (const auto& [amount, window] :
       std::vector<shape>{{1, 1}, {1, 10}, {3, 10}, {20, 50}, {1024, 400}}) {
    const limit_rule rule = sliding_rule(amount, window);
    expect_always({.amount = amount, .window = window}, 1500, [&](const auto& all) {
      span_model right{rule.amount(), rule.window(), 0};
      return agrees(rule, right, all);
    });
  }
}

TEST(limit_property, a_large_sliding_window_never_allows_too_much_and_is_late_by_a_60th_at_most) {
  for (const auto& [amount, window] :
       std::vector<shape>{{1025, 60}, {1025, 59}, {2000, 6000}, {5000, 6001}}) {
    const limit_rule rule = sliding_rule(amount, window);
    expect_always({.amount = amount, .window = window}, 1500, [&](const auto& all) {
      span_model right{rule.amount(), rule.window(), (rule.window() + 59) / 60 - 1};
      return agrees(rule, right, all);
    });
  }
}

TEST(limit_property, a_calendar_window_agrees_with_sums_per_period) {
  for (const std::int64_t amount : {1, 5, 100}) {
    const limit_rule rule = calendar_rule(amount, calendar_period::minute);
    expect_always({.amount = amount, .window = minute}, 1500, [&](const auto& all) {
      period_model right{rule.amount(), minute};
      return agrees(rule, right, all);
    });
  }
}

// (a): over any span, no more than the burst and what the rate adds, whatever the order of times.
TEST(limit_property, over_any_span_no_more_is_admitted_than_burst_and_rate_allow) {
  for (const auto& [amount, window] : bucket_shapes) {
    const limit_rule rule = bucket_rule(amount, window);
    const mix m{.amount = amount, .window = window, .settles = false};
    expect_always(m, 1000, [&](const auto& all) -> std::string {
      limit_state state{rule, at(all.empty() ? 0 : all.front().t)};
      std::vector<std::pair<std::int64_t, std::int64_t>> in;
      for (const operation& o : all) {
        const std::int64_t now = in.empty() ? o.t : std::max(in.back().first, o.t);
        if (!state.take(rule, o.n, at(o.t)).allowed) continue;
        in.emplace_back(now, o.n);
        std::int64_t sum = 0;
        for (std::size_t j = in.size(); j-- > 0;) {
          sum += in[j].second;
          if ((sum - rule.amount()) * rule.window() > rule.amount() * (now - in[j].first)) {
            return "admitted " + std::to_string(sum) + " since " + std::to_string(in[j].first);
          }
        }
      }
      return "";
    });
  }
}

// A second state that went through the same, since a state cannot be copied.
std::unique_ptr<limit_state> after(const limit_rule& rule, const std::vector<operation>& all,
                                   std::size_t count) {
  auto state = std::make_unique<limit_state>(rule, at(all.front().t));
  for (std::size_t i = 0; i < count; ++i) state->take(rule, all[i].n, at(all[i].t));
  return state;
}

std::vector<limit_rule> one_of_each() {
  return {bucket_rule(7, 100), bucket_rule(3, 10), sliding_rule(5, 50), sliding_rule(2000, 6000),
          calendar_rule(5, calendar_period::minute)};
}

mix mix_for(const limit_rule& r) {
  return {.amount = r.amount(),
          .window = r.algorithm() == algorithm::calendar ? minute : r.window(),
          .length = 25,
          .settles = false};
}

// (b): waiting exactly as long as told admits a caller that is alone, and one tick less does not.
TEST(limit_property, the_told_wait_is_the_least_that_admits) {
  for (const limit_rule& rule : one_of_each()) {
    expect_always(mix_for(rule), 300, [&](const auto& all) -> std::string {
      if (all.empty()) return "";
      for (std::size_t i = 0; i < all.size(); ++i) {
        const operation& o = all[i];
        const decision d = after(rule, all, i)->take(rule, o.n, at(o.t));
        if (d.allowed || d.never) continue;
        if (d.wait < microseconds{1}) return at_operation(i, "refused with no wait");
        const std::int64_t then = o.t + d.wait.count();
        if (!after(rule, all, i)->take(rule, o.n, at(then)).allowed) {
          return at_operation(i, "refused after the told wait");
        }
        if (after(rule, all, i)->take(rule, o.n, at(then - 1)).allowed) {
          return at_operation(i, "told to wait too long");
        }
      }
      return "";
    });
  }
}

bool same(const decision& a, const decision& b) {
  return a.allowed == b.allowed && a.never == b.never && a.remaining == b.remaining &&
         a.wait == b.wait && a.reset == b.reset;
}

// (c): with and without the refused takes, all later answers are the same.
TEST(limit_property, a_refusal_changes_no_later_answer) {
  for (const limit_rule& rule : one_of_each()) {
    expect_always(mix_for(rule), 500, [&](const auto& all) -> std::string {
      if (all.empty()) return "";
      limit_state asked{rule, at(all.front().t)};
      limit_state spared{rule, at(all.front().t)};
      std::int64_t now = all.front().t;
      for (std::size_t i = 0; i < all.size(); ++i) {
        now = std::max(now, all[i].t);
        const decision d = asked.take(rule, all[i].n, at(now));
        if (d.allowed) spared.take(rule, all[i].n, at(now));
        spared.prepare(rule, at(now));
        for (const std::int64_t n : {std::int64_t{0}, std::int64_t{1}, rule.amount()}) {
          if (!same(asked.check(n, at(now)), spared.check(n, at(now)))) {
            return at_operation(i, "differs after a refusal");
          }
        }
      }
      return "";
    });
  }
}

// (d): whatever is given back, and in whatever order, no more comes back than was taken.
TEST(limit_property, what_is_given_back_at_once_restores_exactly_what_was_taken) {
  for (const limit_rule& rule :
       {bucket_rule(100, 7), sliding_rule(100, 1'000'000), sliding_rule(3000, 6'000'000),
        calendar_rule(100, calendar_period::day), total_rule(100, minute)}) {
    expect_always({.amount = 40, .window = 1}, 500, [&](const auto& all) -> std::string {
      limit_state state{rule, at(0)};
      std::vector<admitted> open;
      std::int64_t left = rule.amount();
      for (const operation& o : all) {
        if (o.what == act::settle && !open.empty()) {
          const std::size_t which = static_cast<std::size_t>(o.real) % open.size();
          const std::int64_t real = o.n % (open[which].n + 1);
          state.settle(rule.algorithm(), open[which].n, real, open[which].stamp, at(0));
          left += open[which].n - real;
          open.erase(open.begin() + static_cast<std::ptrdiff_t>(which));
        } else {
          admitted a{o.n, 0, 0};
          if (!state.take(rule, o.n, at(0), &a.stamp).allowed) continue;
          open.push_back(a);
          left -= o.n;
        }
        if (state.check(0, at(0)).remaining != left) return "does not add up";
      }
      return "";
    });
  }
}

// A caller whose calls are all given back does not make the log of a sliding window grow without
// bound, and the log stays right.
TEST(limit_property, a_sliding_window_stays_right_over_many_calls_that_are_given_back) {
  limiter l{sliding_rule(10, minute)};
  for (std::int64_t t = 0; t < 200'000; ++t) {
    std::int64_t stamp = 0;
    ASSERT_TRUE(l.state.take(l.rule, 1, at(t), &stamp).allowed) << t;
    if (t % 50'000 != 7) l.state.settle(algorithm::sliding_window, 1, 0, stamp, at(t));
  }
  EXPECT_EQ(l.remaining(200'000), 6);
}

}  // namespace
}  // namespace weir::policy::test
