// Step 6: the engine's answer to the caller. Which of three ways it takes is decided by its head.
#include "gateway/relay.hpp"

#include "gateway/pipeline.hpp"
#include "gateway/worker.hpp"

namespace weir::gateway {
namespace {

bool is_event_stream(const wire::response_head& head) {
  constexpr std::string_view type = "text/event-stream";
  const auto given = head.get(wire::field::content_type);
  return given.size() >= type.size() && wire::iequals(given.substr(0, type.size()), type);
}

bool is_coded(const wire::response_head& head) {
  const auto coding = head.get(wire::field::content_encoding);
  return !coding.empty() && !wire::iequals(coding, "identity");
}

}  // namespace

task<> relay(exchange& x) {
  const auto& head = x.answer->head();
  x.engine_time += x.on.on().time().mono() - x.sent;
  const bool events = is_event_stream(head);
  const bool good = head.status >= 200 && head.status < 300;
  const bool opaque = x.op == operation::backend || x.op == operation::passthrough;
  if (opaque || (good && events && is_coded(head))) {
    co_await relay_bytes(x);
  } else if (!good) {
    co_await relay_error(x);
  } else if (events) {
    co_await relay_stream(x);
  } else {
    co_await relay_whole(x);
  }
  give_back_connection(x);
}

void give_back_connection(exchange& x) {
  if (!x.answer) return;
  if (x.answer->reusable() && !x.waiting.given_up) {
    x.pool->put_back(x.answer->socket());
  } else {
    x.answer->socket()->close();
  }
}

net::response_head answer_head(exchange& x, int status) {
  net::response_head out{status};
  x.status = status;
  add_decision(x, out);
  return out;
}

// What every answer says of weir's decisions.
void add_decision(exchange& x, net::response_head& out) {
  out.add("X-Request-Id", x.request_id);
  if (x.model != nullptr) out.add("X-Weir-Model", x.model_name());
  if (x.provider != nullptr && x.attempts > 0) {
    out.add("X-Weir-Provider", x.provider->settings->name);
    out.add("X-Weir-Attempts", std::int64_t{x.attempts});
  }
  out.add("X-Weir-Overhead-Us", x.overhead(x.on.on().time().mono()).count());
  if (x.open) out.text() += x.open->limit_headers;
  add_cors(x.http.head(), x.plan->settings().server.cors, out);
}

// How a read that did not succeed ends the call. The caller is told where it can still be.
void note_broken(exchange& x, net::answer_status why) {
  const auto& name = x.provider->settings->name;
  auto& metrics = x.on.metrics();
  if (x.http.gone()) {
    x.how = outcome::client_gone;
  } else if (x.stopping) {
    x.how = outcome::shutdown;
  } else if (why == net::answer_status::timeout) {
    x.how = outcome::upstream_timeout;
    metrics.add(observe::family::upstream_errors, {name, "timeout"});
  } else if (why == net::answer_status::malformed) {
    x.how = outcome::upstream_protocol_error;
    metrics.add(observe::family::upstream_errors, {name, "protocol"});
  } else {
    x.how = outcome::upstream_truncated;
    metrics.add(observe::family::upstream_errors, {name, "truncated"});
  }
}

// The refusal that fits how a call broke, for callers who have seen nothing of an answer yet.
void refuse_broken(exchange& x) {
  switch (x.how) {
    case outcome::upstream_timeout:
      refuse_simple(x, 504, "upstream_timeout", "the engine did not answer in time", x.how);
      break;
    case outcome::shutdown:
      refuse_simple(x, 503, "shutting_down", "weir is shutting down; try again", x.how);
      break;
    case outcome::upstream_protocol_error:
      refuse_simple(x, 502, "upstream_protocol_error", "the engine's answer is not valid", x.how);
      break;
    case outcome::client_gone:
      break;
    default:
      refuse_simple(x, 502, "upstream_truncated", "the engine's answer broke off", x.how);
      break;
  }
}

}  // namespace weir::gateway
