// Connecting and keeping connections: reuse, connections that died while they waited, servers that
// cannot be reached.
#include <netinet/in.h>
#include <sys/socket.h>

#include "net/client_support.hpp"

namespace weir::net {
namespace {

const std::string_view fine = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

// A pool and the server at its other end, after one exchange.
struct pair {
  explicit pair(world& in, microseconds max_idle = 60s)
      : w{in}, pool{in.on, here(listener.port()), max_idle} {}
  wire_end first() {
    std::optional<exchanged> done;
    w.start(exchange_into(w, pool, get("/"), slot, done));
    wire_end server = listener.accept();
    finish(server, done);
    return server;
  }
  void finish(wire_end& server, const std::optional<exchanged>& done) {
    server.read_through("\r\n\r\n");
    server.send(fine);
    EXPECT_TRUE(w.until([&] { return done.has_value(); }));
    EXPECT_EQ(done->body, "ok");
  }
  world& w;
  wire_listener listener{w};
  connection_pool pool;
  wait_slot slot;
};

TEST(connection_pool, uses_a_connection_again) {
  world w;
  pair p{w};
  wire_end server = p.first();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(p.pool.idle(), 1U);
    std::optional<exchanged> done;
    w.start(exchange_into(w, p.pool, get("/"), p.slot, done));
    p.finish(server, done);
    EXPECT_TRUE(done->reused);
  }
  EXPECT_EQ(p.pool.counters().connects, 1);
  EXPECT_EQ(p.pool.counters().reuses, 3);
}

TEST(connection_pool, drops_an_idle_connection_that_its_server_closes) {
  for (const bool reset : {false, true}) {
    world w;
    pair p{w};
    wire_end server = p.first();
    server.close(reset);
    EXPECT_TRUE(w.until([&] { return p.pool.idle() == 0; }));
    EXPECT_EQ(p.pool.counters().closed_idle, 1);
    p.first();
    EXPECT_EQ(p.pool.counters().connects, 2);
  }
}

TEST(connection_pool, drops_an_idle_connection_that_speaks_out_of_turn) {
  world w;
  pair p{w};
  wire_end server = p.first();
  server.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil");
  EXPECT_TRUE(w.until([&] { return p.pool.idle() == 0; }));
  EXPECT_TRUE(server.ends());
}

TEST(connection_pool, finds_out_on_use_where_the_close_was_not_seen_yet) {
  world w;
  pair p{w};
  p.first().close();
  std::optional<exchanged> done;
  w.start(exchange_into(w, p.pool, get("/"), p.slot, done));  // the loop has not turned
  EXPECT_TRUE(w.until([&] { return done.has_value(); }));
  EXPECT_TRUE(done->reused);
  EXPECT_EQ(done->answered, answer_status::closed_unanswered);
}

TEST(connection_pool, does_not_use_what_was_idle_for_too_long) {
  world w;
  pair p{w, 30s};
  wire_end old = p.first();
  w.pass(29s);
  std::optional<exchanged> done;
  w.start(exchange_into(w, p.pool, get("/"), p.slot, done));
  p.finish(old, done);
  EXPECT_TRUE(done->reused);
  w.pass(31s);
  wire_end fresh = p.first();
  EXPECT_TRUE(old.ends());
  EXPECT_EQ(p.pool.counters().connects, 2);
}

TEST(connection_pool, connects_anew_where_that_is_wanted) {
  world w;
  pair p{w};
  wire_end server = p.first();
  const auto run = [](pair& in) -> task<bool> {
    const lease line = co_await in.pool.acquire(5s, true, in.slot);
    co_return line.status == connect_status::ok && !line.reused;
  };
  EXPECT_TRUE(w.run(run(p)));
  EXPECT_EQ(p.pool.idle(), 1U);
}

TEST(connection_pool, keeps_several_and_closes_all_when_it_is_cleared) {
  world w;
  pair p{w};
  std::vector<std::unique_ptr<std::optional<exchanged>>> done;
  std::vector<wire_end> servers;
  for (int i = 0; i < 5; ++i) {
    done.push_back(std::make_unique<std::optional<exchanged>>());
    w.start(exchange_into(w, p.pool, get("/"), p.slot, *done.back()));
    servers.push_back(p.listener.accept());
  }
  for (std::size_t i = 0; i < 5; ++i) p.finish(servers[i], *done[i]);
  EXPECT_EQ(p.pool.idle(), 5U);
  p.pool.clear();
  for (auto& one : servers) EXPECT_TRUE(one.ends());
}

// A pool may be replaced by a reload while a caller connects through it.
TEST(connection_pool, may_go_while_its_connections_are_in_use) {
  world w;
  wire_listener l{w};
  auto pool = std::make_unique<connection_pool>(w.on, here(l.port()), 60s);
  const auto run = [](connection_pool& from, wait_slot& slot, lease& into) -> task<> {
    into = co_await from.acquire(5s, false, slot);
  };
  wait_slot slot;
  lease line;
  w.start(run(*pool, slot, line));
  pool.reset();
  wire_end server = l.accept();
  EXPECT_TRUE(w.until([&] { return line.socket != nullptr; }));
  line.socket.reset();
  EXPECT_TRUE(server.ends());
}

connect_status status_of(world& w, const endpoint& where, microseconds patience = 5s) {
  const auto run = [](loop& on, endpoint to, microseconds time) -> task<connect_status> {
    wait_slot slot;
    const lease line = co_await connect(on, std::move(to), time, slot);
    EXPECT_EQ(line.socket != nullptr, line.status == connect_status::ok);
    co_return line.status;
  };
  return w.run(run(w.on, where, patience));
}

TEST(connecting, tells_a_refusal_from_a_name_that_is_none) {
  world w;
  std::uint16_t nobody = 0;
  {
    wire_listener l{w};
    nobody = l.port();
    EXPECT_EQ(status_of(w, here(l.port())), connect_status::ok);
    EXPECT_EQ(status_of(w, here(l.port(), nullptr, "localhost")), connect_status::ok);
  }
  EXPECT_EQ(status_of(w, here(nobody)), connect_status::refused);
  EXPECT_EQ(status_of(w, here(nobody, nullptr, "localhost")), connect_status::refused);
  EXPECT_EQ(status_of(w, here(80, nullptr, "name.invalid")), connect_status::unresolved);
}

// A listener whose queue is full answers no SYN, as a host behind a firewall does.
struct silent_host {
  explicit silent_host(world& w) : listener{w, 0} {
    for (int i = 0; i < 8; ++i) {
      const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
      fill.emplace_back(w, fd);
      sockaddr_in at{};
      socklen_t size = sizeof at;
      at.sin_family = AF_INET;
      at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      at.sin_port = htons(listener.port());
      ::connect(fd, reinterpret_cast<const sockaddr*>(&at), size);
    }
  }
  wire_listener listener;
  std::vector<wire_end> fill;
};

TEST(connecting, has_a_deadline) {
  world w;
  silent_host host{w};
  std::optional<connect_status> done;
  const auto run = [](loop& on, endpoint to, wait_slot& slot,
                      std::optional<connect_status>& into) -> task<> {
    const lease line = co_await connect(on, std::move(to), 5s, slot);
    into = line.status;
  };
  wait_slot slot;
  w.start(run(w.on, here(host.listener.port()), slot, done));
  w.settle();
  w.pass(4900ms);
  EXPECT_FALSE(done.has_value());
  w.pass(200ms);
  EXPECT_EQ(done, connect_status::timeout);
  done.reset();
  w.start(run(w.on, here(host.listener.port()), slot, done));
  w.settle();
  EXPECT_FALSE(done.has_value());
  slot.give_up();
  EXPECT_EQ(done, connect_status::interrupted);
}

// A look-up cannot be stopped, but nobody has to wait for it. The name has no address anyway.
TEST(connecting, does_not_wait_for_a_name_that_was_given_up) {
  world w;
  for (const bool given_up : {true, false}) {
    std::optional<connect_status> done;
    const auto run = [](loop& on, wait_slot& slot, std::optional<connect_status>& into) -> task<> {
      const endpoint where = here(80, nullptr, "slow.invalid");
      const lease line = co_await connect(on, where, 1s, slot);
      into = line.status;
    };
    wait_slot slot;
    w.start(run(w.on, slot, done));
    ASSERT_FALSE(done.has_value());
    if (given_up) {
      slot.give_up();
      EXPECT_EQ(done, connect_status::interrupted);
    }
    w.until([&] { return done.has_value(); });
  }
}

}  // namespace
}  // namespace weir::net
