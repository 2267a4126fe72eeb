// Step 8: one log line and the metrics. What is asked for later must be found here: the decision,
// its rule and reason.
#include "gateway/pipeline.hpp"
#include "gateway/worker.hpp"

namespace weir::gateway {
namespace {

namespace family = observe::family;

std::string_view how_identified(identity::caller::kind how) {
  switch (how) {
    case identity::caller::kind::jwt:
      return "jwt";
    case identity::caller::kind::api_key:
      return "api_key";
    case identity::caller::kind::anonymous:
      break;
  }
  return "anonymous";
}

std::string_view provider_label(const exchange& x) {
  return x.provider == nullptr ? std::string_view{} : std::string_view{x.provider->settings->name};
}

void count_tokens(const exchange& x, std::int64_t prompt, std::int64_t completion) {
  auto& metrics = x.on.metrics();
  const auto label = x.model_label();
  metrics.add(family::tokens, {label, "prompt"}, prompt);
  metrics.add(family::tokens, {label, "completion"}, completion);
  if (x.usage.cached.value_or(0) > 0)
    metrics.add(family::tokens, {label, "cached"}, *x.usage.cached);
  metrics.add(family::tokens_source, {x.usage.prompt ? "usage" : "estimate"});
  const auto op = operation_name(x.op);
  metrics.observe(family::token_usage, {op, label, provider_label(x), "input"}, prompt);
  metrics.observe(family::token_usage, {op, label, provider_label(x), "output"}, completion);
}

void count_times(const exchange& x, mono_time now, std::int64_t completion) {
  auto& metrics = x.on.metrics();
  const auto op = operation_name(x.op);
  const auto label = x.model_label();
  const auto provider = provider_label(x);
  const auto error = x.how == outcome::success ? std::string_view{} : outcome_name(x.how);
  metrics.observe(family::request_duration, {op, label, provider, error}, now - x.arrived);
  if (x.first_token == mono_time{}) return;
  metrics.observe(family::ttft, {op, label, provider}, x.first_token - x.arrived);
  if (completion > 1) {
    metrics.observe(family::time_per_output_token, {op, label, provider},
                    (now - x.first_token) / (completion - 1));
  }
}

void count(const exchange& x, mono_time now, microseconds overhead, std::int64_t prompt,
           std::int64_t completion) {
  auto& metrics = x.on.metrics();
  const auto route =
      x.route == nullptr ? std::string_view{"none"} : std::string_view{x.route->settings->prefix};
  metrics.add(family::requests,
              {route, x.model_label(), observe::status_label(x.status), outcome_name(x.how)});
  if (x.refused && x.how == outcome::refused) {
    metrics.add(family::refusals, {x.refused->code, x.refused->rule, x.refused->scope});
  }
  if (x.attempts == 0 || x.model == nullptr) return;
  metrics.observe(family::overhead, {}, overhead);
  count_times(x, now, completion);
  if (x.dispatched) count_tokens(x, prompt, completion);
}

}  // namespace

void record(exchange& x) {
  const instant now = x.on.with().time.now();
  const microseconds overhead = x.overhead(now.mono);
  const std::int64_t prompt = x.usage.prompt.value_or(x.dispatched ? x.estimated_prompt.count : 0);
  const std::int64_t completion =
      x.usage.completion.value_or(std::max<std::int64_t>(0, x.settled.count - prompt));
  count(x, now.mono, overhead, prompt, completion);
  auto& log = x.on.with().log;
  if (!log.enabled(observe::log_level::info)) return;
  observe::call_record line;
  line.at = now.wall;
  line.request_id = x.request_id;
  line.user = x.who.user;
  line.tier = x.who.tier;
  line.team = x.who.team;
  line.key_id = x.who.key_id;
  line.how = how_identified(x.who.how);
  line.address = x.who.address;
  line.session = x.session;
  line.method = x.method;
  line.route =
      x.route == nullptr ? std::string_view{} : std::string_view{x.route->settings->prefix};
  line.endpoint = endpoint_name(x);
  line.model = x.asked_model;
  line.served_model = x.target == nullptr ? std::string_view{} : std::string_view{x.target->model};
  line.provider = provider_label(x);
  line.status = x.status;
  line.outcome = outcome_name(x.how);
  line.decision = x.refused && x.how == outcome::refused ? "refused"
                  : x.observed                           ? "observed"
                                                         : "allowed";
  if (x.refused) {
    line.reason = x.log_reason.empty() ? std::string_view{x.refused->code} : x.log_reason;
    line.rule = x.refused->rule;
    line.scope = x.refused->scope;
    line.limit = x.refused->limit;
    line.used = x.refused->used;
    line.retry_after = x.refused->retry_after.value_or(0);
  }
  line.prompt_tokens = x.model == nullptr ? 0 : prompt;
  line.completion_tokens = x.model == nullptr ? 0 : completion;
  line.cached_tokens = x.usage.cached.value_or(0);
  line.tokens_source = x.model == nullptr || !x.dispatched ? ""
                       : x.usage.prompt                    ? "usage"
                                                           : "estimate";
  line.reserved_tokens = x.reserved.count;
  line.attempts = x.attempts;
  line.stream = x.stream;
  line.duration_us = (now.mono - x.arrived).count();
  line.ttft_us = x.first_token == mono_time{} ? 0 : (x.first_token - x.arrived).count();
  line.overhead_us = overhead.count();
  line.bytes_in = x.body_bytes;
  line.bytes_out = static_cast<std::int64_t>(x.http.bytes_sent());
  line.trace_id = x.trace_parent;
  log.call(line);
}

}  // namespace weir::gateway
