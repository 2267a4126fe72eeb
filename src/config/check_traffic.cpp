// Routes, providers and models.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "config/cross_checks.hpp"
#include "config/nearest.hpp"

namespace weir::config {

namespace {

bool is_prefix(std::string_view text) {
  const bool odd = text.find_first_of("?#% \\") != std::string_view::npos ||
                   text.find("//") != std::string_view::npos ||
                   text.find("/./") != std::string_view::npos ||
                   text.find("/../") != std::string_view::npos;
  return text.starts_with('/') && text.ends_with('/') && !odd;
}

// A plain backend's calls have no tokens, model or provider to count by.
void check_http_limits(const route_settings& route, report& to) {
  for (const auto& limit : route.limits) {
    if (limit.rule.spec().unit == policy::unit::tokens) {
      to.add_at(limit.where, "calls of an 'api: http' route have no tokens to count");
    } else if (limit.per.model || limit.per.provider) {
      to.add_at(limit.where, "calls of an 'api: http' route have no model and no provider");
    }
  }
}

void check_route(const route_settings& route, report& to) {
  const auto path = fmt::format("routes.{}", route.prefix);
  const bool http = route.dialect == api::http;
  if (!is_prefix(route.prefix)) {
    to.add_at(path, fmt::format("'{}' is no prefix; expected a path that begins and ends with /, "
                                "such as /app/",
                                route.prefix));
  }
  if (http && !to.has(path + ".to")) {
    to.add_at(path, "'to' is missing: an 'api: http' route needs its backend's URL");
  }
  if (!http && to.has(path + ".to")) {
    to.add_at(path + ".to", "'to' goes with 'api: http' only; models choose providers here");
  }
  if (route.passthrough && route.dialect != api::openai) {
    to.add_at(path + ".passthrough", "'passthrough' goes with 'api: openai' only");
  }
  if (!route.passthrough && to.has(path + ".passthrough_tokens")) {
    to.add_at(path + ".passthrough_tokens", "'passthrough_tokens' needs 'passthrough: true'");
  }
  if (http) check_http_limits(route, to);
}

void check_provider(const provider_settings& provider, report& to) {
  if (!provider.health_path.empty() && !provider.health_path.starts_with('/')) {
    to.add_at(fmt::format("providers.{}.health.path", provider.name),
              "expected a path that begins with /, such as /health");
  }
}

void check_targets(const settings& value, model_settings& model, report& to) {
  const auto path = fmt::format("models.{}.targets", model.name);
  std::vector<std::string_view> names;
  names.reserve(value.providers.size());
  for (const auto& [name, unused] : value.providers) names.push_back(name);
  std::set<std::pair<std::string, std::string>> seen;
  for (std::size_t i = 0; i < model.targets.size(); ++i) {
    const auto& target = model.targets[i];
    const auto at = fmt::format("{}[{}].provider", path, i);
    const auto provider = value.providers.find(target.provider);
    if (target.provider.empty()) continue;  // reported as missing
    if (provider == value.providers.end()) {
      to.add_at(at, fmt::format("there is no provider '{}' under 'providers'{}", target.provider,
                                did_you_mean(target.provider, names)));
    } else if (provider->second.cloud) {
      to.add_at(at, fmt::format("provider '{}' is marked 'cloud' and cannot be a plain target; "
                                "name one in the house",
                                target.provider));
    } else if (!seen.emplace(target.provider, target.model).second) {
      to.add_at(at, fmt::format("target '{}' stands here twice; keep one", target.provider));
    }
  }
}

// A model that names no targets is served by every provider in the house.
void fill_targets(const settings& value, model_settings& model, report& to) {
  const auto path = fmt::format("models.{}", model.name);
  if (to.has(path + ".targets")) {
    if (model.targets.empty()) {
      to.add_at(path + ".targets", "expected at least one target, or no 'targets' at all");
    }
    return;
  }
  for (const auto& [name, provider] : value.providers) {
    if (!provider.cloud) model.targets.push_back({.provider = name, .model = {}});
  }
  if (model.targets.empty()) {
    to.add_at(to.has(path) ? path : "providers",
              "no provider here can serve a model; add one that is not 'cloud'");
  }
}

void check_aliases(const settings& value, report& to) {
  std::map<std::string_view, std::string_view> model_of;
  for (const auto& [name, model] : value.models) {
    for (std::size_t i = 0; i < model.aliases.size(); ++i) {
      const auto& alias = model.aliases[i];
      const auto at = fmt::format("models.{}.aliases[{}]", name, i);
      const auto [other, fresh] = model_of.emplace(alias, name);
      if (name == "*") {
        to.add_at(at, "the model \"*\" stands for all others and cannot have aliases");
      } else if (value.models.contains(alias)) {
        to.add_at(at, fmt::format("'{}' is a model's name already", alias));
      } else if (!fresh) {
        to.add_at(at, fmt::format("'{}' is an alias of '{}' already", alias, other->second));
      }
    }
  }
}

void check_model(const settings& value, model_settings& model, report& to) {
  check_targets(value, model, to);
  fill_targets(value, model, to);
  if (model.context != 0 && model.max_tokens > model.context) {
    to.add_at(fmt::format("models.{}.context", model.name),
              fmt::format("less than the model's max_tokens ({})", model.max_tokens));
  }
}

}  // namespace

void check_traffic(settings& value, report& to) {
  for (const auto& route : value.routes) check_route(route, to);
  if (value.routes.empty()) to.add_at("routes", "expected at least one route, such as /v1/");
  for (const auto& [name, provider] : value.providers) check_provider(provider, to);
  for (auto& [name, model] : value.models) check_model(value, model, to);
  check_aliases(value, to);
  const bool asks_models = std::ranges::any_of(
      value.routes, [](const auto& route) { return route.dialect != api::http; });
  if (asks_models && value.models.empty()) {
    to.add_at("models", "expected at least one model; \"*\" stands for any");
  }
  std::ranges::sort(value.routes, std::ranges::greater{},
                    [](const auto& route) { return std::pair{route.prefix.size(), route.prefix}; });
}

}  // namespace weir::config
