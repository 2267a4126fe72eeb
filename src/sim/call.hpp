// One call that is being answered: what is known of it, and the one place where its coroutine
// waits. Belongs to its loop's thread.
#pragma once

#include <boost/intrusive/list.hpp>
#include <coroutine>
#include <string_view>

#include "base/time.hpp"
#include "net/deadline.hpp"
#include "net/http_server.hpp"
#include "sim/answer.hpp"
#include "sim/faults.hpp"

namespace weir::sim {

// co_await next() resumes when anything has happened since the last time: tokens, a hang-up, the
// deadline, a drop. At most one coroutine may wait.
class call_signal final : public net::gone_listener, public net::deadline_entry {
 public:
  void notify() {
    pending_ = true;
    if (waiting_) std::exchange(waiting_, {}).resume();
  }
  void drop() {
    dropped_ = true;
    notify();
  }
  void caller_gone() override {
    gone_ = true;
    notify();
  }
  void shutting_down() override { drop(); }
  void deadline_passed() override {
    passed_ = true;
    notify();
  }

  [[nodiscard]] bool gone() const { return gone_; }        // the caller hung up
  [[nodiscard]] bool dropped() const { return dropped_; }  // reset, or the end of the program
  [[nodiscard]] bool over() const { return gone_ || dropped_; }
  [[nodiscard]] bool passed() const { return passed_; }  // the deadline has passed

  auto next() {
    struct awaiter {
      call_signal& of;
      [[nodiscard]] bool await_ready() const { return std::exchange(of.pending_, false); }
      void await_suspend(std::coroutine_handle<> h) const { of.waiting_ = h; }
      void await_resume() const { of.pending_ = false; }
    };
    return awaiter{*this};
  }

 private:
  std::coroutine_handle<> waiting_;
  bool pending_{false};
  bool gone_{false};
  bool dropped_{false};
  bool passed_{false};
};

struct call {
  call_signal signal;
  answer out;
  fault_set faults;
  std::string id;           // for the log and X-Request-Id
  std::string_view finish;  // why it ended without its answer; empty: as the engine says
  wall_time start{};
  bool usage{false};  // in the answer, or at the end of the stream
  bool open{false};   // counted as begun, not yet as ended
  boost::intrusive::list_member_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>
      hook;

  // A stream with one of these ends after so many tokens; it then has no finish reason.
  [[nodiscard]] std::optional<std::int64_t> breaks_after() const {
    for (const auto& one : {faults.stall, faults.cut, faults.reset, faults.error})
      if (one) return one;
    return std::nullopt;
  }
};

}  // namespace weir::sim
