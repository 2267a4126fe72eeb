// The wheel of deadlines.
#include "net/deadline.hpp"

#include <algorithm>

namespace weir::net {
namespace {

std::int64_t ticks(mono_time at, microseconds tick) { return at.time_since_epoch() / tick; }

}  // namespace

void deadline_wheel::set(deadline_entry& entry, mono_time at) {
  entry.at_ = at;
  if (entry.hook_.is_linked() && entry.slot_at_ <= at) return;
  entry.hook_.unlink();
  if (!armed_) position_ = ticks(time_.mono(), tick);
  link(entry, at);
  arm();
}

void deadline_wheel::link(deadline_entry& entry, mono_time at) {
  const auto furthest = position_ + static_cast<std::int64_t>(slots) - 1;
  const auto due = std::clamp(ticks(at - microseconds{1}, tick) + 1, position_ + 1, furthest);
  entry.slot_at_ = std::min(at, mono_time{tick * due});
  wheel_[static_cast<std::size_t>(due) % slots].push_back(entry);
}

// Wakes at the ticks of the clock, not a tick from now, or a deadline could be two ticks late.
void deadline_wheel::arm() {
  if (armed_ || stopped_) return;
  armed_ = true;
  timer_.expires_after(tick - time_.mono().time_since_epoch() % tick);
  timer_.async_wait([this](const boost::system::error_code& ec) {
    armed_ = false;
    if (!ec && !stopped_) turn();
  });
}

// Handles every tick that has passed. An entry whose deadline was moved on is listed again.
void deadline_wheel::turn() {
  const mono_time now = time_.mono();
  const auto until = ticks(now, tick);
  const auto from = std::max(position_ + 1, until - static_cast<std::int64_t>(slots) + 1);
  for (auto at = from; at <= until; ++at) {
    list due;
    due.swap(wheel_[static_cast<std::size_t>(at) % slots]);
    position_ = at;
    while (!due.empty()) {
      deadline_entry& entry = due.front();
      due.pop_front();
      if (entry.at_ <= now) {
        entry.at_ = deadline_entry::never;
        entry.deadline_passed();
      } else if (entry.at_ != deadline_entry::never) {
        link(entry, entry.at_);
      }
    }
  }
  if (std::any_of(wheel_.begin(), wheel_.end(), [](const list& slot) { return !slot.empty(); }))
    arm();
}

void deadline_wheel::stop() {
  stopped_ = true;
  timer_.cancel();
}

}  // namespace weir::net
