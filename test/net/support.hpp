// What the tests of this folder share: a loop that the test itself drives under a clock that it
// moves, sockets at the other end that are read and written by hand, and a server with a handler
// made of a function. One thread does all of it, so that a test decides what happens in which
// order; what is awaited is awaited by turning the loop.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.hpp"
#include "net/http_server.hpp"
#include "net/loop.hpp"
#include "net/spawn.hpp"
#include "observe/log.hpp"

namespace weir::net {

// One loop and its clock.
class world {
 public:
  world();
  ~world();  // moves the clock until every coroutine has ended

  // Turns the loop until `met`. False: it was not within ten seconds of real time.
  bool until(const std::function<bool()>& met);
  // Turns the loop until nothing is left to be done at once.
  void settle();
  // Moves the clock, in steps of a tick of the deadlines, and lets them pass.
  void pass(microseconds by);

  // Runs a coroutine to its end and yields what it yields.
  template <class T>
  T run(task<T> work) {
    std::optional<T> made;
    spawn(keep(std::move(work), made), "test", log, spawned);
    EXPECT_TRUE(until([&] { return made.has_value(); })) << "the coroutine did not end";
    return std::move(made).value();
  }
  void start(task<> work) { spawn(std::move(work), "test", log, spawned); }

  manual_clock time;
  observe::logger log;
  spawn_counters spawned;
  loop on{time};

 private:
  template <class T>
  static task<> keep(task<T> work, std::optional<T>& into) {
    into.emplace(co_await std::move(work));
  }
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> busy_;
};

// A place where a coroutine waits until the test lets it go on.
class gate {
 public:
  [[nodiscard]] bool await_ready() const { return open_; }
  void await_suspend(std::coroutine_handle<> h) { waiting_ = h; }
  void await_resume() const {}
  [[nodiscard]] bool reached() const { return waiting_ != nullptr; }
  void open() {
    open_ = true;
    if (waiting_) std::exchange(waiting_, {}).resume();
  }

 private:
  std::coroutine_handle<> waiting_;
  bool open_{false};
};

// A plain socket held by the test, never blocking.
class wire_end {
 public:
  wire_end(world& in, int fd);
  static wire_end to(world& in, std::uint16_t port, int receive_buffer = 0);
  wire_end(wire_end&& other) noexcept;
  wire_end& operator=(wire_end&& other) noexcept;
  ~wire_end();

  // Writes all of it, turning the loop while the other end does not take more.
  void send(std::string_view bytes);
  // Reads until what was read and not yet taken holds `text`; takes everything up to its end.
  std::string read_through(std::string_view text);
  std::string read(std::size_t bytes);
  // Reads an answer with Content-Length, head and body.
  std::string read_answer();
  // Reads up to the end of the connection.
  std::string read_to_end();
  // What has arrived by now.
  std::string arrived();
  // Whether the other end closes, by FIN or RST; what comes before is dropped.
  bool ends();
  [[nodiscard]] bool was_reset() const { return reset_; }
  void end_sending();
  void close(bool reset = false);
  [[nodiscard]] int fd() const { return fd_; }

 private:
  bool pull();
  world* in_;
  int fd_;
  std::string got_;
  bool ended_{false};
  bool reset_{false};
};

// A listening socket held by the test.
class wire_listener {
 public:
  explicit wire_listener(world& in, int backlog = 16);
  ~wire_listener();
  wire_listener(const wire_listener&) = delete;
  wire_listener& operator=(const wire_listener&) = delete;
  [[nodiscard]] std::uint16_t port() const { return port_; }
  wire_end accept();

 private:
  world& in_;
  int fd_;
  std::uint16_t port_{0};
};

using handle_function = std::function<task<>(http_exchange&)>;

// Answers with what the function says; what cannot be parsed, with its status and code.
class function_handler final : public http_handler {
 public:
  explicit function_handler(handle_function f) : function_{std::move(f)} {}
  task<> handle(http_exchange& exchange) override { return function_(exchange); }
  task<> refuse(http_exchange& exchange, const wire::http_error& error) override;
  int refused{0};

 private:
  handle_function function_;
};

// A server on a port of its own; drained when it goes.
class test_server {
 public:
  test_server(world& in, handle_function f, const http_server_options& options = {},
              const tls_context* tls = nullptr, const std::string& host = "127.0.0.1");
  ~test_server();
  test_server(const test_server&) = delete;
  test_server& operator=(const test_server&) = delete;
  [[nodiscard]] wire_end connect(int receive_buffer = 0) {
    return wire_end::to(in_, server.port(), receive_buffer);
  }

 private:
  world& in_;

 public:
  spawn_counters spawned;
  function_handler handler;
  http_server server;
};

// Reads the body and sends back method, target and body, one after another.
task<> echo(http_exchange& exchange);
// Sends a body with status 200.
task<io_status> answer(http_exchange& exchange, std::string body, int status = 200);

// Whether the listener was told, and what.
struct told final : gone_listener {
  int gone{0};
  int stopped{0};
  std::function<void()> then;
  void caller_gone() override {
    ++gone;
    if (then) then();
  }
  void shutting_down() override {
    ++stopped;
    if (then) then();
  }
};

std::string get(std::string_view target, std::string_view fields = {});
std::string post(std::string_view target, std::string_view body, std::string_view fields = {});
// Bytes that look like nothing else, the same for the same seed.
std::string noise(std::size_t size, std::uint32_t seed);

}  // namespace weir::net
