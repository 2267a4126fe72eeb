// Step 5: send the call to the engine and wait for the head of its answer. A socket that the engine
// had closed by the time it was reused is replaced once, unseen; a target that cannot be reached at
// all gives way to the model's next one.
#include <array>

#include "gateway/headers.hpp"
#include "gateway/pipeline.hpp"
#include "gateway/worker.hpp"
#include "net/response.hpp"

namespace weir::gateway {
namespace {

constexpr std::size_t max_segments = 24;

std::string_view engine_path(const exchange& x) {
  switch (x.op) {
    case operation::chat:
      return "/v1/chat/completions";
    case operation::completions:
      return "/v1/completions";
    case operation::embeddings:
      return "/v1/embeddings";
    case operation::responses:
      return "/v1/responses";
    default:
      return x.path;
  }
}

void append(std::string& head, std::string_view name, std::string_view value) {
  head += name;
  head += ": ";
  head += value;
  head += "\r\n";
}

// The head of the request to the engine. The body is whole by now, so it always goes with its
// length.
std::string request_head(const exchange& x, std::size_t body_size) {
  const bool backend = x.op == operation::backend;
  std::string head;
  head.reserve(768);
  head += x.method;
  head += ' ';
  head += x.provider->settings->url.path;
  head += engine_path(x);
  head += " HTTP/1.1\r\n";
  append(head, "Host", x.provider->host);
  for (const auto& line : x.http.head().headers) {
    if (backend ? passes_to_backend(line) : passes_to_engine(line))
      append(head, line.name, line.value);
  }
  if (!backend) append(head, "Accept-Encoding", "identity");
  if (!x.provider->authorization.empty()) append(head, "Authorization", x.provider->authorization);
  append(head, "X-Request-Id", x.request_id);
  if (backend) {
    append(head, "X-Forwarded-For", x.who.address);
    append(head, "X-Weir-User", x.who.user);
    append(head, "X-Weir-Tier", x.who.tier);
  }
  if (body_size > 0 || x.method == "POST" || x.method == "PUT" || x.method == "PATCH") {
    append(head, "Content-Length", std::to_string(body_size));
  }
  head += "\r\n";
  return head;
}

struct request_bytes {
  std::array<iovec, max_segments> segments{};
  std::size_t count{0};
  std::size_t size{0};
  void add(std::string_view piece) {
    segments[count++] = {const_cast<char*>(piece.data()), piece.size()};
    size += piece.size();
  }
};

void fail_connect(exchange& x, net::connect_status why) {
  x.on.metrics().add(observe::family::upstream_errors,
                     {x.provider->settings->name,
                      why == net::connect_status::timeout ? "connect_timeout" : "connect"});
  if (x.provider->state->set_ejected(true)) {
    x.on.with().log.warn("a provider cannot be reached and is passed over until it can",
                         {{"provider", x.provider->settings->name}, {"request_id", x.request_id}});
  }
}

void fail_answer(exchange& x, net::answer_status why) {
  if (x.http.gone()) {
    x.how = outcome::client_gone;
    return;
  }
  if (x.stopping) {
    x.how = outcome::shutdown;
    refuse_simple(x, 503, "shutting_down", "weir is shutting down; try again");
    return;
  }
  const auto& name = x.provider->settings->name;
  switch (why) {
    case net::answer_status::timeout:
      x.on.metrics().add(observe::family::upstream_errors, {name, "timeout"});
      refuse_simple(x, 504, "upstream_timeout", "the engine did not begin its answer in time");
      x.how = outcome::upstream_timeout;
      break;
    case net::answer_status::malformed:
      x.on.metrics().add(observe::family::upstream_errors, {name, "protocol"});
      refuse_simple(x, 502, "upstream_protocol_error", "the engine's answer is not valid HTTP");
      x.how = outcome::upstream_protocol_error;
      break;
    default:
      x.on.metrics().add(observe::family::upstream_errors, {name, "closed"});
      refuse_simple(x, 502, "upstream_closed",
                    "the engine closed the connection without an answer");
      x.how = outcome::upstream_error;
      break;
  }
}

task<sending> attempt(exchange& x, bool fresh, const request_bytes& body) {
  const auto& timeouts = x.plan->settings().timeouts;
  x.pool = x.on.pool(*x.provider);
  net::lease lease = co_await x.pool->acquire(timeouts.connect, fresh, x.waiting);
  if (lease.status != net::connect_status::ok) {
    if (x.waiting.given_up) {
      fail_answer(x, net::answer_status::interrupted);
      co_return sending::failed;
    }
    fail_connect(x, lease.status);
    co_return sending::unreachable;
  }
  ++x.attempts;
  x.on.metrics().add(observe::family::upstream_connections,
                     {x.provider->settings->name, lease.reused ? "true" : "false"});
  request_bytes all = body;
  const std::string head = request_head(x, body.size);
  all.segments[0] = {const_cast<char*>(head.data()), head.size()};
  const std::span<const iovec> pieces{all.segments.data(), all.count};
  x.waiting.waiting = lease.socket.get();
  net::io_status written = net::io_status::ok;
  const net::io_result first = lease.socket->try_write(pieces);
  if (first.bytes != head.size() + body.size) {
    written = co_await lease.socket->write_rest(pieces, first, timeouts.token_gap);
  }
  x.waiting.waiting = nullptr;
  if (written != net::io_status::ok && lease.reused && !x.waiting.given_up)
    co_return sending::stale;
  // A write that failed may still have an answer: an engine that refuses a body early closes its
  // side.
  x.sent = x.on.on().time().mono();
  x.dispatched = true;
  x.answer.emplace(lease.socket);
  const mono_time total = x.arrived + timeouts.total;
  lease.socket->expires_at(x.stream ? std::min(total, x.sent + timeouts.first_token) : total);
  const wire::head_limits limits;
  const net::answer_status got =
      co_await x.answer->read_head(limits, x.method == "HEAD", x.waiting);
  if (got == net::answer_status::ok) co_return sending::answered;
  x.answer->socket()->close();
  if (got == net::answer_status::closed_unanswered && lease.reused && !x.waiting.given_up)
    co_return sending::stale;
  fail_answer(x, got);
  co_return sending::failed;
}

}  // namespace

task<sending> forward(exchange& x) {
  request_bytes body;
  body.count = 1;  // the first place is the head's, which differs from target to target
  prepare_body(x);
  if (x.open->rewritten) {
    for (const auto& piece : x.open->rewritten->pieces()) body.add(piece);
  } else if (!x.open->body.empty()) {
    body.add(x.open->body);
  }
  x.in_flight = flight{x.provider->state};
  x.http.watch_caller(&x);
  sending last = co_await attempt(x, false, body);
  if (last == sending::stale) last = co_await attempt(x, true, body);
  if (last != sending::answered) x.in_flight.end();
  co_return last;
}

}  // namespace weir::gateway
