// Answers as servers really send them: framed in each way, late, broken off, wrong.
#include "net/client_support.hpp"

namespace weir::net {
namespace {

// Plays one exchange: the request is read, `reply` sent, and the connection closed where asked.
exchanged play(world& w, std::string_view reply, bool close, bool to_head = false) {
  wire_listener l{w};
  connection_pool pool{w.on, here(l.port()), 60s};
  wait_slot slot;
  std::optional<exchanged> done;
  const auto run = [](world& in, connection_pool& p, wait_slot& s, bool head,
                      std::optional<exchanged>& into) -> task<> {
    std::string request = get("/");
    into = co_await exchange_over(in.on, p, std::move(request), s, 5s, head);
  };
  w.start(run(w, pool, slot, to_head, done));
  wire_end server = l.accept();
  server.read_through("\r\n\r\n");
  for (const char byte : reply) {
    server.send({&byte, 1});
    if (reply.size() < 300) w.on.io().poll();
  }
  if (close) server.close();
  EXPECT_TRUE(w.until([&] { return done.has_value(); }));
  return done.value_or(exchanged{});
}

TEST(http_answer, of_a_given_size_is_read_and_its_connection_kept) {
  world w;
  const auto got = play(w, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", false);
  EXPECT_EQ(got.answered, answer_status::ok);
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.body, "hello");
  EXPECT_TRUE(got.kept);
}

TEST(http_answer, in_chunks_is_read_and_its_connection_kept) {
  world w;
  const auto got = play(w,
                        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                        "5\r\nhello\r\n6;x\r\n world\r\n0\r\nX-Sum: 1\r\n\r\n",
                        false);
  EXPECT_EQ(got.answered, answer_status::ok);
  EXPECT_EQ(got.body, "hello world");
  EXPECT_TRUE(got.kept);
}

TEST(http_answer, until_close_is_read_and_its_connection_is_not_kept) {
  world w;
  const auto got = play(w, "HTTP/1.1 200 OK\r\n\r\nhello", true);
  EXPECT_EQ(got.answered, answer_status::ok);
  EXPECT_EQ(got.body, "hello");
  EXPECT_FALSE(got.kept);
}

TEST(http_answer, without_a_body_ends_with_its_head) {
  world w;
  EXPECT_TRUE(play(w, "HTTP/1.1 204 No Content\r\n\r\n", false).kept);
  EXPECT_TRUE(play(w, "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", false).kept);
  EXPECT_TRUE(play(w, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", false, true).kept);
}

TEST(http_answer, comes_after_any_number_of_interim_ones) {
  world w;
  const auto got = play(w,
                        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
                        "HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok",
                        false);
  EXPECT_EQ(got.status, 201);
  EXPECT_EQ(got.body, "ok");
  EXPECT_TRUE(got.kept);
}

TEST(http_answer, is_not_kept_where_the_server_closes_or_says_too_much) {
  world w;
  EXPECT_FALSE(
      play(w, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", false).kept);
  EXPECT_FALSE(play(w, "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", false).kept);
}

// All in one packet, so that the bytes beyond the answer come with it.
TEST(http_answer, with_bytes_behind_its_end_spoils_its_connection) {
  for (const char* reply : {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok!",
                            "HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1",
                            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nx"}) {
    world w;
    wire_listener l{w};
    connection_pool pool{w.on, here(l.port()), 60s};
    wait_slot slot;
    std::optional<exchanged> done;
    w.start(exchange_into(w, pool, get("/"), slot, done));
    wire_end server = l.accept();
    server.read_through("\r\n\r\n");
    server.send(reply);
    ASSERT_TRUE(w.until([&] { return done.has_value(); }));
    EXPECT_EQ(done->answered, answer_status::ok);
    EXPECT_FALSE(done->kept) << reply;
  }
}

TEST(http_answer, that_does_not_come_is_told_from_one_that_breaks_off) {
  world w;
  EXPECT_EQ(play(w, "", true).answered, answer_status::closed_unanswered);
  EXPECT_EQ(play(w, "HTTP/1.1 200 O", true).answered, answer_status::closed);
  EXPECT_EQ(play(w, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell", true).answered,
            answer_status::closed);
  EXPECT_EQ(
      play(w, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", true).answered,
      answer_status::closed);
}

TEST(http_answer, that_is_none_is_malformed) {
  world w;
  EXPECT_EQ(play(w, "SSH-2.0-OpenSSH_9.2\r\n", false).answered, answer_status::malformed);
  EXPECT_EQ(play(w, "HTTP/2 200\r\n\r\n", false).answered, answer_status::malformed);
  EXPECT_EQ(
      play(w, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", false).answered,
      answer_status::malformed);
  EXPECT_EQ(play(w, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", false).answered,
            answer_status::malformed);
  EXPECT_EQ(play(w, "HTTP/1.1 200 OK\r\nX: " + std::string(70000, 'x'), false).answered,
            answer_status::malformed);
}

TEST(http_answer, has_a_deadline_for_its_head_and_its_body) {
  for (const char* reply : {"", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell"}) {
    world w;
    wire_listener l{w};
    connection_pool pool{w.on, here(l.port()), 60s};
    wait_slot slot;
    std::optional<exchanged> done;
    w.start(exchange_into(w, pool, get("/"), slot, done));
    wire_end server = l.accept();
    server.read_through("\r\n\r\n");
    server.send(reply);
    w.settle();
    w.pass(4900ms);
    EXPECT_FALSE(done.has_value());
    w.pass(200ms);
    ASSERT_TRUE(done.has_value());
    EXPECT_EQ(done->answered, answer_status::timeout);
    EXPECT_TRUE(server.ends());
  }
}

// The deadline passes while nobody waits on the connection: a wait that begins later must not last.
TEST(http_answer, has_a_deadline_that_holds_where_it_passed_between_two_reads) {
  world w;
  wire_listener l{w};
  gate go;
  std::optional<io_status> second;
  const auto run = [](world& in, std::uint16_t port, gate& between,
                      std::optional<io_status>& out) -> task<> {
    wait_slot slot;
    const endpoint where = here(port);
    lease line = co_await connect(in.on, where, 5s, slot);
    line.socket->expires_at(in.time.mono() + 1s);
    co_await between;
    out = co_await line.socket->readable();
    line.socket->expires_at(in.time.mono() + 1s);
    out = co_await line.socket->readable();
  };
  w.start(run(w, l.port(), go, second));
  wire_end server = l.accept();
  w.until([&] { return go.reached(); });
  w.pass(2s);
  go.open();
  EXPECT_EQ(second, io_status::timeout);
  w.settle();
  server.send("x");
  EXPECT_TRUE(w.until([&] { return second == io_status::ok; }));
}

// Given up within a moment, whatever it is waiting for.
TEST(http_answer, may_be_given_up_while_its_head_or_body_is_awaited) {
  for (const char* reply :
       {"", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\r\nhalf"}) {
    world w;
    wire_listener l{w};
    connection_pool pool{w.on, here(l.port()), 60s};
    wait_slot slot;
    std::optional<exchanged> done;
    w.start(exchange_into(w, pool, get("/"), slot, done));
    wire_end server = l.accept();
    server.read_through("\r\n\r\n");
    server.send(reply);
    w.settle();
    EXPECT_FALSE(done.has_value());
    slot.give_up();
    ASSERT_TRUE(done.has_value()) << "not at once";
    EXPECT_EQ(done->answered, answer_status::interrupted);
    EXPECT_TRUE(server.ends());
    slot.give_up();  // again, after the end
    w.settle();
  }
}

TEST(http_answer, is_not_waited_for_by_who_has_given_up_before) {
  world w;
  wire_listener l{w};
  connection_pool pool{w.on, here(l.port()), 60s};
  wait_slot slot;
  slot.give_up();
  const exchanged got = w.run(exchange_over(w.on, pool, get("/"), slot));
  EXPECT_EQ(got.connected, connect_status::interrupted);
}

// A connection that is dropped while a wait on it is outstanding is closed, not leaked.
TEST(connections, are_closed_by_letting_go_of_them) {
  world w;
  wire_listener l{w};
  const auto run = [](world& in, std::uint16_t port) -> task<> {
    wait_slot slot;
    const endpoint where = here(port);
    const lease line = co_await connect(in.on, where, 5s, slot);
    line.socket->expires_at(in.time.mono() + 1s);
    const io_status waited = co_await line.socket->readable();
    EXPECT_EQ(waited, io_status::timeout);
  };
  w.start(run(w, l.port()));
  wire_end server = l.accept();
  w.settle();
  w.pass(1100ms);
  EXPECT_TRUE(server.ends());
}

// One coroutine reads, one writes; both must hear of a deadline and of an interruption.
TEST(connections, wake_the_reader_and_the_writer) {
  for (const bool interrupted : {false, true}) {
    world w;
    wire_listener l{w};
    connection_ptr socket;
    std::vector<io_status> seen;
    const auto join = [](world& in, std::uint16_t port, connection_ptr& into) -> task<> {
      wait_slot slot;
      const endpoint where = here(port);
      const lease line = co_await connect(in.on, where, 5s, slot);
      into = line.socket;
    };
    const auto read = [](connection_ptr from, std::vector<io_status>& out) -> task<> {
      out.push_back(co_await from->readable());
    };
    const auto write = [](connection_ptr to, std::vector<io_status>& out) -> task<> {
      const std::string big(32 << 20, 'x');
      const std::string_view bytes = big;
      out.push_back(co_await to->write_all(bytes, 3s));
    };
    w.start(join(w, l.port(), socket));
    wire_end server = l.accept();
    ASSERT_TRUE(w.until([&] { return socket != nullptr; }));
    w.start(write(socket, seen));
    w.start(read(socket, seen));
    w.settle();
    if (interrupted) {
      socket->interrupt();
    } else {
      w.pass(3100ms);
    }
    const io_status expected = interrupted ? io_status::interrupted : io_status::timeout;
    EXPECT_EQ(seen, (std::vector<io_status>{expected, expected}));
    socket->close();
  }
}

}  // namespace
}  // namespace weir::net
