// Whole runs against a small server: each thing that can happen to a call, and the early end.
#include "sim/stress_run.hpp"

#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <thread>

#include "net/http_server.hpp"
#include "net/system_clock.hpp"

namespace weir::sim {
namespace {

constexpr std::string_view whole =
    R"({"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}],)"
    R"("usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}})";
constexpr std::string_view beginning = "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n";
constexpr std::string_view rest =
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2,"
    "\"total_tokens\":5}}\n\ndata: [DONE]\n\n";

// What the server does with a call: its number, from 0, decides.
enum class act {
  answer,         // whole or streamed, as asked
  refuse,         // 429 with Retry-After: 7
  refuse_mutely,  // 429 without
  shed,           // 503 with Retry-After: 10
  cut,            // a stream or a sized body that ends half-way
  hang_up,        // no answer at all
  never,          // no answer, and the connection stays
  interrupt,      // as if Ctrl-C were pressed; then never
};
using script = std::function<act(int number)>;

class scripted final : public net::http_handler {
 public:
  explicit scripted(script acts) : acts_{std::move(acts)} {}

  task<> handle(net::http_exchange& exchange) override {
    const act what = acts_(calls_++);
    ++by_authorization_[std::string{exchange.head().get(wire::field::authorization)}];
    const net::body_result body = co_await exchange.read_body(1024 * 1024, 5s);
    const bool stream = body.bytes.find("\"stream\":true") != std::string_view::npos;
    switch (what) {
      case act::answer:
        co_await answer(exchange, stream, false);
        break;
      case act::cut:
        co_await answer(exchange, true, true);
        break;
      case act::refuse:
        co_await refuse_with(exchange, 429, "7");
        break;
      case act::refuse_mutely:
        co_await refuse_with(exchange, 429, "");
        break;
      case act::shed:
        co_await refuse_with(exchange, 503, "10");
        break;
      case act::hang_up:
        break;
      case act::interrupt:
        ::raise(SIGINT);
        [[fallthrough]];
      case act::never:
        const mono_time later = exchange.owner().time().mono() + 20s;
        exchange.watch_caller(nullptr);
        while (!exchange.gone() && exchange.owner().time().mono() < later) {
          const mono_time soon = exchange.owner().time().mono() + 20ms;
          co_await exchange.owner().sleep_until(soon);
        }
        break;
    }
  }
  task<> refuse(net::http_exchange& exchange, const wire::http_error& error) override {
    net::response_head head{error.status};
    const std::string_view nothing;
    co_await exchange.send(std::move(head), nothing);
  }

  [[nodiscard]] int calls() const { return calls_; }
  [[nodiscard]] const std::map<std::string, int>& by_authorization() const {
    return by_authorization_;
  }

 private:
  static task<> refuse_with(net::http_exchange& exchange, int status, std::string_view after) {
    net::response_head head{status};
    head.add("Content-Type", "application/json");
    if (!after.empty()) head.add("Retry-After", after);
    const std::string_view body = R"({"error":{}})";
    co_await exchange.send(std::move(head), body);
  }

  static task<> answer(net::http_exchange& exchange, bool stream, bool cut) {
    net::response_head head{200};
    if (!stream) {
      head.add("Content-Type", "application/json");
      co_await exchange.send(std::move(head), whole);
      co_return;
    }
    head.add("Content-Type", "text/event-stream");
    exchange.begin_stream(std::move(head));
    net::io_status status = net::io_status::ok;
    const iovec first{const_cast<char*>(beginning.data()), beginning.size()};
    const iovec last{const_cast<char*>(rest.data()), rest.size()};
    exchange.try_send_chunk({&first, 1}, status);
    if (cut) {
      exchange.abort();
      co_return;
    }
    exchange.try_send_chunk({&last, 1}, status);
    co_await exchange.end_stream();
  }

  script acts_;
  int calls_{0};
  std::map<std::string, int> by_authorization_;
};

// A server with its own thread while it lives.
class server {
 public:
  explicit server(script acts) : handler_{std::move(acts)} {
    EXPECT_TRUE(http_.listen("127.0.0.1", 0));
    port_ = http_.port();
    thread_ = std::thread{[this] { loop_.run(); }};
  }
  ~server() { stop(); }
  // After this its counts may be read.
  const scripted& stop() {
    if (thread_.joinable()) {
      loop_.post([this] {
        http_.drain();
        http_.abort_all();
        stop_when_idle();
      });
      thread_.join();
    }
    return handler_;
  }
  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

