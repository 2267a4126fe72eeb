// See calendar_window.hpp.
#include "policy/calendar_window.hpp"

#include <algorithm>

namespace weir::policy {

void calendar_window::follow(const limit_rule& rule, instant now) {
  const bool over = now.wall >= span_.end || now.mono >= over_at_;
  const civil_span span = rule.span_at(now.wall);
  // A slow wall clock may still be within the same window when its length has passed.
  if (over && span.begin != span_.begin) used_ = 0;
  enter(span, now);
}

// How long until roll() moves on, at least 1 us.
microseconds calendar_window::rest(instant now) const {
  microseconds left = span_.end - now.wall;
  if (now.wall < span_.begin) left = std::min<microseconds>(left, over_at_ - now.mono);
  return std::max(left, microseconds{1});
}

decision calendar_window::check(std::int64_t amount, std::int64_t n, instant now) const {
  decision d{
      .limit = amount, .remaining = std::max<std::int64_t>(0, amount - used_), .used = used_};
  d.reset = reset(now);
  d.allowed = n <= amount - used_;
  d.never = n > amount;
  if (!d.allowed && !d.never) d.wait = rest(now);
  return d;
}

}  // namespace weir::policy
