// What is remembered of one limit and one subject: the kernels behind one interface, in 48 bytes.
// (rule, state, amount, now) -> new state + decision. No clock, no lock: the caller serialises.
#pragma once

#include <cstdint>

#include "policy/calendar_window.hpp"
#include "policy/counter.hpp"
#include "policy/decision.hpp"
#include "policy/limit.hpp"
#include "policy/sliding_window.hpp"
#include "policy/token_bucket.hpp"

namespace weir::policy {

// What a charge answers.
struct charged {
  std::int64_t stamp{0};  // names the window it was taken from, for limit_state::settle
  microseconds reset{0};  // until the limit is whole again if nothing more is taken
};

// Time never goes back for a state: an earlier `now` counts as the latest it has seen. Keeps no
// reference to a rule, so that what an old configuration admitted can be settled under a new one.
class limit_state {
 public:
  // Nothing used yet.
  limit_state(const limit_rule& rule, instant now);
  limit_state(limit_state&& other) noexcept;
  limit_state& operator=(limit_state&&) = delete;
  ~limit_state();

  // Starts to load the memory outside of the state that the next calls will read.
  void prefetch() const {
    if (algorithm_ == algorithm::sliding_window) sliding_.prefetch();
  }

  // Brings the state to this rule and this time; before check() and charge(). A changed rule never
  // resets: a larger amount adds the difference; a smaller one leaves a bucket what it had, as far
  // as it fits, and counts what a window has used against it; a changed bucket window keeps the
  // fraction used; another algorithm starts with what was used.
  void prepare(const limit_rule& rule, instant now);

  // What a take of n would be answered. Changes nothing, so it is the peek, too. Negative n: never.
  [[nodiscard]] decision check(std::int64_t n, instant now) const;

  // Takes n >= 0 (whether it fits or not: check first) and counts one more open admission.
  charged charge(std::int64_t n, instant now);

  // check() and, if allowed, charge(): for one limit alone. `remaining` is what is left afterwards.
  decision take(const limit_rule& rule, std::int64_t n, instant now, std::int64_t* stamp = nullptr);

  // Ends one open admission that took `taken`: gives back taken - real, or charges real - taken as
  // a debt. Concurrent slots are freed whatever `real` is. `how`: the algorithm at admission; a
  // state that has changed it since ignores the amounts.
  void settle(algorithm how, std::int64_t taken, std::int64_t real, std::int64_t stamp,
              instant now);

  [[nodiscard]] policy::algorithm how() const { return algorithm_; }
  [[nodiscard]] std::int64_t amount() const { return amount_; }
  [[nodiscard]] std::uint32_t open() const { return open_; }

  // No admission is open, nothing is used and it is not in steady use: forgetting it loses nothing.
  [[nodiscard]] bool idle(instant now) const;

 private:
  static std::int64_t ticks(instant now) { return now.mono.time_since_epoch().count(); }
  [[nodiscard]] bool changed(const limit_rule& rule) const;
  void adopt(const limit_rule& rule, instant now);
  void build(const limit_rule& rule, instant now);
  void destroy();
  void change_algorithm(const limit_rule& rule, instant now);
  [[nodiscard]] std::int64_t used(instant now) const;

  std::int64_t amount_;
  union {
    token_bucket bucket_;
    sliding_window sliding_;
    calendar_window calendar_;
    concurrency_counter concurrency_;
    total_counter total_;
  };
  std::uint32_t open_{0};
  std::uint16_t calendar_mark_{0};
  policy::algorithm algorithm_;
};

static_assert(sizeof(limit_state) == 48);

inline bool limit_state::changed(const limit_rule& rule) const {
  if (rule.amount() != amount_) return true;
  switch (algorithm_) {
    case algorithm::token_bucket:
      return rule.window() != bucket_.window();
    case algorithm::sliding_window:
      return rule.window() != sliding_.window();
    case algorithm::calendar:
      return rule.calendar_mark() != calendar_mark_;
    case algorithm::concurrency:
      return false;
    case algorithm::total:
      return rule.window() != total_.keep();
  }
  return false;
}

inline void limit_state::prepare(const limit_rule& rule, instant now) {
  if (rule.algorithm() != algorithm_) [[unlikely]]
    return change_algorithm(rule, now);
  if (changed(rule)) [[unlikely]]
    adopt(rule, now);
  if (algorithm_ == algorithm::calendar) calendar_.roll(rule, now);
}

inline decision limit_state::check(std::int64_t n, instant now) const {
  if (n < 0) [[unlikely]] {
    decision d = check(0, now);
    d.allowed = false;
    d.never = true;
    d.wait = microseconds{0};
    return d;
  }
  switch (algorithm_) {
    case algorithm::token_bucket:
      return bucket_.check(amount_, n, ticks(now));
    case algorithm::sliding_window:
      return sliding_.check(amount_, n, ticks(now));
    case algorithm::calendar:
      return calendar_.check(amount_, n, now);
    case algorithm::concurrency:
      return concurrency_.check(amount_, n);
    case algorithm::total:
      return total_.check(amount_, n, ticks(now));
  }
  return {};
}

inline charged limit_state::charge(std::int64_t n, instant now) {
  ++open_;
  const std::int64_t at = ticks(now);
  switch (algorithm_) {
    case algorithm::token_bucket:
      return {0, microseconds{bucket_.charge(amount_, n, at)}};
    case algorithm::sliding_window: {
      const std::int64_t stamp = sliding_.charge(amount_, n, at);
      return {stamp, sliding_.reset(at)};
    }
    case algorithm::calendar: {
      const std::int64_t stamp = calendar_.charge(n);
      return {stamp, calendar_.reset(now)};
    }
    case algorithm::concurrency:
      concurrency_.take(n);
      return {};
    case algorithm::total:
      return {total_.charge(n, at), microseconds{total_.keep()}};
  }
  return {};
}

}  // namespace weir::policy
