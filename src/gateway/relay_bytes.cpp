// A body that is passed on as it comes: plain HTTP backends, passthrough paths, coded streams.
#include <cstring>

#include "gateway/headers.hpp"
#include "gateway/pipeline.hpp"
#include "gateway/relay.hpp"
#include "gateway/worker.hpp"

namespace weir::gateway {
namespace {

// The payload of one read, moved together at its front. Returns false where the framing is broken.
bool decode(wire::body_decoder& decoder, std::string_view raw, std::string_view& payload,
            std::size_t& extra) {
  char* const start = const_cast<char*>(raw.data());
  std::size_t length = 0;
  std::string_view input = raw;
  std::string_view piece;
  for (;;) {
    const wire::body_step step = decoder.next(input, piece);
    if (step == wire::body_step::bad) return false;
    if (step != wire::body_step::data) break;
    if (piece.data() != start + length) std::memmove(start + length, piece.data(), piece.size());
    length += piece.size();
  }
  extra = input.size();
  payload = {start, length};
  return true;
}

net::response_head head_of(exchange& x) {
  const auto& from = x.answer->head();
  net::response_head out = answer_head(x, from.status);
  if (x.op == operation::backend) {
    pass_from_backend(from, out);
  } else {
    pass_from_engine(from, out);
    out.add("X-Accel-Buffering", "no");
  }
  return out;
}

}  // namespace

bool take_payload(exchange& x, const net::answer_reader::piece& got, std::string_view& payload) {
  std::size_t extra = 0;
  if (!decode(x.answer->decoder(), got.raw, payload, extra)) return false;
  x.answer->saw_extra(extra);
  return true;
}

task<> relay_bytes(exchange& x) {
  const auto& timeouts = x.plan->settings().timeouts;
  auto& loop = x.on.on();
  const auto& from = x.answer->head();
  const bool empty = from.framing == wire::body_framing::none;
  net::response_head head = head_of(x);
  if (empty) {
    const std::string_view nothing;
    co_await x.http.send(std::move(head), nothing);
    x.how = outcome::success;
    co_return;
  }
  x.http.begin_stream(std::move(head));
  x.answer->release_head();
  while (!x.answer->decoder().done()) {
    const mono_time asked = loop.time().mono();
    x.answer->socket()->expires_at(
        std::min(x.arrived + timeouts.total, asked + timeouts.first_token));
    const net::answer_reader::piece got = co_await x.answer->read_some(x.waiting);
    x.engine_time += loop.time().mono() - asked;
    std::string_view payload;
    net::answer_status status = got.status;
    if (status == net::answer_status::ok && !take_payload(x, got, payload))
      status = net::answer_status::malformed;
    if (status != net::answer_status::ok) {
      note_broken(x, status);
      x.http.abort();
      co_return;
    }
    const iovec one{const_cast<char*>(payload.data()), payload.size()};
    net::io_status sent = net::io_status::ok;
    if (!x.http.try_send_chunk({&one, 1}, sent)) sent = co_await x.http.flush();
    if (sent != net::io_status::ok) {
      x.how = sent == net::io_status::timeout ? outcome::client_slow : outcome::client_gone;
      x.http.abort();
      co_return;
    }
    x.content_bytes += static_cast<std::int64_t>(payload.size());
    if (got.end) break;
  }
  co_await x.http.end_stream();
  x.how = outcome::success;
}

}  // namespace weir::gateway
