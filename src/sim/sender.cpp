// Proper and improper ways to send.
#include "sim/sender.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace weir::sim {
namespace {

constexpr microseconds patience{30s};  // with a caller that takes nothing

iovec segment(std::string_view bytes) { return {const_cast<char*>(bytes.data()), bytes.size()}; }

// A head's bytes, one write each. False: the caller is gone, or the call was dropped.
task<bool> send_slowly(net::http_exchange& exchange, call& c, std::string head) {
  auto& owner = exchange.owner();
  const auto pause = std::chrono::milliseconds{c.faults.slow_headers.value_or(0)};
  for (std::size_t i = 0; i < head.size(); ++i) {
    const std::string_view byte{head.data() + i, 1};
    const auto sent = co_await exchange.socket().write_all(byte, patience);
    if (sent != net::io_status::ok) co_return false;
    if (pause.count() == 0) continue;
    const mono_time until = owner.time().mono() + pause;
    owner.deadlines().set(c.signal, until);
    while (owner.time().mono() < until && !c.signal.over()) co_await c.signal.next();
    if (c.signal.over()) co_return false;
  }
  co_return true;
}

// The head's lines end with the blank one.
std::string finished(net::response_head head, std::string_view framing) {
  std::string text = std::move(head.text());
  text.append(framing).append("\r\nConnection: close\r\n\r\n");
  return text;
}

// Half an answer of the right length.
task<> send_half(net::http_exchange& exchange, call& c, net::response_head head,
                 std::string_view body) {
  std::string text = finished(std::move(head), fmt::format("Content-Length: {}", body.size()));
  text += body.substr(0, body.size() / 2);
  co_await exchange.socket().write_all(text, patience);
  exchange.socket().close(c.faults.reset.has_value());
}

}  // namespace

net::response_head make_head(int status, std::string_view content_type, const call& c) {
  net::response_head head{status};
  head.add("Server", "weir-sim").add("Content-Type", content_type).add("X-Request-Id", c.id);
  if (c.faults.gzip) head.add("Content-Encoding", "gzip");
  if (c.faults.secret_headers) {
    head.add("Authorization", "Bearer sk-up-SECRET")
        .add("X-Api-Key", "sk-up-SECRET")
        .add("Set-Cookie", "session=SECRET")
        .add("OpenAI-Organization", "org-1");
  }
  return head;
}

task<> send_whole(net::http_exchange& exchange, call& c, int status, std::string_view content_type,
                  std::string body) {
  if (c.faults.malformed) body.resize(body.size() * 2 / 3);
  if (c.faults.gzip) {
    gzip_stream gzip;
    body = gzip.add(body, true);
  }
  net::response_head head = make_head(status, content_type, c);
  if (c.faults.cut || c.faults.reset) {
    co_await send_half(exchange, c, std::move(head), body);
    co_return;
  }
  if (!c.faults.slow_headers) {
    co_await exchange.send(std::move(head), body);
    co_return;
  }
  std::string text = finished(std::move(head), fmt::format("Content-Length: {}", body.size()));
  const bool there = co_await send_slowly(exchange, c, std::move(text));
  if (there) co_await exchange.socket().write_all(body, patience);
}

task<> stream_sender::open() {
  net::response_head head = make_head(200, "text/event-stream; charset=utf-8", call_);
  if (call_.faults.gzip) gzip_.emplace();
  if (call_.faults.slow_headers) {
    raw_ = true;
    std::string text = finished(std::move(head), "Transfer-Encoding: chunked");
    alive_ = co_await send_slowly(exchange_, call_, std::move(text));
    co_return;
  }
  exchange_.begin_stream(std::move(head));
  net::io_status status = net::io_status::ok;
  if (!exchange_.try_send_raw({}, status)) status = co_await exchange_.flush();
  alive_ = status == net::io_status::ok;
}

event_style stream_sender::style() const {
  const bool chunked = (raw_ || exchange_.chunked()) && !gzip_;
  return {chunked, call_.faults.crlf, call_.faults.comments};
}

bool stream_sender::try_send(std::string_view events) {
  if (!alive_ || events.empty()) return true;
  std::string coded;
  if (gzip_) {
    event_buffer framed;
    framed.begin({raw_ || exchange_.chunked()});
    framed.add_raw(gzip_->add(events, false));
    coded = framed.bytes();
    events = coded;
  }
  if (raw_) {
    waiting_ += events;
    return false;
  }
  const iovec one = segment(events);
  net::io_status status = net::io_status::ok;
  const bool sent = exchange_.try_send_raw({&one, 1}, status);
  alive_ = status == net::io_status::ok;
  return sent;
}

task<> stream_sender::finish_sending() {
  net::io_status status = net::io_status::ok;
  if (raw_) {
    const std::string bytes = std::exchange(waiting_, {});
    status = co_await exchange_.socket().write_all(bytes, patience);
  } else {
    status = co_await exchange_.flush();
  }
  alive_ = status == net::io_status::ok;
}

task<> stream_sender::end() {
  if (!alive_) co_return;
  if (gzip_) {
    const std::string trailer = gzip_->add({}, true);
    gzip_.reset();
    event_buffer framed;
    framed.begin({raw_ || exchange_.chunked()});
    framed.add_raw(trailer);
    if (!try_send(framed.bytes())) co_await finish_sending();
  }
  if (raw_) {
    co_await exchange_.socket().write_all("0\r\n\r\n", patience);
  } else {
    co_await exchange_.end_stream();
  }
}

void stream_sender::cut(bool reset) {
  if (!raw_) exchange_.abort();
  exchange_.socket().close(reset);
}

bool has_left(net::http_exchange& exchange) {
  if (exchange.gone()) return true;
  const net::io_status seen = exchange.socket().peek();
  return seen == net::io_status::eof || seen == net::io_status::error;
}

task<> close_at_reuse(net::http_exchange& exchange, microseconds patience_for_next) {
  auto& socket = exchange.socket();
  socket.unwatch();
  for (;;) {
    socket.expires_at(exchange.owner().time().mono() + patience_for_next);
    const net::io_status waited = co_await socket.readable();
    if (waited != net::io_status::ok) break;
    const net::io_result got = socket.try_read(exchange.owner().scratch());
    if (got.status != net::io_status::would_block) break;
  }
  socket.close();
}

}  // namespace weir::sim
