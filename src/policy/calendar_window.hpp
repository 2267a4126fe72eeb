// Calendar window: so much per civil minute, hour, day, week or month, whole again at the boundary.
// An overrun counts in the window of its admission and is not carried over. No clock, no lock.
#pragma once

#include <cstdint>

#include "policy/decision.hpp"
#include "policy/limit.hpp"
#include "policy/saturate.hpp"

namespace weir::policy {

// Wall time names the window, monotonic time guards against its steps: a wall clock that steps back
// does not reopen an earlier window, and one that stepped far ahead and back holds the wrong window
// for no longer than that window's own length.
class calendar_window {
 public:
  calendar_window(const limit_rule& rule, instant now) { enter(rule.span_at(now.wall), now); }

  // Moves on to the window of `now` where the current one is over.
  void roll(const limit_rule& rule, instant now) {
    if (now.wall < span_.end && now.mono < over_at_) [[likely]]
      return;
    follow(rule, now);
  }

  // Takes the rule's period and zone; what is used stays used.
  void follow(const limit_rule& rule, instant now);

  // What a take of n >= 0 would be answered, after roll(). Changes nothing.
  [[nodiscard]] decision check(std::int64_t amount, std::int64_t n, instant now) const;

  // Takes n >= 0, whether it fits or not. Returns the window's stamp.
  std::int64_t charge(std::int64_t n) {
    used_ = saturating_add(used_, n);
    return stamp();
  }

  // Changes what was taken from the window of this stamp, if that is still the current one.
  void correct(std::int64_t taken_from, std::int64_t delta) {
    if (taken_from == stamp()) used_ = used_ + delta < 0 ? 0 : used_ + delta;
  }

  // Until the window ends; 0 where nothing is used.
  [[nodiscard]] microseconds reset(instant now) const {
    return used_ == 0 ? microseconds{0} : rest(now);
  }

  // The window is over.
  [[nodiscard]] bool idle(instant now) const {
    return now.wall >= span_.end && now.mono >= over_at_;
  }

 private:
  void enter(civil_span span, instant now) {
    span_ = span;
    over_at_ = now.mono + (span.end - now.wall);
  }
  [[nodiscard]] microseconds rest(instant now) const;
  [[nodiscard]] std::int64_t stamp() const { return span_.begin.time_since_epoch().count(); }

  std::int64_t used_{0};
  civil_span span_;
  mono_time over_at_;  // when the window's length has passed for certain
};

}  // namespace weir::policy
