// Construction and names.
#include "gateway/exchange.hpp"

#include "gateway/worker.hpp"

namespace weir::gateway {

exchange::exchange(worker& w, net::http_exchange& h, std::shared_ptr<const book> p, instant now)
    : on{w},
      http{h},
      plan{std::move(p)},
      arrived{now.mono},
      decided{now},
      open{std::make_unique<opening>()} {
  on.call_begins();
}

exchange::~exchange() { on.call_ends(); }

wire::dialect exchange::dialect() const {
  if (op == operation::responses) return wire::dialect::responses;
  if (route == nullptr || route->settings->dialect == config::api::openai)
    return wire::dialect::openai;
  return wire::dialect::plain;
}

wire::endpoint exchange::endpoint() const {
  switch (op) {
    case operation::completions:
      return wire::endpoint::completions;
    case operation::embeddings:
      return wire::endpoint::embeddings;
    case operation::responses:
      return wire::endpoint::responses;
    default:
      return wire::endpoint::chat;
  }
}

microseconds exchange::overhead(mono_time now) const {
  const microseconds all = now - arrived;
  return all > engine_time ? all - engine_time : microseconds{0};
}

std::string_view operation_name(operation op) {
  switch (op) {
    case operation::chat:
      return "chat";
    case operation::completions:
      return "text_completion";
    case operation::embeddings:
      return "embeddings";
    case operation::responses:
      return "responses";
    case operation::models:
      return "models";
    case operation::model:
      return "model";
    case operation::passthrough:
      return "passthrough";
    case operation::backend:
      return "http";
    case operation::none:
      break;
  }
  return "none";
}

std::string_view outcome_name(outcome how) {
  switch (how) {
    case outcome::success:
      return "success";
    case outcome::refused:
      return "refused";
    case outcome::client_gone:
      return "client_gone";
    case outcome::client_slow:
      return "client_slow";
    case outcome::upstream_error:
      return "upstream_error";
    case outcome::upstream_unreachable:
      return "upstream_unreachable";
    case outcome::upstream_timeout:
      return "upstream_timeout";
    case outcome::upstream_truncated:
      return "upstream_truncated";
    case outcome::upstream_protocol_error:
      return "upstream_protocol_error";
    case outcome::shutdown:
      break;
  }
  return "shutdown";
}

std::string_view endpoint_name(const exchange& x) {
  if (x.op == operation::backend) return x.route->settings->prefix;
  return operation_name(x.op);
}

}  // namespace weir::gateway
