// Deadlines of one thread: a wheel of lists, so that moving a deadline forward is one store and
// thousands of waiting connections cost nothing. A deadline fires at most one tick (20 ms) late,
// never early. Not thread-safe.
#pragma once

#include <array>
#include <boost/asio/steady_timer.hpp>
#include <boost/intrusive/list.hpp>

#include "base/time.hpp"

namespace weir::net {

class deadline_wheel;

// Something that wants to be told when a moment has passed. Unlinks itself when it is destroyed.
class deadline_entry {
 public:
  deadline_entry() = default;
  deadline_entry(const deadline_entry&) = delete;
  deadline_entry& operator=(const deadline_entry&) = delete;
  virtual ~deadline_entry() = default;

  // Called once, on the wheel's thread, at or after the deadline.
  virtual void deadline_passed() = 0;

 private:
  friend class deadline_wheel;
  static constexpr mono_time never{mono_time::max()};
  mono_time at_{never};
  mono_time slot_at_{never};  // when its list is looked at next; at most at_
  boost::intrusive::list_member_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>
      hook_;
};

class deadline_wheel {
 public:
  deadline_wheel(boost::asio::io_context& io, const clock& time) : timer_{io}, time_{time} {}

  // Sets or moves an entry's deadline.
  void set(deadline_entry& entry, mono_time at);
  // Takes an entry's deadline away; it stays listed until its tick, which costs nothing.
  static void clear(deadline_entry& entry) { entry.at_ = deadline_entry::never; }
  // Ends the ticking, so that the thread can end. Entries are not told.
  void stop();

 private:
  static constexpr microseconds tick{20ms};
  static constexpr std::size_t slots =
      512;  // one turn is 10.24 s; later deadlines are looked at once a turn
  using list = boost::intrusive::list<
      deadline_entry,
      boost::intrusive::member_hook<deadline_entry,
                                    boost::intrusive::list_member_hook<
                                        boost::intrusive::link_mode<boost::intrusive::auto_unlink>>,
                                    &deadline_entry::hook_>,
      boost::intrusive::constant_time_size<false>>;

  void link(deadline_entry& entry, mono_time at);
  void arm();
  void turn();

  boost::asio::steady_timer timer_;
  const clock& time_;
  std::array<list, slots> wheel_;
  std::int64_t position_{0};  // ticks since the clock's origin that were handled
  bool armed_{false};
  bool stopped_{false};
};

}  // namespace weir::net
