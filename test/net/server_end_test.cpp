// How connections end: slow heads, idle ones, callers that hang up, draining, cutting.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/support.hpp"

namespace weir::net {
namespace {

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(http_server, drops_a_head_that_comes_too_slowly) {
  world w;
  test_server s{w, echo};
  wire_end c = s.connect();
  c.send("GET / HT");
  w.settle();
  for (int i = 0; i < 9; ++i) {
    w.pass(1s);
    c.send("T");
  }
  EXPECT_EQ(s.server.counters().connections, 1);
  w.pass(1100ms);
  EXPECT_TRUE(c.ends());
  EXPECT_EQ(s.server.counters().header_timeouts, 1);
}

TEST(http_server, drops_idle_connections_after_their_time) {
  world w;
  test_server s{w, echo};
  wire_end fresh = s.connect();
  wire_end used = s.connect();
  used.send(get("/"));
  used.read_answer();
  w.pass(74s);
  EXPECT_EQ(s.server.counters().connections, 2);
  w.pass(2s);
  EXPECT_TRUE(fresh.ends());
  EXPECT_TRUE(used.ends());
  EXPECT_EQ(s.server.counters().header_timeouts, 0);
}

TEST(http_server, gives_each_request_its_time_anew) {
  world w;
  test_server s{w, echo};
  wire_end c = s.connect();
  for (int i = 0; i < 4; ++i) {
    w.pass(60s);
    c.send(get("/"));
    EXPECT_TRUE(has(c.read_answer(), " 200 "));
  }
}

TEST(http_server, does_not_hurry_a_handler) {
  world w;
  gate go;
  test_server s{w, [&](http_exchange& x) -> task<> {
                  co_await go;
                  co_await answer(x, "late");
                }};
  wire_end c = s.connect();
  c.send(get("/"));
  w.until([&] { return go.reached(); });
  w.pass(1000s);
  go.open();
  EXPECT_TRUE(c.read_answer().ends_with("late"));
}

struct hang_up {
  const char* name;
  bool reset;
  bool pipelined;
};
class hang_ups : public testing::TestWithParam<hang_up> {};

TEST_P(hang_ups, are_told_while_the_handler_waits) {
  world w;
  gate go;
  told listener;
  bool gone = false;
  int requests = 0;
  test_server s{w, [&](http_exchange& x) -> task<> {
                  ++requests;
                  x.watch_caller(&listener);
                  co_await go;
                  gone = x.gone();
                  co_await answer(x, "too late");
                }};
  wire_end c = s.connect();
  c.send(get("/"));
  ASSERT_TRUE(w.until([&] { return go.reached(); }));
  if (GetParam().pipelined) {
    c.send(get("/2"));
    w.settle();
    EXPECT_EQ(listener.gone, 0);
    c.send(get("/3"));
    w.settle();
  }
  c.close(GetParam().reset);
  EXPECT_TRUE(w.until([&] { return listener.gone == 1; }));
  go.open();
  EXPECT_TRUE(gone);
  w.settle();
  EXPECT_EQ(s.server.counters().connections, 0);
  EXPECT_EQ(requests, 1);
  EXPECT_EQ(listener.gone, 1);
}

INSTANTIATE_TEST_SUITE_P(all, hang_ups,
                         testing::Values(hang_up{"in_order", false, false},
                                         hang_up{"by_reset", true, false},
                                         hang_up{"after_more_requests", false, true},
                                         hang_up{"by_reset_after_more_requests", true, true}),
                         [](const auto& info) { return std::string{info.param.name}; });

// The listener ends the wait of the handler, which ends the connection, all before it returns.
TEST(http_server, may_end_a_connection_from_within_the_news_of_a_hang_up) {
  world w;
  gate go;
  told listener;
  listener.then = [&] { go.open(); };
  test_server s{w, [&](http_exchange& x) -> task<> {
                  x.watch_caller(&listener);
                  co_await go;
                  co_await answer(x, "nobody reads this");
                }};
  wire_end c = s.connect();
  c.send(get("/"));
  w.until([&] { return go.reached(); });
  c.close();
  EXPECT_TRUE(w.until([&] { return s.server.counters().connections == 0; }));
  EXPECT_EQ(listener.gone, 1);
}

TEST(http_server, notices_a_hang_up_that_happened_before_it_watched) {
  world w;
  gate go;
  told listener;
  test_server s{w, [&](http_exchange& x) -> task<> {
                  co_await go;
                  x.watch_caller(&listener);
                  gate never;
                  listener.then = [&] { never.open(); };
                  if (!x.gone()) co_await never;
                }};
  wire_end c = s.connect();
  c.send(get("/"));
  w.until([&] { return go.reached(); });
  c.close();
  w.settle();
  go.open();
  EXPECT_TRUE(w.until([&] { return s.server.counters().connections == 0; }));
}

TEST(http_server, answers_what_was_sent_while_it_watched) {
  world w;
  gate go;
  test_server s{w, [&](http_exchange& x) -> task<> {
                  x.watch_caller(nullptr);
                  co_await go;
                  std::string target{x.head().target};
                  co_await answer(x, std::move(target));
                }};
  wire_end c = s.connect();
  c.send(get("/1"));
  w.until([&] { return go.reached(); });
  for (const char byte : get("/2") + get("/3")) {
    c.send({&byte, 1});
    w.on.io().poll();
  }
  go.open();
  EXPECT_TRUE(c.read_answer().ends_with("/1"));
  EXPECT_TRUE(c.read_answer().ends_with("/2"));
  EXPECT_TRUE(c.read_answer().ends_with("/3"));
}

// What is kept of later requests is bounded, however many are answered meanwhile.
TEST(http_server, keeps_a_bounded_amount_of_later_requests) {
  world w;
  int requests = 0;
  test_server s{w, [&](http_exchange& x) -> task<> {
                  ++requests;
                  x.watch_caller(nullptr);
                  const mono_time then = w.time.mono() + 1ms;
                  co_await x.owner().sleep_until(then);
                  co_await answer(x, "");
                }};
  wire_end c = s.connect();
  const int room = 64 * 1024;
  ::setsockopt(c.fd(), SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
  const std::string one = get("/" + std::string(200, 'a'));
  std::string many;
  while (many.size() < (1U << 20)) many += one;
  std::size_t sent = 0;
  for (int i = 0; i < 40; ++i) {
    const ssize_t took =
        ::send(c.fd(), many.data() + sent % one.size(), many.size() - one.size(), MSG_NOSIGNAL);
    if (took > 0) sent += static_cast<std::size_t>(took);
    w.pass(20ms);
    c.arrived();
  }
  EXPECT_GT(requests, 20);
  // What was taken in beyond what was answered lies in the kernel's buffers, but for a little.
  EXPECT_LT(sent, 8U << 20);
}

TEST(http_server, drains_idle_connections_at_once_and_busy_ones_after_their_answer) {
  world w;
  gate go;
  test_server s{w, [&](http_exchange& x) -> task<> {
                  co_await go;
                  co_await answer(x, "done");
                }};
  wire_end fresh = s.connect();
  wire_end busy = s.connect();
  busy.send(get("/"));
  w.until([&] { return go.reached(); });
  s.server.drain();
  EXPECT_TRUE(fresh.ends());
  w.settle();
  EXPECT_EQ(s.server.counters().connections, 1);
  go.open();
  const std::string got = busy.read_to_end();
  EXPECT_TRUE(has(got, "Connection: close\r\n"));
  EXPECT_TRUE(got.ends_with("done"));
}

TEST(http_server, answers_what_had_come_when_it_began_to_drain) {
  world w;
  test_server s{w, echo};
  wire_end kept = s.connect();
  kept.send(get("/"));
  kept.read_answer();
  wire_end half = s.connect();
  half.send("GET /half HTT");
  w.settle();
  wire_end waiting = s.connect();  // not accepted yet: the loop does not turn
  waiting.send(get("/waiting"));
  kept.send(get("/kept"));
  s.server.drain();
  EXPECT_TRUE(kept.read_to_end().ends_with("GET /kept "));
  EXPECT_TRUE(waiting.read_to_end().ends_with("GET /waiting "));
  half.send("P/1.1\r\nHost: h\r\n\r\n");
  EXPECT_TRUE(half.read_to_end().ends_with("GET /half "));
  EXPECT_EQ(s.server.counters().connections, 0);
}

TEST(http_server, tells_running_handlers_when_the_time_to_drain_is_over) {
  world w;
  gate go;
  told listener;
  listener.then = [&] { go.open(); };
  test_server s{w, [&](http_exchange& x) -> task<> {
                  x.watch_caller(&listener);
                  co_await go;
                  co_await answer(x, "shutting down", 503);
                }};
  wire_end c = s.connect();
  c.send(get("/"));
  w.until([&] { return go.reached(); });
  s.server.drain();
  s.server.abort_all();
  EXPECT_EQ(listener.stopped, 1);
  EXPECT_EQ(listener.gone, 0);
  EXPECT_TRUE(c.read_to_end().ends_with("shutting down"));
}

// Ending one connection may end others; the list that is walked must not mind.
TEST(http_server, cuts_connections_that_end_each_other) {
  world w;
  constexpr int count = 5;
  gate gates[count];
  told listeners[count];
  int next = 0;
  for (auto& one : listeners) {
    one.then = [&] {
      for (auto& g : gates) g.open();
    };
  }
  test_server s{w, [&](http_exchange& x) -> task<> {
                  const int mine = next++;
                  x.watch_caller(&listeners[mine]);
                  co_await gates[mine];
                  x.abort();
                }};
  std::vector<wire_end> callers;
  for (int i = 0; i < count; ++i) {
    callers.push_back(s.connect());
    callers.back().send(get("/"));
  }
  ASSERT_TRUE(w.until([&] { return next == count; }));
  s.server.abort_all();
  w.settle();
  EXPECT_EQ(s.server.counters().connections, 0);
}

TEST(http_server, cuts_an_answer_that_its_caller_does_not_read) {
  world w;
  told listener;
  io_status ended{io_status::ok};
  test_server s{w, [&](http_exchange& x) -> task<> {
                  x.watch_caller(&listener);
                  ended = co_await answer(x, std::string(16 << 20, 'x'));
                }};
  wire_end c = s.connect(8 * 1024);
  c.send(get("/"));
  w.settle();
  s.server.drain();
  s.server.abort_all();
  w.settle();
  EXPECT_EQ(ended, io_status::interrupted);
  EXPECT_EQ(s.server.counters().connections, 0);
}

TEST(http_server, takes_so_many_connections_of_one_address_and_no_more) {
  world w;
  http_server_options options;
  options.max_connections_per_address = 2;
  test_server s{w, echo, options};
  wire_end first = s.connect();
  wire_end second = s.connect();
  w.settle();
  wire_end third = s.connect();
  EXPECT_TRUE(third.ends());
  EXPECT_EQ(s.server.counters().refused_per_address, 1);
  first.close();
  w.settle();
  wire_end fourth = s.connect();
  fourth.send(get("/"));
  EXPECT_TRUE(has(fourth.read_answer(), " 200 "));
}

// Runs in a child of its own, whose descriptors can be used up. The exit status says what failed.
int without_descriptors() {
  world w;
  test_server s{w, echo};
  wire_end first = s.connect();
  first.send(get("/"));
  first.read_answer();
  wire_end waiting = s.connect();
  const rlimit few{static_cast<rlim_t>(waiting.fd() + 1), static_cast<rlim_t>(waiting.fd() + 1)};
  if (::setrlimit(RLIMIT_NOFILE, &few) != 0) return 2;
  // What is accepted next would have a number beyond the limit.
  waiting.send(get("/"));
  rusage before{};
  rusage after{};
  ::getrusage(RUSAGE_SELF, &before);
  std::size_t turns = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds{300};
  while (std::chrono::steady_clock::now() < end)
    turns += w.on.io().run_one_for(std::chrono::milliseconds{50});
  ::getrusage(RUSAGE_SELF, &after);
  if (s.server.counters().refused_descriptors == 0) return 3;
  if (turns > 100) return 4;  // a busy loop
  first.send(get("/still"));
  if (!has(first.read_answer(), " 200 ")) return 5;
  first.close();  // there is one again
  for (int i = 0; i < 10 && s.server.counters().connections < 1; ++i) w.pass(100ms);
  w.pass(200ms);
  return has(waiting.read_answer(), " 200 ") ? 0 : 6;
}

TEST(http_server, waits_for_descriptors_without_a_busy_loop) {
#if defined(__has_feature)
#if __has_feature(undefined_behavior_sanitizer)
  GTEST_SKIP() << "the sanitizer probes memory through a pipe, for which there is no descriptor";
#endif
#endif
  const pid_t child = ::fork();
  if (child == 0) ::_exit(without_descriptors());
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace weir::net
