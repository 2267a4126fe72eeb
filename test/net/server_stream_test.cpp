// Streamed answers: framing by version, order behind a slow caller, and how a stream ends or is
// cut.
#include <sys/socket.h>

#include "net/support.hpp"

namespace weir::net {
namespace {

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

task<io_status> chunk(http_exchange& x, std::string text) {
  const iovec one{text.data(), text.size()};
  const std::span<const iovec> pieces{&one, 1};
  io_status status = io_status::ok;
  if (!x.try_send_chunk(pieces, status)) status = co_await x.flush();
  co_return status;
}

task<> two_chunks(http_exchange& x) {
  response_head head{200};
  x.begin_stream(std::move(head));
  co_await chunk(x, "hello ");
  co_await chunk(x, "world");
  co_await x.end_stream();
}

TEST(stream, is_chunked_in_http_1_1_and_keeps_the_connection) {
  world w;
  test_server s{w, two_chunks};
  wire_end c = s.connect();
  for (int i = 0; i < 2; ++i) {
    c.send(get("/"));
    const std::string got = c.read_through("0\r\n\r\n");
    EXPECT_TRUE(has(got, "Transfer-Encoding: chunked\r\n"));
    EXPECT_FALSE(has(got, "Content-Length"));
    EXPECT_TRUE(got.ends_with("\r\n\r\n6\r\nhello \r\n5\r\nworld\r\n0\r\n\r\n"));
  }
}

TEST(stream, ends_with_the_connection_in_http_1_0) {
  for (const char* fields : {"", "Connection: keep-alive\r\n"}) {
    world w;
    test_server s{w, two_chunks};
    wire_end c = s.connect();
    c.send("GET / HTTP/1.0\r\n" + std::string{fields} + "\r\n");
    const std::string got = c.read_to_end();
    EXPECT_FALSE(has(got, "Transfer-Encoding"));
    EXPECT_TRUE(has(got, "Connection: close\r\n"));
    EXPECT_TRUE(got.ends_with("\r\n\r\nhello world"));
    EXPECT_FALSE(c.was_reset());
  }
}

TEST(stream, has_a_head_alone_for_head) {
  world w;
  test_server s{w, two_chunks};
  wire_end c = s.connect();
  c.send("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_TRUE(c.read_through("\r\n\r\n").starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_EQ(c.arrived(), "");
  c.send(get("/"));
  EXPECT_TRUE(c.read_through("0\r\n\r\n").ends_with("world\r\n0\r\n\r\n"));
}

TEST(stream, without_chunks_is_whole_all_the_same) {
  world w;
  test_server s{w, [](http_exchange& x) -> task<> {
                  response_head head{200};
                  x.begin_stream(std::move(head));
                  co_await x.end_stream();
                }};
  wire_end c = s.connect();
  c.send(get("/"));
  EXPECT_TRUE(c.read_through("0\r\n\r\n").ends_with("\r\n\r\n0\r\n\r\n"));
  c.send(get("/"));
  c.read_through("0\r\n\r\n");
}

TEST(stream, frames_a_chunk_of_many_pieces_right) {
  world w;
  test_server s{w, [](http_exchange& x) -> task<> {
                  std::string digit = "7";
                  const std::vector<iovec> pieces(40, iovec{digit.data(), 1});
                  response_head head{200};
                  x.begin_stream(std::move(head));
                  io_status status = io_status::ok;
                  for (int i = 0; i < 2; ++i) {
                    if (!x.try_send_chunk(pieces, status)) status = co_await x.flush();
                  }
                  co_await x.end_stream();
                }};
  wire_end c = s.connect();
  c.send(get("/"));
  const std::string chunk_text = "28\r\n" + std::string(40, '7') + "\r\n";
  EXPECT_TRUE(
      c.read_through("0\r\n\r\n").ends_with("\r\n\r\n" + chunk_text + chunk_text + "0\r\n\r\n"));
}

// A stream that broke must look broken: no last chunk, and a reset where the end is the only sign.
TEST(stream, that_is_cut_does_not_look_whole) {
  world w;
  test_server s{w, [](http_exchange& x) -> task<> {
                  response_head head{200};
                  x.begin_stream(std::move(head));
                  co_await chunk(x, "half");
                  x.abort();
                }};
  wire_end modern = s.connect();
  modern.send(get("/"));
  const std::string got = modern.read_to_end();
  EXPECT_TRUE(got.ends_with("4\r\nhalf\r\n"));
  wire_end old = s.connect();
  old.send("GET / HTTP/1.0\r\n\r\n");
  EXPECT_TRUE(old.ends());
  EXPECT_TRUE(old.was_reset());
}

TEST(stream, goes_on_after_the_memory_of_the_request_was_given_back) {
  world w;
  std::string seen;
  test_server s{w, [&](http_exchange& x) -> task<> {
                  const body_result body = co_await x.read_body(1000, 10s);
                  seen += body.bytes;
                  response_head head{200};
                  x.begin_stream(std::move(head));
                  x.release_input();
                  co_await chunk(x, "after");
                  co_await x.end_stream();
                }};
  wire_end c = s.connect();
  c.send(post("/1", "one") + post("/2", "two"));
  EXPECT_TRUE(c.read_through("0\r\n\r\n").ends_with("after\r\n0\r\n\r\n"));
  EXPECT_TRUE(c.read_through("0\r\n\r\n").ends_with("after\r\n0\r\n\r\n"));
  EXPECT_EQ(seen, "onetwo");
}

TEST(stream, may_be_given_up_for_a_whole_answer_after_the_memory_was_given_back) {
  world w;
  test_server s{w, [&](http_exchange& x) -> task<> {
                  const std::string text(40, 'y');
                  co_await x.read_body(1 << 20, 10s);
                  x.release_input();
                  co_await answer(x, text, 502);
                }};
  wire_end c = s.connect();
  for (const std::size_t size : {10UL, 100000UL}) {
    c.send(post("/", std::string(size, 'x')));
    EXPECT_TRUE(c.read_answer().ends_with(std::string(40, 'y')));
  }
}

// Behind a caller that reads nothing the handler stands still, and so does what it takes in.
TEST(stream, waits_for_a_slow_caller_and_keeps_the_order) {
  world w;
  std::size_t made = 0;
  const std::string piece = noise(64 * 1024, 7);
  test_server s{w, [&](http_exchange& x) -> task<> {
                  response_head head{200};
                  x.begin_stream(std::move(head));
                  for (int i = 0; i < 400; ++i) {
                    const io_status sent = co_await chunk(x, piece);
                    if (sent != io_status::ok) co_return;
                    made += piece.size();
                  }
                  co_await x.end_stream();
                }};
  wire_end c = s.connect(8 * 1024);
  c.send(get("/"));
  w.settle();
  EXPECT_LT(made, 8U << 20);
  const std::size_t stood = made;
  w.settle();
  EXPECT_EQ(made, stood);
  c.read_through("\r\n\r\n");
  for (int i = 0; i < 400; ++i) {
    ASSERT_EQ(c.read(7), "10000\r\n") << i;
    ASSERT_EQ(c.read(piece.size() + 2), piece + "\r\n") << i;
  }
  EXPECT_EQ(c.read(5), "0\r\n\r\n");
}

TEST(stream, is_dropped_where_the_caller_takes_nothing_for_too_long) {
  for (const bool whole : {false, true}) {
    world w;
    io_status ended{io_status::ok};
    http_server_options options;
    options.write_timeout = 30s;
    test_server s{w,
                  [&](http_exchange& x) -> task<> {
                    std::string big(16 << 20, 'x');
                    if (whole) {
                      ended = co_await answer(x, std::move(big));
                      co_return;
                    }
                    response_head head{200};
                    x.begin_stream(std::move(head));
                    ended = co_await chunk(x, std::move(big));
                    co_await x.end_stream();
                  },
                  options};
    wire_end c = s.connect(8 * 1024);
    c.send(get("/") + get("/next"));
    w.settle();
    w.pass(29s);
    EXPECT_EQ(ended, io_status::ok);
    EXPECT_EQ(s.server.counters().connections, 1);
    w.pass(2s);
    EXPECT_EQ(ended, io_status::timeout);
    // Nothing may follow the half that was sent.
    EXPECT_TRUE(w.until([&] { return s.server.counters().connections == 0; }));
    const std::string got = c.read_to_end();
    EXPECT_EQ(got.find("HTTP/1.1", 1), std::string::npos);
  }
}

}  // namespace
}  // namespace weir::net
