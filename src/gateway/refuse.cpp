// Refusals: what a caller is told, in one place. Each says what, why and what to do; none quotes a
// prompt or a secret.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "gateway/pipeline.hpp"
#include "gateway/relay.hpp"
#include "gateway/worker.hpp"
#include "wire/durations.hpp"

namespace weir::gateway {
namespace {

constexpr std::int64_t longest_sleep =
    60;  // seconds; clients that are told more either sleep it or retry at once

std::string instant_text(wall_time at) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}Z", fmt::gmtime(std::chrono::system_clock::to_time_t(
                                                  std::chrono::ceil<std::chrono::seconds>(at))));
}

std::string limit_message(const exchange& x, const book_limit& limit, const store::verdict& why) {
  const auto& text = limit.source->text;
  if (why.never) {
    return fmt::format("this call asks for more than the whole limit of {} ({}); ask for less",
                       text, limit.source->where);
  }
  const auto seconds = wire::retry_after_seconds(why.wait);
  if (limit.owner == limit_owner::model) {
    return fmt::format("the model {} is at its limit of {}; retry in {} s", x.model_name(), text,
                       seconds);
  }
  return fmt::format("over the limit of {} per {} ({}); retry in {} s", text, limit.scope,
                     limit.source->where, seconds);
}

}  // namespace

void refuse_simple(exchange& x, int status, std::string_view code, std::string message,
                   outcome how) {
  x.refused = std::make_unique<wire::refusal>();
  x.refused->status = status;
  x.refused->code = code;
  x.refused->message = std::move(message);
  x.how = how;
}

void refuse_method(exchange& x, std::string_view allowed) {
  refuse_simple(x, 405, "method_not_allowed", fmt::format("use {} here", allowed));
  x.allowed_method = allowed;
}

void refuse_login(exchange& x, const identity::rejection& why) {
  refuse_simple(x, why.status, "invalid_api_key", "the credentials are missing, wrong or expired");
  x.challenge = why.challenge;
  x.log_reason = identity::to_string(why.why);
  x.on.metrics().add(observe::family::auth_failures, {x.log_reason});
}

void refuse_login_flood(exchange& x, microseconds wait) {
  refuse_simple(x, 429, "rate_limit_exceeded",
                "too many calls with bad credentials from this address");
  x.refused->retry_after = wire::retry_after_seconds(wait);
  x.refused->tier = x.who.tier;
  x.refused->rule = "failed logins";
  x.refused->scope = "address";
}

void refuse_limit(exchange& x, const book_limit& limit, const store::verdict& why) {
  const bool of_model = limit.owner == limit_owner::model;
  refuse_simple(x, 429, of_model ? "model_capacity_exceeded" : "rate_limit_exceeded",
                limit_message(x, limit, why));
  auto& refused = *x.refused;
  refused.rule = limit.source->where;
  refused.scope = limit.scope;
  refused.limit = why.limit;
  refused.used = std::max<std::int64_t>(0, why.limit - why.remaining);
  refused.tier = x.who.tier;
  refused.model = x.model_name();
  refused.resets_at = instant_text(x.decided.wall + why.reset);
  if (why.never) {
    refused.should_retry = false;
    return;
  }
  refused.retry_after = wire::retry_after_seconds(why.wait);
  if (*refused.retry_after > longest_sleep) refused.should_retry = false;
}

void refuse_body(exchange& x, const wire::body_error& why) {
  refuse_simple(x, why.status, why.code, why.message);
  x.refused->param = why.param;
}

void explain_unsent(exchange& x, sending last) {
  if (x.http.gone()) {
    x.how = outcome::client_gone;
    x.refused.reset();
    return;
  }
  if (x.refused) return;
  if (last == sending::stale) {
    refuse_simple(x, 502, "upstream_closed", "the engine closed the connection without an answer",
                  outcome::upstream_error);
    return;
  }
  refuse_simple(x, 502, "upstream_unreachable", "no engine of this model can be reached",
                outcome::upstream_unreachable);
  x.refused->retry_after = 1;
}

task<> answer_refusal(exchange& x) {
  const wire::refusal& why = *x.refused;
  if (x.http.gone()) co_return;
  net::response_head head = answer_head(x, why.status);
  head.add("Content-Type", "application/json");
  for (const auto& [name, value] : wire::error_headers(why)) head.add(name, value);
  if (!x.allowed_method.empty()) head.add("Allow", x.allowed_method);
  if (!x.challenge.empty()) head.add("WWW-Authenticate", x.challenge);
  const std::string body = wire::error_body(why, x.dialect());
  co_await x.http.send(std::move(head), body);
}

}  // namespace weir::gateway
