// A whole JSON answer: read to its end, counted, and sent in one piece.
#include <array>

#include "gateway/gzip.hpp"
#include "gateway/headers.hpp"
#include "gateway/pipeline.hpp"
#include "gateway/relay.hpp"
#include "gateway/worker.hpp"
#include "wire/plain.hpp"

namespace weir::gateway {
namespace {

constexpr std::size_t max_answer = 256 * 1024 * 1024;  // bytes; no engine's JSON comes near

// Takes the counts from an answer; a coded one is decoded for that only.
void count_answer(exchange& x, std::string_view body, wire::answer_facts& facts) {
  std::string decoded;
  const auto coding = x.answer->head().get(wire::field::content_encoding);
  if (wire::iequals(coding, "gzip") && gunzip(body, max_answer, decoded)) body = decoded;
  if (!wire::read_answer(body, facts)) return;
  x.usage = facts.used;
  if (x.op == operation::embeddings && x.usage.prompt && !x.usage.completion)
    x.usage.completion = 0;
  x.content_bytes = facts.content_bytes;
}

// 200 with an error in it: SDKs would hand it on as if it were an answer.
void refuse_error_in_answer(exchange& x) {
  x.on.metrics().add(observe::family::upstream_errors,
                     {x.provider->settings->name, "error_in_200"});
  refuse_simple(x, 502, "upstream_error", "the engine answered 200 with an error",
                outcome::upstream_error);
}

}  // namespace

task<> relay_whole(exchange& x) {
  auto& loop = x.on.on();
  std::string body;
  const auto length = x.answer->head().content_length;
  if (length < max_answer) body.reserve(static_cast<std::size_t>(length));
  const mono_time asked = loop.time().mono();
  x.answer->socket()->expires_at(x.arrived + x.plan->settings().timeouts.total);
  const net::answer_status got = co_await x.answer->read_all(body, max_answer, x.waiting);
  x.engine_time += loop.time().mono() - asked;
  if (got != net::answer_status::ok) {
    note_broken(x, got);
    refuse_broken(x);
    co_return;
  }
  wire::answer_facts facts;
  count_answer(x, body, facts);
  if (facts.is_error) {
    refuse_error_in_answer(x);
    co_return;
  }
  x.how = outcome::success;
  settle(x);  // before the caller can act on the answer
  net::response_head head = answer_head(x, x.answer->head().status);
  pass_from_engine(x.answer->head(), head);
  net::io_status sent = net::io_status::ok;
  if (x.plain()) {
    const std::array<iovec, 3> pieces{segment_of(wire::plain_answer_begin), segment_of(body),
                                      segment_of(wire::plain_answer_end)};
    sent = co_await x.http.send(std::move(head), pieces);
  } else {
    sent = co_await x.http.send(std::move(head), body);
  }
  if (sent == net::io_status::timeout) x.how = outcome::client_slow;
  if (sent != net::io_status::ok && sent != net::io_status::timeout) x.how = outcome::client_gone;
}

}  // namespace weir::gateway
