// Two limits without refill: calls at once, and a total that is used up. No clock, no lock.
#pragma once

#include <algorithm>
#include <cstdint>

#include "policy/decision.hpp"
#include "policy/saturate.hpp"

namespace weir::policy {

// At most `amount` held at once.
class concurrency_counter {
 public:
  explicit concurrency_counter(std::int64_t now) : last_{now} {}

  // When another call ends is not known: the wait is a guess of one second.
  [[nodiscard]] decision check(std::int64_t amount, std::int64_t n) const {
    decision d{.limit = amount, .remaining = std::max<std::int64_t>(0, amount - held_)};
    d.allowed = n <= amount && held_ + n <= amount;
    d.never = n > amount;
    if (!d.allowed && !d.never) d.wait = microseconds{1'000'000};
    return d;
  }
  void take(std::int64_t n) { held_ += n; }
  void free(std::int64_t n, std::int64_t now) {
    held_ = std::max<std::int64_t>(0, held_ - n);
    last_ = std::max(now, last_);
  }

  // None was held for a minute: it is not in steady use.
  [[nodiscard]] bool idle(std::int64_t now) const { return held_ == 0 && now - last_ > keep; }

 private:
  static constexpr std::int64_t keep = 60'000'000;

  std::int64_t held_{0};
  std::int64_t last_;
};

// At most `amount` ever; forgotten when nothing was taken for `keep` ticks.
class total_counter {
 public:
  total_counter(std::int64_t keep, std::int64_t now) : keep_{keep}, since_{now}, last_{now} {}

  [[nodiscard]] std::int64_t keep() const { return keep_; }
  void set_keep(std::int64_t keep) { keep_ = keep; }

  // A refusal is for ever, as seen by a caller that goes on asking.
  [[nodiscard]] decision check(std::int64_t amount, std::int64_t n, std::int64_t now) const {
    const std::int64_t used = idle(now) ? 0 : used_;
    decision d{
        .limit = amount, .remaining = std::max<std::int64_t>(0, amount - used), .used = used};
    d.allowed = n <= amount - used;
    d.never = !d.allowed;
    if (used > 0) d.reset = microseconds{std::max<std::int64_t>(0, last_ + keep_ - now)};
    return d;
  }
  // Returns the stamp to correct it with.
  std::int64_t charge(std::int64_t n, std::int64_t now) {
    if (idle(now)) {
      used_ = 0;
      since_ = now;
    }
    used_ = saturating_add(used_, n);
    last_ = std::max(now, last_);
    return since_;
  }
  // Changes what was taken, unless that was forgotten since.
  void correct(std::int64_t stamp, std::int64_t delta, std::int64_t now) {
    if (stamp != since_) return;
    used_ = std::max<std::int64_t>(0, used_ + delta);
    last_ = std::max(now, last_);
  }
  [[nodiscard]] bool idle(std::int64_t now) const { return now - last_ >= keep_; }

 private:
  std::int64_t used_{0};
  std::int64_t keep_;
  std::int64_t since_;
  std::int64_t last_;
};

}  // namespace weir::policy
