// Requests over kept connections: in order, each with its own body, whatever the one before did.
#include "net/support.hpp"

namespace weir::net {
namespace {

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(http_server, answers_again_and_again_on_one_connection) {
  world w;
  test_server s{w, echo};
  wire_end c = s.connect();
  for (int i = 0; i < 5; ++i) {
    c.send(post("/n" + std::to_string(i), "body"));
    const std::string got = c.read_answer();
    EXPECT_TRUE(has(got, "HTTP/1.1 200 OK\r\n"));
    EXPECT_TRUE(has(got, "\r\nDate: "));
    EXPECT_FALSE(has(got, "Connection: close"));
    EXPECT_TRUE(got.ends_with("POST /n" + std::to_string(i) + " body"));
  }
  EXPECT_EQ(s.server.counters().connections, 1);
}

TEST(http_server, answers_pipelined_requests_in_order_each_with_its_own_body) {
  world w;
  test_server s{w, echo};
  wire_end c = s.connect();
  c.send(
      post("/1", "one") + get("/admin") + post("/2", "two") +
      "POST /3 HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nthree\r\n0\r\n\r\n" +
      get("/4"));
  EXPECT_TRUE(c.read_answer().ends_with("POST /1 one"));
  EXPECT_TRUE(c.read_answer().ends_with("GET /admin "));
  EXPECT_TRUE(c.read_answer().ends_with("POST /2 two"));
  EXPECT_TRUE(c.read_answer().ends_with("POST /3 three"));
  EXPECT_TRUE(c.read_answer().ends_with("GET /4 "));
  EXPECT_EQ(c.arrived(), "");
}

TEST(http_server, gives_the_same_answers_wherever_the_bytes_are_cut) {
  const std::string all =
      post("/1", "one") +
      "POST /2 HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\ntwo\r\n0\r\n\r\n" +
      get("/3");
  world w;
  test_server s{w, echo};
  for (std::size_t cut = 1; cut < all.size(); cut += 3) {
    wire_end c = s.connect();
    c.send(all.substr(0, cut));
    w.settle();
    c.send(all.substr(cut));
    EXPECT_TRUE(c.read_answer().ends_with("POST /1 one")) << cut;
    EXPECT_TRUE(c.read_answer().ends_with("POST /2 two")) << cut;
    EXPECT_TRUE(c.read_answer().ends_with("GET /3 ")) << cut;
  }
}

TEST(http_server, takes_heads_and_bodies_byte_by_byte) {
  world w;
  test_server s{w, echo};
  wire_end c = s.connect();
  for (const char byte : post("/slow", "hello") + post("/again", "you")) {
    c.send({&byte, 1});
    w.on.io().poll();
  }
  EXPECT_TRUE(c.read_answer().ends_with("POST /slow hello"));
  EXPECT_TRUE(c.read_answer().ends_with("POST /again you"));
}

// The body of a request that was answered without reading it must not become a request.
TEST(http_server, never_takes_an_unread_body_for_a_request) {
  world w;
  int requests = 0;
  test_server s{w, [&](http_exchange& x) -> task<> {
                  ++requests;
                  co_await answer(x, "no", 404);
                }};
  wire_end c = s.connect();
  c.send(post("/1", get("/smuggled")) + get("/2"));
  EXPECT_TRUE(has(c.read_answer(), "404"));
  EXPECT_TRUE(has(c.read_answer(), "404"));
  w.settle();
  EXPECT_EQ(requests, 2);
}

TEST(http_server, never_takes_an_unread_body_for_a_request_after_its_memory_was_given_back) {
  world w;
  int requests = 0;
  test_server s{w, [&](http_exchange& x) -> task<> {
                  ++requests;
                  x.release_input();
                  co_await answer(x, "no", 404);
                }};
  wire_end c = s.connect();
  c.send(post("/1", get("/smuggled")) + get("/2"));
  EXPECT_TRUE(has(c.read_answer(), "404"));
  EXPECT_TRUE(has(c.read_answer(), "404"));
  w.settle();
  EXPECT_EQ(requests, 2);
}

// Half of an unread body has come: what follows cannot be told apart from it.
TEST(http_server, closes_where_an_unread_body_is_still_on_its_way) {
  for (const bool release : {false, true}) {
    world w;
    int requests = 0;
    test_server s{w, [&](http_exchange& x) -> task<> {
                    ++requests;
                    if (release) x.release_input();
                    co_await answer(x, "no", 401);
                  }};
    wire_end c = s.connect();
    c.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\nhalf");
    EXPECT_TRUE(has(c.read_answer(), "Connection: close\r\n"));
    c.send(get("/smuggled"));
    EXPECT_EQ(c.read_to_end(), "");
    EXPECT_EQ(requests, 1);
  }
}

TEST(http_server, closes_after_a_chunked_body_that_nobody_read) {
  world w;
  int requests = 0;
  test_server s{w, [&](http_exchange& x) -> task<> {
                  ++requests;
                  co_await answer(x, "no", 401);
                }};
  wire_end c = s.connect();
  c.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + get("/2"));
  EXPECT_TRUE(has(c.read_answer(), "Connection: close\r\n"));
  EXPECT_EQ(c.read_to_end(), "");
  EXPECT_EQ(requests, 1);
}

TEST(http_server, answers_a_bad_head_once_and_closes) {
  world w;
  test_server s{w, echo};
  wire_end c = s.connect();
  c.send(
      "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n"
      "0\r\n\r\nG" +
      get("/2"));
  const std::string got = c.read_to_end();
  EXPECT_TRUE(got.starts_with("HTTP/1.1 400 Bad Request\r\n"));
  EXPECT_TRUE(has(got, "Connection: close\r\n"));
  EXPECT_TRUE(got.ends_with("bad_request"));
  EXPECT_EQ(s.handler.refused, 1);
}

TEST(http_server, refuses_a_bad_line_at_its_end_without_waiting_for_the_rest) {
  world w;
  test_server s{w, echo};
  wire_end c = s.connect();
  c.send("POST / HTTP/1.1\r\nHost: h\r\n");
  w.settle();
  c.send("X: 1\n");
  EXPECT_TRUE(c.read_answer().starts_with("HTTP/1.1 400 "));
}

// A HEAD and then a line that is refused before its method is known: the refusal has a body.
TEST(http_server, refuses_a_bad_head_by_its_own_facts_not_by_those_of_the_request_before) {
  world w;
  test_server s{w, echo};
  wire_end c = s.connect();
  c.send("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n");
  c.read_through("\r\n\r\n");
  c.send("\rX");
  EXPECT_TRUE(c.read_to_end().ends_with("bad_request"));
}

TEST(http_server, sends_a_head_without_body_for_head) {
  world w;
  test_server s{w, echo};
  wire_end c = s.connect();
  c.send("HEAD /x HTTP/1.1\r\nHost: h\r\n\r\n" + get("/y"));
  const std::string head = c.read_through("\r\n\r\n");
  EXPECT_TRUE(has(head, "Content-Length: 8\r\n"));
  EXPECT_TRUE(c.read_answer().ends_with("GET /y "));
}

TEST(http_server, sends_no_body_where_a_status_has_none) {
  for (const int status : {204, 304}) {
    world w;
    test_server s{w, [&](http_exchange& x) -> task<> { co_await answer(x, "body", status); }};
    wire_end c = s.connect();
    c.send(get("/"));
    const std::string head = c.read_through("\r\n\r\n");
    EXPECT_FALSE(has(head, "Content-Length")) << head;
    EXPECT_FALSE(has(head, "Transfer-Encoding")) << head;
    EXPECT_EQ(c.arrived(), "");
  }
}

TEST(http_server, closes_after_an_answer_in_http_1_0) {
  world w;
  test_server s{w, echo};
  wire_end c = s.connect();
  c.send("POST / HTTP/1.0\r\nContent-Length: 69\r\n\r\n" + std::string(70, 'x'));
  const std::string got = c.read_to_end();
  EXPECT_TRUE(has(got, "Content-Length: 76\r\n")) << got;
  EXPECT_TRUE(has(got, "Connection: close\r\n"));
  EXPECT_TRUE(got.ends_with("POST / " + std::string(69, 'x')));
  EXPECT_FALSE(has(got, "HTTP/1.1 400"));
}

TEST(http_server, keeps_an_http_1_0_connection_where_asked_to) {
  world w;
  test_server s{w, echo};
  wire_end c = s.connect();
  for (int i = 0; i < 2; ++i) {
    c.send("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_TRUE(has(c.read_answer(), "Connection: keep-alive\r\n"));
  }
}

TEST(http_server, closes_where_the_caller_wants_it) {
  world w;
  test_server s{w, echo};
  wire_end c = s.connect();
  c.send(get("/", "Connection: close\r\n"));
  EXPECT_TRUE(has(c.read_to_end(), "Connection: close\r\n"));
}

TEST(http_server, closes_where_the_handler_did_not_answer) {
  world w;
  test_server s{w, [](http_exchange&) -> task<> { co_return; }};
  wire_end c = s.connect();
  c.send(get("/"));
  EXPECT_EQ(c.read_to_end(), "");
}

TEST(http_server, closes_and_forgets_a_connection_whose_handler_threw) {
  for (const bool watched : {false, true}) {
    world w;
    told listener;
    test_server s{w, [&](http_exchange& x) -> task<> {
                    if (watched) x.watch_caller(&listener);
                    throw std::runtime_error{"broken"};
                    co_return;
                  }};
    wire_end c = s.connect();
    c.send(get("/"));
    EXPECT_EQ(c.read_to_end(), "");
    EXPECT_EQ(s.spawned.failed.load(), 1);
    EXPECT_EQ(s.server.counters().connections, 0);
  }
}

TEST(http_server, lets_no_value_break_out_of_its_header) {
  world w;
  test_server s{w, [](http_exchange& x) -> task<> {
                  response_head head{200};
                  head.add("X-Bad", "a\r\nX-Injected: 1");
                  head.add("X-Nul", std::string_view{"a\0b", 3});
                  head.add("X-Good", "fine");
                  const std::string_view body = "ok";
                  co_await x.send(std::move(head), body);
                }};
  wire_end c = s.connect();
  c.send(get("/"));
  const std::string got = c.read_answer();
  EXPECT_FALSE(has(got, "X-Injected"));
  EXPECT_FALSE(has(got, "X-Nul"));
  EXPECT_TRUE(has(got, "X-Good: fine\r\n"));
}

TEST(http_server, sends_a_body_of_many_pieces_whole) {
  world w;
  std::vector<std::string> texts;
  for (int i = 0; i < 100; ++i) texts.push_back("piece " + std::to_string(i) + ";");
  std::string all;
  for (const auto& one : texts) all += one;
  test_server s{w, [&](http_exchange& x) -> task<> {
                  std::vector<iovec> pieces;
                  for (auto& one : texts) pieces.push_back({one.data(), one.size()});
                  response_head head{200};
                  const std::span<const iovec> body = pieces;
                  co_await x.send(std::move(head), body);
                }};
  wire_end c = s.connect();
  c.send(get("/"));
  EXPECT_TRUE(c.read_answer().ends_with("\r\n\r\n" + all));
}

TEST(http_server, tells_the_handler_who_calls) {
  world w;
  test_server s{w, [](http_exchange& x) -> task<> { co_await answer(x, x.peer()); }};
  wire_end c = s.connect();
  c.send(get("/"));
  EXPECT_TRUE(c.read_answer().ends_with("\r\n127.0.0.1"));
}

TEST(http_server, knows_an_ipv4_caller_of_a_dual_stack_listener_by_its_ipv4_address) {
  world w;
  test_server s{
      w, [](http_exchange& x) -> task<> { co_await answer(x, x.peer()); }, {}, nullptr, "::"};
  wire_end c = s.connect();
  c.send(get("/"));
  EXPECT_TRUE(c.read_answer().ends_with("\r\n127.0.0.1"));
}

TEST(http_server, says_what_it_cannot_listen_on) {
  world w;
  test_server s{w, echo};
  function_handler handler{echo};
  http_server other{w.on, handler, {}, w.log, w.spawned, nullptr};
  EXPECT_NE(other.listen("no address", 0).error().message.find("no address"), std::string::npos);
  EXPECT_FALSE(other.listen("192.0.2.1", 0));
  for (const port_use use : {port_use::alone, port_use::first_of_all}) {
    http_server late{w.on, handler, {}, w.log, w.spawned, nullptr};
    EXPECT_FALSE(late.listen("127.0.0.1", s.server.port(), use));
  }
}

}  // namespace
}  // namespace weir::net