 private:
  // Coroutines end before the loop does.
  void stop_when_idle() {
    if (spawned_.running.load() == 0) return loop_.stop();
    timer_.expires_after(5ms);
    timer_.async_wait([this](const boost::system::error_code&) { stop_when_idle(); });
  }

  net::system_clock time_;
  observe::log_options quiet_{observe::log_level::off};
  observe::logger log_{quiet_, time_};
  net::loop loop_{time_};
  boost::asio::steady_timer timer_{loop_.io()};
  net::spawn_counters spawned_;
  scripted handler_;
  net::http_server http_{loop_, handler_, {}, log_, spawned_, nullptr};
  std::uint16_t port_{0};
  std::thread thread_;
};

// 5 users, 20 calls each in half a second.
stress_options short_run(const std::string& url) {
  stress_options o;
  o.url = url;
  o.users = 5;
  o.rate = 40;
  o.duration = 500ms;
  o.timeout = 10s;
  return o;
}

stress_result run(const stress_options& options, stress_viewer* viewer = nullptr) {
  const net::system_clock time;
  const observe::log_options quiet{observe::log_level::off};
  observe::logger log{quiet, time};
  const auto plan = make_plan(options, time.now());
  auto ran = run_plan(plan.value(), options, time, log, viewer);
  return std::move(ran.value());
}

bool fails(const stress_options& options, const stress_result& ran, std::string_view name) {
  for (const auto& one : make_report(options, ran).checks)
    if (one.name == name) return one.state == check_state::fail;
  return false;
}

TEST(stress_run, whole_answers_and_streams_are_all_received) {
  server at{[](int) { return act::answer; }};
  stress_options o = short_run(at.url() + "/v1");
  o.limit = 0;
  const stress_result ran = run(o);
  EXPECT_EQ(ran.tally.sent, 100);
  EXPECT_EQ(ran.tally.with_status(200), 100);
  EXPECT_GT(ran.tally.streams, 20);
  EXPECT_LT(ran.tally.streams, 80);
  EXPECT_EQ(ran.tally.first_token.count(), ran.tally.streams);
  EXPECT_EQ(ran.tally.latency.count(), 100);
  EXPECT_EQ(ran.tally.tokens, 200);
  EXPECT_GE(ran.elapsed, 500ms);
  EXPECT_TRUE(passed(make_report(o, ran).checks));
  EXPECT_EQ(at.stop().calls(), 100);
}

TEST(stress_run, each_user_calls_with_a_token_of_its_own) {
  server at{[](int) { return act::answer; }};
  stress_options o = short_run(at.url());
  o.secret = "0123456789abcdef0123456789abcdef";
  run(o);
  const auto& seen = at.stop().by_authorization();
  EXPECT_EQ(seen.size(), 5U);
  for (const auto& [line, calls] : seen) {
    EXPECT_TRUE(line.starts_with("Bearer "));
    EXPECT_EQ(calls, 20);
  }
}

TEST(stress_run, refusals_with_retry_after_pass_and_are_counted) {
  server at{[](int number) { return number < 10 ? act::answer : act::refuse; }};
  const stress_options o = short_run(at.url());
  const stress_result ran = run(o);
  EXPECT_EQ(ran.tally.with_status(200), 10);
  EXPECT_EQ(ran.tally.with_status(429), 90);
  EXPECT_EQ(ran.tally.retry_429.good, 90);
  EXPECT_EQ(ran.tally.retry_429.min_s, 7);
  EXPECT_TRUE(passed(make_report(o, ran).checks));
}

TEST(stress_run, one_refusal_without_retry_after_fails) {
  server at{[](int number) {
    return number < 10 ? act::answer : number == 50 ? act::refuse_mutely : act::refuse;
  }};
  const stress_options o = short_run(at.url());
  const stress_result ran = run(o);
  EXPECT_EQ(ran.tally.retry_429.absent, 1);
  EXPECT_TRUE(fails(o, ran, "retry_after"));
}

TEST(stress_run, shedding_with_nothing_in_flight_fails) {
  server at{[](int number) { return number % 2 == 0 ? act::answer : act::shed; }};
  const stress_options o = short_run(at.url());
  const stress_result ran = run(o);
  EXPECT_EQ(ran.tally.with_status(503), 50);
  EXPECT_EQ(ran.tally.retry_503.max_s, 10);
  EXPECT_TRUE(fails(o, ran, "pressure"));
}

