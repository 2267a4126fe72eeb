// Several loops in threads of their own on one port, as in the real process: what they share is
// counters, the log and the TLS context. Worth most under the thread sanitizer.
#include <atomic>
#include <latch>
#include <thread>

#include "net/certificates.hpp"
#include "net/client_support.hpp"
#include "net/system_clock.hpp"

namespace weir::net {
namespace {

// One thread's loop with a server on a port that others listen on too.
struct seat {
  seat(const clock& time, observe::logger& log, spawn_counters& spawned, const tls_context* tls)
      : on{time}, handler{echo}, server{on, handler, {}, log, spawned, tls} {}
  loop on;
  function_handler handler;
  http_server server;
  std::thread runs;
};

struct tally {
  std::atomic<int> good{0};
  std::atomic<int> bad{0};
  std::atomic<int> ended{0};
};

task<> callers(loop& on, endpoint where, int calls, tally& seen) {
  connection_pool pool{on, std::move(where), 60s};
  for (int i = 0; i < calls; ++i) {
    wait_slot slot;
    std::string request = post("/t", std::to_string(i));
    const exchanged got = co_await exchange_over(on, pool, std::move(request), slot);
    ++(got.body == "POST /t " + std::to_string(i) ? seen.good : seen.bad);
    if (i % 5 == 4) pool.clear();
  }
  ++seen.ended;
}

class shared_port : public testing::TestWithParam<bool> {};

TEST_P(shared_port, is_served_by_several_threads) {
  constexpr int threads = 3;
  constexpr int calls = 40;
  const system_clock time;
  observe::log_options quiet;
  quiet.level = observe::log_level::off;
  quiet.fd = 2;
  observe::logger log{quiet, time};
  const certificate made{"IP:127.0.0.1"};
  const tls_context as_server = tls_context::server(made.cert_file(), made.key_file()).value();
  const tls_context as_client = tls_context::client(made.cert_file(), true).value();
  spawn_counters spawned;
  std::vector<std::unique_ptr<seat>> seats;
  std::uint16_t port = 0;
  for (int i = 0; i < threads; ++i) {
    seats.push_back(std::make_unique<seat>(time, log, spawned, GetParam() ? &as_server : nullptr));
    const port_use use = i == 0 ? port_use::first_of_all : port_use::with_others;
    ASSERT_TRUE(seats.back()->server.listen("127.0.0.1", port, use));
    port = seats.back()->server.port();
  }
  tally seen;
  for (auto& one : seats) {
    const endpoint where = here(port, GetParam() ? &as_client : nullptr);
    one->on.post([&on = one->on, &log, &spawned, where, &seen] {
      spawn(callers(on, where, calls, seen), "callers", log, spawned);
    });
    one->runs = std::thread{[&on = one->on] { on.run(); }};
  }
  // Asked from here until all have ended; posting is what other threads may do.
  while (seen.ended.load() < threads) {
    for (auto& one : seats) {
      std::latch ran{1};
      one->on.post([&ran] { ran.count_down(); });
      ran.wait();
    }
  }
  for (auto& one : seats) one->on.post([&server = one->server] { server.drain(); });
  for (auto& one : seats) one->runs.join();  // a drained loop has nothing left to do
  EXPECT_EQ(seen.good.load(), threads * calls);
  EXPECT_EQ(seen.bad.load(), 0);
  EXPECT_EQ(spawned.running.load(), 0);
  EXPECT_EQ(spawned.failed.load(), 0);
}

INSTANTIATE_TEST_SUITE_P(all, shared_port, testing::Bool(), [](const auto& info) {
  return std::string{info.param ? "over_tls" : "plain"};
});

}  // namespace
}  // namespace weir::net
