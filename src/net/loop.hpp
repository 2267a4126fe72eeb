// One worker thread's world: its io_context, deadlines, clock and a scratch buffer that all its
// connections read into. Everything here belongs to one thread, but post() and stop(), which any
// thread may call.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <coroutine>
#include <memory>
#include <span>
#include <utility>

#include "base/task.hpp"
#include "base/time.hpp"
#include "net/deadline.hpp"
#include "net/poller.hpp"

namespace weir::net {

class loop {
 public:
  explicit loop(const clock& time)
      : io_{1},
        time_{time},
        deadlines_{io_, time},
        sockets_{io_},
        scratch_{new char[scratch_size]} {}

  [[nodiscard]] boost::asio::io_context& io() { return io_; }
  [[nodiscard]] const clock& time() const { return time_; }
  [[nodiscard]] deadline_wheel& deadlines() { return deadlines_; }
  [[nodiscard]] poller& sockets() { return sockets_; }
  // Bytes read here are gone after the next suspension.
  [[nodiscard]] std::span<char> scratch() { return {scratch_.get(), scratch_size}; }

  // Runs until stop(); the calling thread becomes the loop's.
  void run() { io_.run(); }
  void stop() { io_.stop(); }

  // Runs a function on the loop's thread, later. Thread-safe.
  template <class F>
  void post(F&& f) {
    boost::asio::post(io_, std::forward<F>(f));
  }

  // co_await loop.sleep_until(t): resumes at t, at most a tick late.
  auto sleep_until(mono_time at) {
    struct sleeper final : deadline_entry {
      loop& owner;
      mono_time at;
      std::coroutine_handle<> waiting;
      sleeper(loop& l, mono_time t) : owner{l}, at{t} {}
      void deadline_passed() override { waiting.resume(); }
      [[nodiscard]] bool await_ready() const { return owner.time().mono() >= at; }
      void await_suspend(std::coroutine_handle<> h) {
        waiting = h;
        owner.deadlines().set(*this, at);
      }
      void await_resume() const {}
    };
    return sleeper{*this, at};
  }

 private:
  static constexpr std::size_t scratch_size = 64 * 1024;
  boost::asio::io_context io_;
  const clock& time_;
  deadline_wheel deadlines_;
  poller sockets_;
  std::unique_ptr<char[]> scratch_;
};

}  // namespace weir::net