TEST(stress_run, a_cut_stream_is_an_answer_that_is_not_whole) {
  server at{[](int number) { return number == 5 ? act::cut : act::answer; }};
  stress_options o = short_run(at.url());
  o.stream = 1;
  const stress_result ran = run(o);
  EXPECT_EQ(ran.tally.with_status(200), 100);
  EXPECT_EQ(ran.tally.faults[static_cast<std::size_t>(answer_fault::cut)], 1);
  EXPECT_EQ(ran.tally.transport_errors(), 0);
  EXPECT_TRUE(fails(o, ran, "whole"));
}

TEST(stress_run, a_refused_connection_is_a_transport_error) {
  std::string url;
  {
    server gone{[](int) { return act::answer; }};
    url = gone.url();
  }
  const stress_options o = short_run(url);
  const stress_result ran = run(o);
  EXPECT_EQ(ran.tally.ends[static_cast<std::size_t>(call_end::refused)], 100);
  EXPECT_TRUE(fails(o, ran, "transport"));
  EXPECT_TRUE(fails(o, ran, "admitted"));
}

// On a reused connection a hang-up may mean that the server had closed it: one more try.
TEST(stress_run, a_hang_up_is_retried_once_and_only_on_a_reused_connection) {
  server at{[](int number) { return number == 0 ? act::hang_up : act::answer; }};
  stress_options o = short_run(at.url());
  o.users = 1;
  o.rate = 10;
  o.duration = 1s;
  const stress_result first = run(o);
  EXPECT_EQ(first.tally.ends[static_cast<std::size_t>(call_end::reset)], 1);
  EXPECT_EQ(first.tally.sent, 10);
  server later{[](int number) { return number == 3 ? act::hang_up : act::answer; }};
  o.url = later.url();
  const stress_result ran = run(o);
  EXPECT_EQ(ran.tally.transport_errors(), 0);
  EXPECT_EQ(ran.tally.with_status(200), 10);
  EXPECT_EQ(later.stop().calls(), 11);
}

TEST(stress_run, a_call_that_is_never_answered_times_out) {
  server at{[](int number) { return number == 1 ? act::never : act::answer; }};
  stress_options o = short_run(at.url());
  o.timeout = 1s;
  const stress_result ran = run(o);
  EXPECT_GE(ran.tally.ends[static_cast<std::size_t>(call_end::timeout)], 1);
  EXPECT_EQ(ran.tally.sent, 100);
}

// Answers stop coming, calls go on being sent: the loop is open.
TEST(stress_run, calls_are_sent_on_time_whatever_answers_do_and_bounded) {
  server at{[](int) { return act::never; }};
  stress_options o = short_run(at.url());
  o.timeout = 2s;
  o.in_flight = 60;
  const stress_result ran = run(o);
  EXPECT_EQ(ran.tally.sent, 60);
  EXPECT_EQ(ran.tally.unsent, 40);
  EXPECT_TRUE(fails(o, ran, "offered"));
}

TEST(stress_run, ctrl_c_ends_the_run_early_with_what_was_seen) {
  server at{[](int number) {
    return number < 20 ? act::answer : number == 30 ? act::interrupt : act::never;
  }};
  stress_options o = short_run(at.url());
  o.duration = 1h;
  const stress_result ran = run(o);
  EXPECT_TRUE(ran.ended_early);
  EXPECT_LT(ran.elapsed, 30s);
  EXPECT_GT(ran.tally.sent, 0);
  EXPECT_LE(ran.tally.sent, 20);
  EXPECT_EQ(ran.tally.with_status(200), ran.tally.sent);
  EXPECT_GE(ran.tally.ends[static_cast<std::size_t>(call_end::abandoned)], 10);
  EXPECT_EQ(ran.tally.transport_errors(), 0);
  EXPECT_NE(to_text(make_report(o, ran), false).find("ended early"), std::string::npos);
}

TEST(stress_run, a_viewer_is_shown_the_run_while_it_goes_on) {
  struct counter final : stress_viewer {
    int looks{0};
    std::int64_t last{0};
    void look(const stress_tally& tally, microseconds, std::size_t) override {
      ++looks;
      EXPECT_GE(tally.sent, last);
      last = tally.sent;
    }
  } seen;
  server at{[](int) { return act::answer; }};
  run(short_run(at.url()), &seen);
  EXPECT_GE(seen.looks, 1);
  EXPECT_GT(seen.last, 0);
}

}  // namespace
}  // namespace weir::sim
