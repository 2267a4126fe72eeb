// The metric series that are known from the configuration.
#include "gateway/worker.hpp"

namespace weir::gateway {
namespace {

namespace family = observe::family;

void declare_rules(observe::metrics& metrics, const std::vector<book_limit>& limits) {
  for (const auto& limit : limits) {
    const std::string_view code =
        limit.owner == limit_owner::model ? "model_capacity_exceeded" : "rate_limit_exceeded";
    metrics.declare(family::refusals, {code, limit.source->where, limit.scope});
    if (limit.source->observe) metrics.declare(family::would_refuse, {limit.source->where});
  }
}

// The outcomes that alerts are written on.
void declare_requests(observe::metrics& metrics, const book& plan, std::string_view model) {
  for (const auto& route : plan.settings().routes) {
    metrics.declare(family::requests, {route.prefix, model, "200", "success"});
    metrics.declare(family::requests, {route.prefix, model, "429", "refused"});
    metrics.declare(family::requests, {route.prefix, model, "502", "upstream_unreachable"});
    metrics.declare(family::requests, {route.prefix, model, "504", "upstream_timeout"});
  }
}

}  // namespace

void declare_series(observe::metrics& metrics, const book& plan) {
  for (const auto& model : plan.models()) {
    declare_rules(metrics, model->limits);
    declare_requests(metrics, plan, model->label);
    for (const std::string_view kind : {"prompt", "completion", "cached"}) {
      metrics.declare(family::tokens, {model->label, kind});
    }
  }
  for (const auto& [name, tier] : plan.settings().tiers)
    declare_rules(metrics, plan.tier_limits(name));
  for (const auto& team : plan.settings().teams)
    declare_rules(metrics, plan.team_limits(team.name));
  declare_rules(metrics, plan.session_limits());
  for (const auto& [name, provider] : plan.providers()) {
    for (const std::string_view reused : {"true", "false"}) {
      metrics.declare(family::upstream_connections, {name, reused});
    }
    for (const std::string_view kind :
         {"connect", "connect_timeout", "timeout", "protocol", "closed", "truncated", "5xx",
          "in_stream", "error_in_200", "credentials", "redirect"}) {
      metrics.declare(family::upstream_errors, {name, kind});
    }
  }
  metrics.declare(family::tokens_source, {"usage"});
  metrics.declare(family::tokens_source, {"estimate"});
}

}  // namespace weir::gateway
