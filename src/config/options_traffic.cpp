// The rows of `routes`, `providers` and `models`: where calls come in and where they go.
#include "config/option_rows.hpp"

namespace weir::config {

namespace {

owner open_route(const owner& to, const std::string& prefix) {
  auto& routes = std::get<settings*>(to)->routes;
  routes.push_back({.prefix = prefix, .to = std::nullopt, .limits = {}});
  return &routes.back();
}

owner open_provider(const owner& to, const std::string& name) {
  auto& provider = std::get<settings*>(to)->providers[name];
  provider.name = name;
  return &provider;
}

owner open_model(const owner& to, const std::string& name) {
  auto& model = std::get<settings*>(to)->models[name];
  model.name = name;
  return &model;
}

owner open_target(const owner& to, const std::string& /*unused*/) {
  return &std::get<model_settings*>(to)->targets.emplace_back();
}

void add_routes(std::vector<option>& rows) {
  rows.push_back(
      {.path = "routes",
       .sentence = "Path prefixes, each beginning and ending with /; the longest wins."});
  rows.push_back({.path = "routes.*", .open = &open_route, .sentence = "One route."});
  rows.push_back({.path = "routes.*.api",
                  .type = kind::choice,
                  .assign = &field<&route_settings::dialect>,
                  .fallback = "openai",
                  .choices = "openai plain http",
                  .sentence = "The dialect: openai, plain chat, or any other HTTP backend."});
  rows.push_back({.path = "routes.*.to",
                  .type = kind::url,
                  .assign = &field<&route_settings::to>,
                  .sentence = "The backend's base URL; only and always with `api: http`."});
  rows.push_back({.path = "routes.*.passthrough",
                  .type = kind::flag,
                  .assign = &field<&route_settings::passthrough>,
                  .fallback = "false",
                  .sentence = "Whether paths that weir does not know are relayed too, each at the "
                              "fixed cost `passthrough_tokens`; only with `api: openai`."});
  rows.push_back({.path = "routes.*.passthrough_tokens",
                  .type = kind::integer,
                  .assign = &field<&route_settings::passthrough_tokens>,
                  .fallback = "0",
                  .most = 1'000'000'000,
                  .sentence = "The tokens that each such call counts for."});
  rows.push_back({.path = "routes.*.limits[]",
                  .type = kind::limit,
                  .assign = &field<&route_settings::limits>,
                  .home = limit_home::route,
                  .sentence = "Limits of the route's callers, each user for itself."});
}

void add_providers(std::vector<option>& rows) {
  rows.push_back({.path = "providers",
                  .member_name = kind::name,
                  .sentence = "The engines and services that answer calls."});
  rows.push_back({.path = "providers.*", .open = &open_provider, .sentence = "One provider."});
  rows.push_back({.path = "providers.*.url",
                  .type = kind::provider,
                  .assign = &field<&provider_settings::url>,
                  .required = true,
                  .sentence = "Its base URL; a /v1 at its end makes no difference."});
  rows.push_back({.path = "providers.*.engine",
                  .type = kind::choice,
                  .assign = &field<&provider_settings::engine>,
                  .fallback = "openai",
                  .choices = "vllm ollama llamacpp openai (anthropic)",
                  .sentence = "What it runs, where engines differ."});
  rows.push_back({.path = "providers.*.cloud",
                  .type = kind::flag,
                  .assign = &field<&provider_settings::cloud>,
                  .fallback = "false",
                  .sentence = "It leaves the house: no model may name it as a target."});
  rows.push_back({.path = "providers.*.key",
                  .type = kind::secret,
                  .assign = &field<&provider_settings::key>,
                  .sentence = "Sent to it, and only to it, as a bearer token."});
  rows.push_back({.path = "providers.*.ca",
                  .type = kind::text,
                  .assign = &field<&provider_settings::ca>,
                  .sentence = "PEM file of roots to trust for it beside the system's."});
  rows.push_back({.path = "providers.*.tls_verify",
                  .type = kind::flag,
                  .assign = &field<&provider_settings::tls_verify>,
                  .fallback = "true",
                  .sentence = "Whether its certificate is checked; false is for tests."});
  rows.push_back({.path = "providers.*.max_connections",
                  .type = kind::integer,
                  .assign = &field<&provider_settings::max_connections>,
                  .fallback = "0",
                  .most = 1'000'000,
                  .sentence = "Connections to it per worker thread; 0 is no cap."});
  rows.push_back({.path = "providers.*.health",
                  .sentence = "How a provider that failed is asked whether it is back."});
  rows.push_back({.path = "providers.*.health.path",
                  .type = kind::text,
                  .assign = &field<&provider_settings::health_path>,
                  .sentence = "A path to GET, such as /health; none: a connection is enough."});
  rows.push_back({.path = "providers.*.health.every",
                  .type = kind::duration,
                  .assign = &field<&provider_settings::health_every>,
                  .fallback = "2s",
                  .least = 100'000,
                  .most = 3'600'000'000,
                  .sentence = "The time between two such questions."});
}

void add_models(std::vector<option>& rows) {
  rows.push_back({.path = "models",
                  .sentence = "The models callers may name; \"*\" is the rule for all others."});
  rows.push_back({.path = "models.*", .open = &open_model, .sentence = "One model."});
  rows.push_back({.path = "models.*.aliases[]",
                  .type = kind::text,
                  .assign = &field<&model_settings::aliases>,
                  .least = 1,
                  .sentence = "Other names that callers may use for it."});
  rows.push_back({.path = "models.*.limits[]",
                  .type = kind::limit,
                  .assign = &field<&model_settings::limits>,
                  .home = limit_home::model,
                  .sentence = "Limits of the model, shared by all its callers."});
  rows.push_back({.path = "models.*.targets[]",
                  .open = &open_target,
                  .shorthand = "provider",
                  .sentence = "Who serves it, balanced by what they have in flight; without it "
                              "every provider that is not `cloud`."});
  rows.push_back({.path = "models.*.targets[].provider",
                  .type = kind::text,
                  .assign = &field<&target_settings::provider>,
                  .least = 1,
                  .required = true,
                  .sentence = "The provider's name; a target written as a name alone is this."});
  rows.push_back({.path = "models.*.targets[].model",
                  .type = kind::text,
                  .assign = &field<&target_settings::model>,
                  .sentence = "The name that provider knows the model by; none: the same."});
  rows.push_back({.path = "models.*.max_tokens",
                  .type = kind::integer,
                  .assign = &field<&model_settings::max_tokens>,
                  .fallback = "4096",
                  .least = 1,
                  .most = 1'000'000'000,
                  .sentence = "The most an answer may have where the caller does not say."});
  rows.push_back({.path = "models.*.context",
                  .type = kind::integer,
                  .assign = &field<&model_settings::context>,
                  .fallback = "0",
                  .most = 1'000'000'000,
                  .sentence = "Tokens of prompt and answer together; 0 is unknown."});
}

}  // namespace

void add_traffic_options(std::vector<option>& rows) {
  add_routes(rows);
  add_providers(rows);
  add_models(rows);
}

}  // namespace weir::config
