// Token bucket with exact continuous refill, as a virtual time (GCRA): the state is the instant at
// which the bucket will be full again, so idle time costs nothing and nothing drifts. Ticks are
// microseconds by use, not by nature. No clock, no lock.
#pragma once

#include <algorithm>
#include <cstdint>

#include "policy/decision.hpp"

namespace weir::policy {

// Capacity `amount`, refilled at `amount` per `window` ticks. The instant is kept in whole ticks
// and a fraction of 1/amount tick, so that n tokens are exactly n * window / amount ticks. Products
// that exceed 64 bits are done in 128; a debt beyond 2^60 ticks stays there.
class token_bucket {
 public:
  token_bucket(std::int64_t window, std::int64_t now)
      : window_{window}, full_at_{now}, fraction_{0}, last_{now} {}

  [[nodiscard]] std::int64_t window() const { return window_; }

  // What a take of n >= 0 would be answered at max(now, the last taking). Changes nothing.
  [[nodiscard]] decision check(std::int64_t amount, std::int64_t n, std::int64_t now) const {
    const mark at = since(now);
    const std::int64_t from = std::max(now, last_);
    decision d{.limit = amount,
               .remaining = std::max<std::int64_t>(0, floor_level(amount, at, from))};
    d.reset = microseconds{at.whole - from + (at.part > 0 ? 1 : 0)};
    if (n > amount) {
      d.allowed = false;
      d.never = true;
    } else {
      const mark then = plus(at, cost(amount, n), amount);
      const std::int64_t over = then.whole + (then.part > 0 ? 1 : 0) - from - window_;
      d.allowed = over <= 0;
      if (!d.allowed) d.wait = microseconds{over + (from - now)};
    }
    return d;
  }

  // Takes n >= 0, whether it fits or not: what does not fit becomes a debt. Returns the ticks until
  // it is full again.
  std::int64_t charge(std::int64_t amount, std::int64_t n, std::int64_t now) {
    const mark then = plus(since(now), cost(amount, n), amount);
    last_ = std::max(now, last_);
    full_at_ = std::min(then.whole, last_ + max_debt);
    fraction_ = then.part;
    return full_at_ - last_ + (fraction_ > 0 ? 1 : 0);
  }

  // Puts n >= 0 back; never beyond full.
  void give_back(std::int64_t amount, std::int64_t n, std::int64_t now) {
    last_ = std::max(now, last_);
    const mark back = cost(amount, n);
    full_at_ -= back.whole;
    fraction_ -= back.part;
    if (fraction_ < 0) {
      fraction_ += amount;
      --full_at_;
    }
    if (full_at_ < last_) {
      full_at_ = last_;
      fraction_ = 0;
    }
  }

  // Follows a changed rule: first the window, keeping the fraction used; then the amount: a larger
  // one adds the difference, a smaller one keeps what remained as far as it fits. Rounds against
  // the caller.
  void adopt(std::int64_t old_amount, std::int64_t amount, std::int64_t window, std::int64_t now);

  // Full for a whole window: forgetting it loses nothing, and it is not in steady use.
  [[nodiscard]] bool idle(std::int64_t now) const {
    return std::max(full_at_, last_) + window_ < now;
  }

  // Whole tokens there are; negative in debt. `remainder`, if asked for: the started one, in
  // 1/window.
  [[nodiscard]] std::int64_t level(std::int64_t amount, std::int64_t now,
                                   std::int64_t* remainder = nullptr) const;

 private:
  static constexpr std::int64_t max_debt = std::int64_t{1} << 60;

  // An instant or a length: whole ticks and part/amount of one.
  struct mark {
    std::int64_t whole;
    std::int64_t part;
  };

  // When it is full, seen from now: not before now.
  [[nodiscard]] mark since(std::int64_t now) const {
    const std::int64_t from = std::max(now, last_);
    return full_at_ < from ? mark{from, 0} : mark{full_at_, fraction_};
  }

  // n * window / amount ticks.
  [[nodiscard]] mark cost(std::int64_t amount, std::int64_t n) const {
    std::int64_t product = 0;
    if (!__builtin_mul_overflow(n, window_, &product) && product < max_debt) [[likely]] {
      return {product / amount, product % amount};
    }
    return wide_cost(amount, n);
  }

  static mark plus(mark a, mark b, std::int64_t amount) {
    mark sum{a.whole + b.whole, a.part + b.part};
    if (sum.part >= amount) {
      sum.part -= amount;
      ++sum.whole;
    }
    return sum;
  }

  // floor((window - missing time) * amount / window), the missing time being full - from.
  [[nodiscard]] std::int64_t floor_level(std::int64_t amount, mark full, std::int64_t from) const {
    std::int64_t product = 0;
    const std::int64_t there = window_ - (full.whole - from);
    if (!__builtin_mul_overflow(there, amount, &product) &&
        !__builtin_sub_overflow(product, full.part, &product) && product >= 0) [[likely]] {
      return product / window_;
    }
    return wide_level(amount, full, from, nullptr);
  }

  [[nodiscard]] mark wide_cost(std::int64_t amount, std::int64_t n) const;
  [[nodiscard]] std::int64_t wide_level(std::int64_t amount, mark full, std::int64_t from,
                                        std::int64_t* remainder) const;

  std::int64_t window_;    // ticks in which an empty bucket fills
  std::int64_t full_at_;   // when it will be full
  std::int64_t fraction_;  // and so many 1/amount ticks later; 0 <= fraction < amount
  std::int64_t last_;      // latest time seen by a taking: time never goes back
};

}  // namespace weir::policy
