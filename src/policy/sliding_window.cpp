// See sliding_window.hpp. A record leaves the window when stamp + window <= now.
#include "policy/sliding_window.hpp"

#include <algorithm>

namespace weir::policy {

namespace {

// The last tick of the sub-window that holds `now`; `now` itself where the log is exact.
std::int64_t stamp_of(std::int64_t amount, std::int64_t window, std::int64_t now) {
  if (amount <= sliding_window::exact_amount) return now;
  const std::int64_t length =
      (window + sliding_window::sub_windows - 1) / sliding_window::sub_windows;
  const std::int64_t into = ((now % length) + length) % length;
  return now - into + length - 1;
}

}  // namespace

void sliding_window::log::push(record r) {
  if (count == ring.size()) make_room();
  at(count) = r;
  ++count;
}

// Drops records that were given back entirely; grows only where that does not free a quarter, so
// that callers whose calls are all given back can't grow it.
void sliding_window::log::make_room() {
  std::vector<record> kept;
  kept.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (at(i).amount > 0) kept.push_back(at(i));
  }
  const std::size_t size = ring.size();
  head = 0;
  count = kept.size();
  kept.resize(count * 4 > size * 3 || size == 0 ? std::max<std::size_t>(4, size * 2) : size);
  ring = std::move(kept);
}

sliding_window::sliding_window(std::int64_t window, std::int64_t now)
    : window_{window}, log_{std::make_unique<log>()} {
  log_->last = now;
}

decision sliding_window::check(std::int64_t amount, std::int64_t n, std::int64_t now) const {
  const log& l = *log_;
  const std::int64_t from = std::max(now, l.last);
  std::size_t i = 0;
  std::int64_t used = l.used;
  for (; i < l.count && l.at(i).stamp + window_ <= from; ++i) used -= l.at(i).amount;

  decision d{.limit = amount, .remaining = std::max<std::int64_t>(0, amount - used)};
  if (used > 0) d.reset = reset(now);
  d.allowed = n <= amount && used + n <= amount;
  d.never = n > amount;
  if (d.allowed || d.never) return d;
  for (; i < l.count && used + n > amount; ++i) {
    used -= l.at(i).amount;
    d.wait = microseconds{l.at(i).stamp + window_ - now};
  }
  return d;
}

microseconds sliding_window::reset(std::int64_t now) const {
  const log& l = *log_;
  if (l.count == 0) return microseconds{0};
  const std::int64_t end = l.at(l.count - 1).stamp + window_;
  return microseconds{std::max<std::int64_t>(0, end - std::max(now, l.last))};
}

void sliding_window::forget_expired(std::int64_t now) {
  log& l = *log_;
  l.last = std::max(now, l.last);
  while (l.count > 0 && l.at(0).stamp + window_ <= l.last) {
    l.used -= l.at(0).amount;
    l.head = (l.head + 1) & (l.ring.size() - 1);
    --l.count;
  }
}

std::int64_t sliding_window::charge(std::int64_t amount, std::int64_t n, std::int64_t now) {
  forget_expired(now);
  log& l = *log_;
  std::int64_t stamp = stamp_of(amount, window_, l.last);
  if (n == 0) return stamp;
  // After a change of rule the newest record may lie in a longer sub-window than today's.
  if (l.count > 0) stamp = std::max(stamp, l.at(l.count - 1).stamp);
  if (l.count > 0 && l.at(l.count - 1).stamp == stamp) {
    l.at(l.count - 1).amount += n;
  } else {
    l.push({stamp, n});
  }
  l.used += n;
  return stamp;
}

void sliding_window::correct(std::int64_t stamp, std::int64_t delta, std::int64_t now) {
  forget_expired(now);
  log& l = *log_;
  if (stamp + window_ <= l.last) return;
  std::size_t low = 0;
  for (std::size_t high = l.count; low < high;) {
    const std::size_t middle = low + (high - low) / 2;
    if (l.at(middle).stamp < stamp) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (delta < 0) {
    if (low == l.count || l.at(low).stamp != stamp) return;
    const std::int64_t back = std::min(-delta, l.at(low).amount);
    l.at(low).amount -= back;
    l.used -= back;
  } else if (delta > 0) {
    // Where the stamp's own record is gone the next later one takes it: late, never too much.
    if (low == l.count) {
      l.push({stamp, delta});
    } else {
      l.at(low).amount += delta;
    }
    l.used += delta;
  }
}

bool sliding_window::idle(std::int64_t now) const {
  const log& l = *log_;
  return l.last <= now && (l.used == 0 || l.at(l.count - 1).stamp + window_ <= now);
}

}  // namespace weir::policy
