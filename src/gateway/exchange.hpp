// What is known of one request, its fields in the order they become known. Lives on its worker's
// thread as long as the call does; whatever way the call ends, the destructors of its guards give
// back what it held, once.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.hpp"
#include "base/units.hpp"
#include "gateway/book.hpp"
#include "gateway/guards.hpp"
#include "net/http_client.hpp"
#include "net/http_server.hpp"
#include "wire/errors.hpp"
#include "wire/openai.hpp"
#include "wire/usage.hpp"

namespace weir::gateway {

class worker;

// What a request wants, decided by route, path and method.
enum class operation : std::uint8_t {
  none,         // nothing that is served here
  chat,         // /v1/chat/completions, and the plain-chat route
  completions,  // /v1/completions
  embeddings,   // /v1/embeddings
  responses,    // /v1/responses
  models,       // GET /v1/models
  model,        // GET /v1/models/{id}
  passthrough,  // any other /v1 path of a route that allows it
  backend,      // a plain HTTP backend
};

// How the call ended, for log and metrics.
enum class outcome : std::uint8_t {
  success,                  // answered in full
  refused,                  // by weir: identity, limits, bad input
  client_gone,              // the caller hung up
  client_slow,              // the caller took nothing for too long
  upstream_error,           // the engine answered with an error, before or within its answer
  upstream_unreachable,     // no connection to any target
  upstream_timeout,         // a deadline passed at the engine
  upstream_truncated,       // the engine's answer broke off
  upstream_protocol_error,  // what came was not HTTP, or not bounded
  shutdown,                 // the time to drain was over
};

// What is needed until the engine's answer begins, and given back then: thousands of streams wait
// with what is left.
struct opening {
  wire::request_facts facts;
  std::string converted;      // the chat body made from a plain-chat one
  std::string_view body;      // the body that is forwarded: the caller's bytes or `converted`
  std::string limit_headers;  // header lines, rendered
  std::optional<wire::rewrite> rewritten;  // the body with its few changes; empty: as it is
};

struct exchange final : net::gone_listener {
  exchange(worker& w, net::http_exchange& h, std::shared_ptr<const book> p, instant now);
  ~exchange() override;

  // made with
  worker& on;
  net::http_exchange& http;
  std::shared_ptr<const book> plan;
  mono_time arrived;
  instant decided;  // the time all decisions of this call are made at

  // identify
  std::string request_id;
  std::string trace_parent;
  identity::caller who;
  std::string session;

  // route
  const book_route* route{nullptr};
  operation op{operation::none};
  std::string method;
  std::string path;  // as sent, without query; for http routes with it

  // read facts
  std::unique_ptr<opening> open;
  const book_model* model{nullptr};
  std::string asked_model;  // as the caller wrote it
  policy::prompt_size prompt;
  tokens estimated_prompt;
  std::int64_t body_bytes{0};
  bool stream{false};
  bool strip_usage{false};  // weir asked for usage, the caller did not

  // admit
  tokens reserved;  // prompt and the most the answer may be
  reservation held;
  bool observed{false};  // a limit in observe mode would have refused

  // choose
  std::uint64_t tried{0};  // targets that could not be reached, a bit each
  const book_target* target{nullptr};
  const book_provider* provider{nullptr};
  flight in_flight;

  // forward
  std::shared_ptr<net::connection_pool> pool;
  net::wait_slot waiting;
  std::optional<net::answer_reader> answer;
  std::int32_t attempts{0};
  mono_time sent{};        // when the request had gone to the engine
  bool dispatched{false};  // an engine may have begun to work on it

  // relay
  wire::usage usage;
  std::int64_t content_events{0};
  std::int64_t content_bytes{0};
  mono_time first_token{};
  microseconds engine_time{0};  // spent waiting for the engine
  bool stopping{false};         // the time to drain is over
  bool until_close{false};      // the engine's stream has no end of its own

  // record
  int status{0};
  tokens settled;       // what was charged
  bool counted{false};  // settle has run
  gateway::outcome how{outcome::refused};
  std::unique_ptr<wire::refusal> refused;
  std::string_view log_reason;      // for the log only, where the caller is told less
  std::string_view allowed_method;  // of a 405
  std::string_view challenge;       // WWW-Authenticate of a 401

  [[nodiscard]] std::string_view model_name() const {
    return model == nullptr ? std::string_view{} : served_as();
  }
  [[nodiscard]] std::string_view model_label() const {
    return model == nullptr ? std::string_view{"unknown"} : model->label;
  }
  [[nodiscard]] bool plain() const {
    return route != nullptr && route->settings->dialect == config::api::plain;
  }
  [[nodiscard]] wire::dialect dialect() const;
  // Of the time since it arrived, what was not spent waiting for the engine.
  [[nodiscard]] microseconds overhead(mono_time now) const;
  [[nodiscard]] wire::endpoint endpoint() const;

  void caller_gone() override { waiting.give_up(); }
  void shutting_down() override {
    stopping = true;
    waiting.give_up();
  }

 private:
  // Limits and labels know a model by its configured name; under "*" by the name the caller wrote.
  [[nodiscard]] std::string_view served_as() const {
    return model->label == "*" ? std::string_view{asked_model} : model->label;
  }
};

std::string_view operation_name(
    operation op);  // OpenTelemetry's gen_ai.operation.name where there is one
std::string_view outcome_name(outcome how);
// What a limit per endpoint counts by: the operation, or the route's prefix for plain HTTP
// backends.
std::string_view endpoint_name(const exchange& x);

}  // namespace weir::gateway
