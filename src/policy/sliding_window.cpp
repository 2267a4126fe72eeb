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

sliding_window::owned_ring sliding_window::make_ring(std::uint32_t size) {
  void* block = ::operator new(sizeof(ring) + size * sizeof(record));
  return owned_ring{::new (block) ring{.size = size}};
}

void sliding_window::push(record r) {
  if (!ring_ || ring_->count == ring_->size) make_room();
  ring_->at(ring_->count) = r;
  ++ring_->count;
}

// Drops records that were given back entirely; grows only where that does not free a quarter, so
// that callers whose calls are all given back can't grow it.
void sliding_window::make_room() {
  if (!ring_) {
    ring_ = make_ring(first_size);
    return;
  }
  std::uint32_t live = 0;
  for (std::uint32_t i = 0; i < ring_->count; ++i) live += ring_->at(i).amount > 0 ? 1 : 0;
  owned_ring next = make_ring(live * 4 > ring_->size * 3 ? ring_->size * 2 : ring_->size);
  for (std::uint32_t i = 0; i < ring_->count; ++i) {
    if (ring_->at(i).amount > 0) next->at(next->count++) = ring_->at(i);
  }
  ring_ = std::move(next);
}

decision sliding_window::check(std::int64_t amount, std::int64_t n, std::int64_t now) const {
  const std::int64_t from = latest(now);
  const std::uint32_t records = count();
  std::uint32_t i = 0;
  std::int64_t used = used_;
  for (; i < records && ring_->at(i).stamp + window_ <= from; ++i) used -= ring_->at(i).amount;

  decision d{.limit = amount, .remaining = std::max<std::int64_t>(0, amount - used)};
  if (used > 0) d.reset = reset(now);
  d.allowed = n <= amount - used;
  d.never = n > amount;
  if (d.allowed || d.never) return d;
  for (; i < records && n > amount - used; ++i) {
    used -= ring_->at(i).amount;
    d.wait = microseconds{ring_->at(i).stamp + window_ - now};
  }
  return d;
}

microseconds sliding_window::reset(std::int64_t now) const {
  if (count() == 0) return microseconds{0};
  const std::int64_t end = ring_->at(ring_->count - 1).stamp + window_;
  return microseconds{std::max<std::int64_t>(0, end - latest(now))};
}

void sliding_window::forget_expired(std::int64_t now) {
  last_ = latest(now);
  while (count() > 0 && ring_->at(0).stamp + window_ <= last_) {
    used_ -= ring_->at(0).amount;
    ring_->head = (ring_->head + 1) & (ring_->size - 1);
    --ring_->count;
  }
}

std::int64_t sliding_window::charge(std::int64_t amount, std::int64_t n, std::int64_t now) {
  forget_expired(now);
  std::int64_t stamp = stamp_of(amount, window_, last_);
  if (n == 0) return stamp;
  record* newest = count() == 0 ? nullptr : &ring_->at(ring_->count - 1);
  // After a change of rule the newest record may lie in a longer sub-window than today's.
  if (newest != nullptr) stamp = std::max(stamp, newest->stamp);
  if (newest != nullptr && newest->stamp == stamp) {
    newest->amount += n;
  } else {
    push({stamp, n});
  }
  used_ += n;
  return stamp;
}

// The first record that is not before the stamp.
std::uint32_t sliding_window::lower_bound(std::int64_t stamp) const {
  std::uint32_t low = 0;
  for (std::uint32_t high = count(); low < high;) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (ring_->at(middle).stamp < stamp) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

void sliding_window::correct(std::int64_t stamp, std::int64_t delta, std::int64_t now) {
  if (delta == 0) return;
  forget_expired(now);
  if (stamp + window_ <= last_) return;
  const std::uint32_t at = lower_bound(stamp);
  const bool there = at < count();
  if (delta < 0) {
    if (!there || ring_->at(at).stamp != stamp) return;
    record& taken = ring_->at(at);
    const std::int64_t back = std::min(-delta, taken.amount);
    taken.amount -= back;
    used_ -= back;
    return;
  }
  // Where the stamp's own record is gone the next later one takes it: late, never too much.
  if (there) {
    ring_->at(at).amount += delta;
  } else {
    push({stamp, delta});
  }
  used_ += delta;
}

bool sliding_window::idle(std::int64_t now) const {
  const std::int64_t newest = count() == 0 ? last_ : ring_->at(ring_->count - 1).stamp;
  return std::max(last_, newest) + 2 * window_ <= now;
}

}  // namespace weir::policy
