// TLS on both sides: who is trusted, which versions, and records that come in parts.
#include <sys/resource.h>

#include "net/certificates.hpp"
#include "net/client_support.hpp"
#include "net/tls_end.hpp"

namespace weir::net {
namespace {

struct secured {
  certificate made{"DNS:localhost,IP:127.0.0.1"};
  tls_context server{tls_context::server(made.cert_file(), made.key_file()).value()};
  tls_context trusting{tls_context::client(made.cert_file(), true).value()};
};

exchanged ask(world& w, const endpoint& where) {
  connection_pool pool{w.on, where, 60s};
  wait_slot slot;
  return w.run(exchange_over(w.on, pool, get("/x"), slot));
}

TEST(tls, carries_requests_and_keeps_connections) {
  world w;
  const secured tls;
  test_server s{w, echo, {}, &tls.server};
  connection_pool pool{w.on, here(s.server.port(), &tls.trusting, "localhost"), 60s};
  wait_slot slot;
  for (int i = 0; i < 5; ++i) {
    const exchanged got = w.run(exchange_over(w.on, pool, post("/p", "body"), slot));
    EXPECT_EQ(got.body, "POST /p body");
    EXPECT_EQ(got.reused, i > 0);
  }
}

TEST(tls, trusts_a_certificate_only_for_the_names_it_holds) {
  world w;
  const secured tls;
  test_server s{w, echo, {}, &tls.server};
  const auto port = s.server.port();
  EXPECT_EQ(ask(w, here(port, &tls.trusting, "localhost")).body, "GET /x ");
  EXPECT_EQ(ask(w, here(port, &tls.trusting, "127.0.0.1")).body, "GET /x ");

  const certificate elsewhere{"DNS:elsewhere,IP:192.0.2.1"};
  const tls_context wrong =
      tls_context::server(elsewhere.cert_file(), elsewhere.key_file()).value();
  const tls_context knows = tls_context::client(elsewhere.cert_file(), true).value();
  test_server other{w, echo, {}, &wrong};
  EXPECT_EQ(ask(w, here(other.server.port(), &knows, "localhost")).connected,
            connect_status::tls_failed);
  EXPECT_EQ(ask(w, here(other.server.port(), &knows, "127.0.0.1")).connected,
            connect_status::tls_failed);
  EXPECT_EQ(ask(w, here(other.server.port(), &tls.trusting, "localhost")).connected,
            connect_status::tls_failed);
}

TEST(tls, verifies_nothing_where_that_is_switched_off) {
  world w;
  const secured tls;
  const certificate elsewhere{"DNS:elsewhere"};
  const tls_context wrong =
      tls_context::server(elsewhere.cert_file(), elsewhere.key_file()).value();
  const tls_context careless = tls_context::client("", false).value();
  test_server s{w, echo, {}, &wrong};
  EXPECT_EQ(ask(w, here(s.server.port(), &careless, "localhost")).body, "GET /x ");
  EXPECT_EQ(ask(w, here(s.server.port(), &careless, "127.0.0.1")).body, "GET /x ");
}

TEST(tls, is_not_spoken_below_1_2) {
  for (const int version : {TLS1_VERSION, TLS1_1_VERSION, TLS1_2_VERSION, TLS1_3_VERSION}) {
    world w;
    const secured tls;
    test_server s{w, echo, {}, &tls.server};
    tls_end c{w, s.server.port(), version};
    EXPECT_EQ(c.handshake(), version >= TLS1_2_VERSION);
  }
}

TEST(tls, names_the_file_that_is_wrong) {
  const certificate one{"DNS:a"};
  const certificate two{"DNS:b"};
  const auto missing = tls_context::server("no-such-file", one.key_file());
  EXPECT_NE(missing.error().message.find("no-such-file"), std::string::npos);
  const auto mixed = tls_context::server(one.cert_file(), two.key_file());
  EXPECT_NE(mixed.error().message.find(two.key_file()), std::string::npos);
  const auto roots = tls_context::client("no-such-roots", true);
  EXPECT_NE(roots.error().message.find("no-such-roots"), std::string::npos);
}

TEST(tls, drops_what_is_no_handshake) {
  world w;
  const secured tls;
  test_server s{w, echo, {}, &tls.server};
  wire_end plain = s.connect();
  plain.send(get("/"));
  EXPECT_TRUE(plain.ends());
  wire_end silent = s.connect();
  w.settle();
  w.pass(9s);
  EXPECT_EQ(s.server.counters().connections, 1);
  w.pass(1100ms);
  EXPECT_TRUE(silent.ends());
  EXPECT_EQ(s.server.counters().connections, 0);
}

TEST(tls, handshake_that_does_not_end_has_a_deadline_and_can_be_given_up) {
  for (const bool given_up : {true, false}) {
    world w;
    const secured tls;
    wire_listener l{w};
    connection_pool pool{w.on, here(l.port(), &tls.trusting), 60s};
    wait_slot slot;
    std::optional<exchanged> done;
    w.start(exchange_into(w, pool, get("/"), slot, done));
    wire_end server = l.accept();
    w.settle();
    if (given_up) {
      slot.give_up();
      ASSERT_TRUE(done.has_value());
      EXPECT_EQ(done->connected, connect_status::interrupted);
    } else {
      w.pass(5100ms);
      ASSERT_TRUE(done.has_value());
      EXPECT_EQ(done->connected, connect_status::timeout);
    }
    server.read(5);  // the hello
    EXPECT_TRUE(server.ends());
  }
}

// A record of which a part has come cannot be read, and must not be waited for by spinning: the
// loop would stand still for all.
TEST(tls, waits_for_the_rest_of_a_record) {
  world w;
  const secured tls;
  test_server s{w, echo, {}, &tls.server};
  tls_end c{w, s.server.port()};
  ASSERT_TRUE(c.handshake());
  const std::string record = c.sealed(get("/parts"));
  for (std::size_t at = 0; at < record.size(); at += 7) {
    c.socket().send(std::string_view{record}.substr(at, 7));
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds{3};
    std::size_t turns = 0;
    while (std::chrono::steady_clock::now() < until)
      turns += w.on.io().run_one_for(std::chrono::milliseconds{2});
    ASSERT_LT(turns, 20U);
  }
  EXPECT_TRUE(c.read_through("/parts ").ends_with("GET /parts "));
}

TEST(tls, serves_another_caller_while_one_sends_half_a_record) {
  world w;
  const secured tls;
  test_server s{w, echo, {}, &tls.server};
  tls_end stuck{w, s.server.port()};
  ASSERT_TRUE(stuck.handshake());
  const std::string record = stuck.sealed(get("/stuck"));
  stuck.socket().send(std::string_view{record}.substr(0, record.size() / 2));
  w.settle();
  EXPECT_EQ(ask(w, here(s.server.port(), &tls.trusting)).body, "GET /x ");
}

TEST(tls, reads_requests_that_share_a_record) {
  world w;
  const secured tls;
  test_server s{w, echo, {}, &tls.server};
  tls_end c{w, s.server.port()};
  ASSERT_TRUE(c.handshake());
  const std::string head = "POST /1 HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\n";
  c.send(head + std::string(50, 'a'));
  w.settle();
  c.send(std::string(50, 'b') + get("/2") + get("/3"));
  c.read_through(std::string(50, 'a') + std::string(50, 'b'));
  c.read_through("GET /2 ");
  c.read_through("GET /3 ");
}

TEST(tls, announces_the_end_of_a_connection) {
  world w;
  const secured tls;
  test_server s{w, echo, {}, &tls.server};
  tls_end c{w, s.server.port()};
  ASSERT_TRUE(c.handshake());
  c.send(get("/", "Connection: close\r\n"));
  EXPECT_TRUE(c.ends_in_order());
}

TEST(tls, tells_a_hang_up_while_the_handler_waits) {
  for (const bool announced : {true, false}) {
    world w;
    const secured tls;
    gate go;
    told listener;
    test_server s{w,
                  [&](http_exchange& x) -> task<> {
                    x.watch_caller(&listener);
                    co_await go;
                  },
                  {},
                  &tls.server};
    tls_end c{w, s.server.port()};
    ASSERT_TRUE(c.handshake());
    c.send(get("/"));
    ASSERT_TRUE(w.until([&] { return go.reached(); }));
    c.send(get("/2"));
    w.settle();
    EXPECT_EQ(listener.gone, 0);
    if (announced) ::SSL_shutdown(c.session());
    c.socket().close();
    EXPECT_TRUE(w.until([&] { return listener.gone == 1; }));
    go.open();
  }
}

// The descriptor of a closed connection may be somebody else's already.
TEST(tls, writes_nothing_to_a_connection_that_was_closed) {
  world w;
  const secured tls;
  test_server s{w, echo, {}, &tls.server};
  const auto run = [](world& in, endpoint where) -> task<bool> {
    wire_listener other{in};
    wait_slot slot;
    const lease line = co_await connect(in.on, std::move(where), 5s, slot);
    const int number = line.socket->native_handle();
    line.socket->close();
    wire_end taken = wire_end::to(in, other.port());
    wire_end peer = other.accept();
    EXPECT_TRUE(taken.fd() == number || peer.fd() == number);
    char bytes[16];
    EXPECT_EQ(line.socket->try_read(bytes).status, io_status::error);
    const io_status wrote = co_await line.socket->write_all("secret", 1s);
    EXPECT_EQ(wrote, io_status::error);
    co_return peer.arrived().empty() && taken.arrived().empty();
  };
  EXPECT_TRUE(w.run(run(w, here(s.server.port(), &tls.trusting))));
}

}  // namespace
}  // namespace weir::net
