// Large bodies both ways, plain and over TLS, cut at random: every byte arrives, in order.
#include <random>

#include "net/certificates.hpp"
#include "net/client_support.hpp"

namespace weir::net {
namespace {

constexpr std::size_t large = 6 << 20;

class transfers : public testing::TestWithParam<std::tuple<bool, bool>> {
 protected:
  [[nodiscard]] const tls_context* server() const { return over_tls() ? &server_ : nullptr; }
  [[nodiscard]] const tls_context* client() const { return over_tls() ? &client_ : nullptr; }
  [[nodiscard]] static bool over_tls() { return std::get<0>(GetParam()); }
  [[nodiscard]] static bool chunked() { return std::get<1>(GetParam()); }

 private:
  certificate made_{"DNS:localhost,IP:127.0.0.1"};
  tls_context server_{tls_context::server(made_.cert_file(), made_.key_file()).value()};
  tls_context client_{tls_context::client(made_.cert_file(), true).value()};
};

std::string in_chunks(std::string_view body, std::uint32_t seed) {
  std::minstd_rand random{seed};
  std::string out;
  while (!body.empty()) {
    const std::string_view piece = body.substr(0, 1 + random() % 70000);
    char size[24];
    std::snprintf(size, sizeof size, "%zx\r\n", piece.size());
    out += size;
    out += piece;
    out += "\r\n";
    body.remove_prefix(piece.size());
  }
  return out + "0\r\n\r\n";
}

// Sends back what came: in one piece, or streamed in pieces of random size.
struct mirror {
  bool stream;
  task<> operator()(http_exchange& x) const {
    const body_result body = co_await x.read_body(large, 60s);
    response_head head{200};
    if (!stream) {
      co_await x.send(std::move(head), body.bytes);
      co_return;
    }
    std::minstd_rand random{5};
    x.begin_stream(std::move(head));
    std::string_view left = body.bytes;
    while (!left.empty()) {
      const std::string_view piece = left.substr(0, 1 + random() % 100000);
      left.remove_prefix(piece.size());
      const iovec one{const_cast<char*>(piece.data()), piece.size()};
      const std::span<const iovec> pieces{&one, 1};
      io_status status = io_status::ok;
      if (!x.try_send_chunk(pieces, status)) status = co_await x.flush();
      EXPECT_EQ(status, io_status::ok);
    }
    co_await x.end_stream();
  }
};

TEST_P(transfers, bring_every_byte) {
  world w;
  test_server s{w, mirror{chunked()}, {}, server()};
  connection_pool pool{w.on, here(s.server.port(), client()), 60s};
  wait_slot slot;
  const std::string body = noise(large, 1);
  std::string request = "POST / HTTP/1.1\r\nHost: weir\r\n";
  if (chunked()) {
    request += "Transfer-Encoding: chunked\r\n\r\n" + in_chunks(body, 3);
  } else {
    request += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  for (int i = 0; i < 2; ++i) {
    const exchanged got = w.run(exchange_over(w.on, pool, request, slot, 60s));
    ASSERT_EQ(got.answered, answer_status::ok);
    EXPECT_TRUE(got.body == body) << got.body.size();
    EXPECT_EQ(got.reused, i > 0);
  }
}

// The client writes its request in pieces of random size, each when the one before went out.
TEST_P(transfers, do_not_depend_on_how_the_sender_cuts) {
  world w;
  test_server s{w, mirror{chunked()}, {}, server()};
  const std::string body = noise(300000, 2);
  std::string request = "POST / HTTP/1.1\r\nHost: weir\r\n";
  if (chunked()) {
    request += "Transfer-Encoding: chunked\r\n\r\n" + in_chunks(body, 4);
  } else {
    request += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  const auto run = [](world& in, endpoint where, std::string_view all) -> task<std::string> {
    wait_slot slot;
    const lease line = co_await connect(in.on, std::move(where), 5s, slot);
    std::minstd_rand random{11};
    while (!all.empty()) {
      const std::string_view piece = all.substr(0, 1 + random() % 3000);
      all.remove_prefix(piece.size());
      const io_status sent = co_await line.socket->write_all(piece, 5s);
      EXPECT_EQ(sent, io_status::ok);
      if (random() % 4 == 0) in.on.io().poll();
    }
    answer_reader reader{line.socket};
    const wire::head_limits limits;
    const answer_status head = co_await reader.read_head(limits, false, slot);
    EXPECT_EQ(head, answer_status::ok);
    std::string out;
    const answer_status read = co_await reader.read_all(out, large, slot);
    EXPECT_EQ(read, answer_status::ok);
    line.socket->close();
    co_return out;
  };
  EXPECT_TRUE(w.run(run(w, here(s.server.port(), client()), request)) == body);
}

INSTANTIATE_TEST_SUITE_P(all, transfers, testing::Combine(testing::Bool(), testing::Bool()),
                         [](const auto& info) {
                           return std::string{std::get<0>(info.param) ? "tls" : "plain"} +
                                  (std::get<1>(info.param) ? "_chunked" : "_sized");
                         });

}  // namespace
}  // namespace weir::net
