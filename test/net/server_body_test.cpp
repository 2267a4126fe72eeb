// Bodies of requests: sized, chunked, asked for by 100-continue, too large, too slow.
#include "net/support.hpp"

namespace weir::net {
namespace {

// Reads a body of at most 1000 bytes within ten seconds and answers by what came of it.
task<> limited(http_exchange& x) {
  const body_result body = co_await x.read_body(1000, 10s);
  switch (body.status) {
    case body_status::ok:
      co_await answer(x, "got " + std::to_string(body.bytes.size()));
      break;
    case body_status::too_large:
      co_await answer(x, "too large", 413);
      break;
    case body_status::timeout:
      co_await answer(x, "too slow", 408);
      break;
    case body_status::bad:
      co_await answer(x, "bad", 400);
      break;
    case body_status::gone:
      break;
  }
}

const std::string chunked_head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";

TEST(request_body, of_exactly_the_limit_is_read) {
  world w;
  test_server s{w, limited};
  wire_end c = s.connect();
  c.send(post("/", std::string(1000, 'x')));
  EXPECT_TRUE(c.read_answer().ends_with("got 1000"));
  c.send(chunked_head + "3e8\r\n" + std::string(1000, 'x') + "\r\n0\r\n\r\n");
  EXPECT_TRUE(c.read_answer().ends_with("got 1000"));
  c.send(post("/", ""));
  EXPECT_TRUE(c.read_answer().ends_with("got 0"));
}

// The refusal arrives, although the caller goes on sending: closing with bytes unread would reset.
TEST(request_body, that_is_too_large_is_refused_so_that_the_caller_can_read_it) {
  world w;
  test_server s{w, limited};
  wire_end c = s.connect();
  c.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n");
  c.send(std::string(1000000, 'x'));
  const std::string got = c.read_answer();
  EXPECT_TRUE(got.starts_with("HTTP/1.1 413 "));
  EXPECT_NE(got.find("Connection: close\r\n"), std::string::npos);
  EXPECT_TRUE(c.ends());
  EXPECT_FALSE(c.was_reset());
}

TEST(request_body, that_is_chunked_and_too_large_is_refused_as_soon_as_it_is_known) {
  world w;
  test_server s{w, limited};
  wire_end c = s.connect();
  c.send(chunked_head);
  for (int i = 0; i < 4; ++i) c.send("10000\r\n" + std::string(0x10000, ' ') + "\r\n");
  EXPECT_TRUE(c.read_answer().starts_with("HTTP/1.1 413 "));
  EXPECT_TRUE(c.ends());
  EXPECT_FALSE(c.was_reset());
}

TEST(request_body, that_never_ends_is_dropped_in_the_end) {
  world w;
  test_server s{w, limited};
  wire_end c = s.connect();
  c.send(chunked_head + "10000\r\n" + std::string(0x10000, ' '));
  EXPECT_TRUE(c.read_answer().starts_with("HTTP/1.1 413 "));
  w.pass(3s);
  EXPECT_EQ(s.server.counters().connections, 0);
}

TEST(request_body, with_broken_chunks_is_bad) {
  for (const char* body : {"0x5\r\nhello", "-1\r\n", "+5\r\nhello", "5 \r\nhello", "5\nhello",
                           "ffffffffffffffffff\r\nhello"}) {
    world w;
    test_server s{w, limited};
    wire_end c = s.connect();
    c.send(chunked_head + body);
    EXPECT_TRUE(c.read_to_end().starts_with("HTTP/1.1 400 ")) << body;
  }
}

TEST(request_body, that_comes_too_slowly_runs_into_its_deadline) {
  for (const std::string& head :
       {chunked_head, std::string{"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\n"}}) {
    world w;
    test_server s{w, limited};
    wire_end c = s.connect();
    c.send(head + "1");
    w.settle();
    for (int i = 0; i < 9; ++i) {
      w.pass(1s);
      c.send("0");
      EXPECT_EQ(c.arrived(), "") << i;
    }
    w.pass(1100ms);
    EXPECT_TRUE(c.read_answer().starts_with("HTTP/1.1 408 "));
    EXPECT_TRUE(c.ends());
  }
}

TEST(request_body, is_asked_for_where_the_caller_waits) {
  world w;
  test_server s{w, limited};
  wire_end c = s.connect();
  c.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(c.read_through("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  c.send("hello");
  EXPECT_TRUE(c.read_answer().ends_with("got 5"));
  c.send(post("/", "hello", "Expect: 100-continue\r\n"));
  EXPECT_TRUE(c.read_answer().starts_with("HTTP/1.1 200 "));  // it came without being asked for
}

TEST(request_body, is_not_asked_for_where_it_is_refused) {
  world w;
  test_server s{w, limited};
  wire_end c = s.connect();
  c.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5000\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_TRUE(c.read_answer().starts_with("HTTP/1.1 413 "));
  c.end_sending();
  EXPECT_EQ(c.read_to_end(), "");
}

TEST(request_body, that_breaks_off_ends_the_connection) {
  for (const bool reset : {false, true}) {
    world w;
    body_status seen{body_status::ok};
    test_server s{w, [&](http_exchange& x) -> task<> {
                    const body_result body = co_await x.read_body(1000, 10s);
                    seen = body.status;
                  }};
    wire_end c = s.connect();
    c.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nhalf");
    w.settle();
    c.close(reset);
    EXPECT_TRUE(w.until([&] { return s.server.counters().connections == 0; }));
    EXPECT_EQ(seen, body_status::gone);
  }
}

// The JSON parser reads a little beyond the end: the memory must be there, wherever the body lies.
TEST(request_body, is_followed_by_readable_bytes) {
  world w;
  int sum = 0;
  test_server s{w, [&](http_exchange& x) -> task<> {
                  const body_result body = co_await x.read_body(1 << 20, 10s);
                  // By pointer: reading behind a view is what is meant here.
                  const volatile char* behind = body.bytes.data() + body.bytes.size();
                  for (int i = 0; i < 64; ++i) sum += behind[i];
                  co_await answer(x, "ok");
                }};
  for (const std::size_t size : {1UL, 15UL, 16UL, 200UL, 500UL, 4000UL, 70000UL}) {
    wire_end c = s.connect();
    const std::string body(size, 'x');
    c.send(post("/", body));
    EXPECT_TRUE(c.read_answer().ends_with("ok"));
    c.send(post("/", body).substr(0, 40));
    w.settle();
    c.send(post("/", body).substr(40));
    EXPECT_TRUE(c.read_answer().ends_with("ok"));
    c.send(get("/1", "Content-Length: 1\r\n") + "x" + post("/", body));
    EXPECT_TRUE(c.read_answer().ends_with("ok"));
    EXPECT_TRUE(c.read_answer().ends_with("ok"));
  }
}

TEST(request_body, is_read_once) {
  world w;
  test_server s{w, [&](http_exchange& x) -> task<> {
                  std::string sizes;
                  for (int i = 0; i < 2; ++i) {
                    const body_result body = co_await x.read_body(1 << 20, 10s);
                    sizes += std::to_string(body.bytes.size()) + ' ';
                  }
                  co_await answer(x, sizes);
                }};
  wire_end c = s.connect();
  c.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\n12345");
  w.settle();
  c.send("67890" + get("/next"));
  EXPECT_TRUE(c.read_answer().ends_with("10 0 "));
  EXPECT_TRUE(c.read_answer().ends_with("0 0 "));
}

}  // namespace
}  // namespace weir::net
