// Rules, times and one limit under test, for the tests of policy. Ticks are microseconds; the
// tables that speak of nanoseconds or milliseconds are read as ticks.
#pragma once

#include <cstdint>
#include <string>

#include "policy/limit.hpp"
#include "policy/limit_state.hpp"

namespace weir::policy::test {

inline instant at(std::int64_t tick) {
  return {mono_time{microseconds{tick}}, wall_time{microseconds{tick}}};
}

inline limit_rule rule(const limit_spec& spec) { return limit_rule::make(spec).value(); }

inline limit_rule bucket_rule(std::int64_t amount, std::int64_t window) {
  return rule({.amount = amount, .window = microseconds{window}});
}

inline limit_rule sliding_rule(std::int64_t amount, std::int64_t window) {
  return rule(
      {.amount = amount, .algorithm = algorithm::sliding_window, .window = microseconds{window}});
}

inline limit_rule calendar_rule(std::int64_t amount, calendar_period period,
                                const std::string& zone = "UTC") {
  return rule({.amount = amount, .algorithm = algorithm::calendar, .period = period, .zone = zone});
}

inline limit_rule concurrency_rule(std::int64_t amount) {
  return rule({.amount = amount, .unit = unit::concurrent, .algorithm = algorithm::concurrency});
}

inline limit_rule total_rule(std::int64_t amount, std::int64_t keep) {
  return rule({.amount = amount, .algorithm = algorithm::total, .window = microseconds{keep}});
}

// One rule and its state.
struct limiter {
  limit_rule rule;
  limit_state state;

  explicit limiter(limit_rule r, std::int64_t start = 0)
      : rule{std::move(r)}, state{rule, at(start)} {}

  // Begins with `level` left instead of everything.
  static limiter with_level(const limit_rule& r, std::int64_t level, std::int64_t start = 0) {
    limiter l{r, start};
    if (level < r.amount()) l.state.charge(r.amount() - level, at(start));
    return l;
  }

  decision take(std::int64_t n, std::int64_t tick) { return state.take(rule, n, at(tick)); }
  bool takes(std::int64_t n, std::int64_t tick) { return take(n, tick).allowed; }

  decision peek(std::int64_t n, std::int64_t tick) {
    state.prepare(rule, at(tick));
    return state.check(n, at(tick));
  }
  std::int64_t wait(std::int64_t n, std::int64_t tick) { return peek(n, tick).wait.count(); }
  std::int64_t remaining(std::int64_t tick) { return peek(0, tick).remaining; }

  // Gives n back, as a settled call would.
  void give_back(std::int64_t n, std::int64_t tick, std::int64_t stamp = 0) {
    state.settle(rule.algorithm(), n, 0, stamp, at(tick));
  }
};

// A bucket alone, where a row looks into it: its level may be negative, and it has a remainder.
struct bare_bucket {
  std::int64_t amount;
  token_bucket bucket;

  bare_bucket(std::int64_t capacity, std::int64_t window, std::int64_t level,
              std::int64_t start = 0)
      : amount{capacity}, bucket{window, start} {
    if (level < capacity) bucket.charge(amount, capacity - level, start);
  }
  [[nodiscard]] std::int64_t level(std::int64_t tick) const { return bucket.level(amount, tick); }
  [[nodiscard]] std::int64_t remainder(std::int64_t tick) const {
    std::int64_t left = 0;
    (void)bucket.level(amount, tick, &left);
    return left;
  }
};

constexpr std::int64_t minute = 60'000'000;

}  // namespace weir::policy::test
