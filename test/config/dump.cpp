// Every field of the settings, by hand, so that one that is not loaded shows in a golden file.
#include "config/dump.hpp"

#include <array>
#include <fmt/format.h>

#include "config/places.hpp"
#include "config/values.hpp"

namespace weir::config {

namespace {

class dumper {
 public:
  template <class T>
  void line(std::string_view path, const T& value) {
    lines_.insert(fmt::format("{} = {}", path, value));
  }
  void line(std::string_view path, microseconds value) { line(path, format_duration(value)); }

  void list(const std::string& path, const std::vector<std::string>& values) {
    line(path, fmt::format("[{}]", fmt::join(values, ", ")));
  }

  void limits(const std::vector<limit_settings>& all) {
    for (const auto& one : all) {
      const auto& spec = one.rule.spec();
      std::string text = fmt::format("{} '{}' -> {}", one.where, one.text, spec.amount);
      constexpr std::array units{"requests", "tokens", "concurrent"};
      constexpr std::array algorithms{"token_bucket", "sliding_window", "calendar", "concurrency",
                                      "total"};
      constexpr std::array periods{"minute", "hour", "day", "week", "month"};
      text += fmt::format(" {}", units.at(static_cast<std::size_t>(spec.unit)));
      text += fmt::format(" {}", algorithms.at(static_cast<std::size_t>(spec.algorithm)));
      if (spec.algorithm == policy::algorithm::calendar) {
        text += fmt::format(" {} {}", periods.at(static_cast<std::size_t>(spec.period)), spec.zone);
      } else if (spec.window != microseconds{0}) {
        text += fmt::format(" {}", format_duration(spec.window));
      }
      lines_.insert(text + " per" + scope(one.per) + (one.observe ? " observe" : ""));
    }
  }

  std::set<std::string> take() { return std::move(lines_); }

 private:
  static std::string scope(const limit_scope& per) {
    std::string text;
    if (per.user) text += " user";
    if (per.tier) text += " tier";
    if (per.api_key) text += " api_key";
    if (per.address) text += " address";
    if (per.session) text += " session";
    if (per.endpoint) text += " endpoint";
    if (per.model) text += " model";
    if (per.provider) text += " provider";
    return text.empty() ? " nothing" : text;
  }

  std::set<std::string> lines_;
};

void dump_server(dumper& to, const settings& value) {
  const auto& server = value.server;
  to.line("server.listen", format_address(server.listen));
  to.line("server.tls", fmt::format("{} {}", server.tls.cert, server.tls.key));
  to.line("server.max_body", server.max_body);
  to.line("server.max_header", server.max_header);
  to.line("server.max_depth", server.max_depth);
  to.list("server.trusted_proxies", server.trusted_proxies);
  to.line("server.header_timeout", server.header_timeout);
  to.line("server.body_timeout", server.body_timeout);
  to.line("server.idle_timeout", server.idle_timeout);
  to.line("server.write_timeout", server.write_timeout);
  to.line("server.drain_timeout", server.drain_timeout);
  to.line("server.heartbeat", server.heartbeat);
  to.line("server.threads", server.threads);
  to.line("server.max_connections_per_address", server.max_connections_per_address);
  to.list("server.cors.origins", server.cors.origins);
  to.line("admin.listen", format_address(value.admin.listen));
  to.line("admin.token", value.admin.token);
  to.line("data_dir", value.data_dir);
}

void dump_identity(dumper& to, const identity_settings& value) {
  const auto& jwt = value.jwt;
  to.line("jwt.enabled", jwt.enabled);
  to.list("jwt.algorithms", jwt.algorithms);
  to.line("jwt.secret", jwt.secret);
  to.line("jwt.public_key", jwt.public_key);
  to.line("jwt.jwks", jwt.jwks);
  to.line("jwt.issuer", jwt.issuer);
  to.line("jwt.audience", jwt.audience);
  to.line("jwt.user_claim", jwt.user_claim);
  to.line("jwt.tier_claim", jwt.tier_claim);
  to.line("jwt.leeway", jwt.leeway);
  to.line("jwt.jwks_max_age", jwt.jwks_max_age);
  to.line("identity.api_keys_file", value.api_keys_file);
  to.line("identity.anonymous", value.anonymous);
  to.line("identity.anonymous_tier", value.anonymous_tier);
  to.line("identity.default_tier", value.default_tier);
}

void dump_shares(dumper& to, const settings& value) {
  for (const auto& [name, tier] : value.tiers) {
    to.line(fmt::format("tier {}", name), tier.name);
    to.limits(tier.limits);
  }
  for (const auto& team : value.teams) {
    to.list(fmt::format("team {}", team.name), team.users);
    to.limits(team.limits);
  }
  to.line("sessions.header", value.sessions.header);
  to.limits(value.sessions.limits);
}

void dump_routes(dumper& to, const settings& value) {
  constexpr std::array dialects{"openai", "plain", "http"};
  std::size_t rank = 0;
  for (const auto& route : value.routes) {
    to.line(
        fmt::format("route {} {}", rank++, route.prefix),
        fmt::format("{} {} passthrough {} {}", dialects.at(static_cast<std::size_t>(route.dialect)),
                    route.to ? format_url(*route.to) : "-", route.passthrough,
                    route.passthrough_tokens));
    to.limits(route.limits);
  }
}

void dump_providers(dumper& to, const settings& value) {
  constexpr std::array engines{"vllm", "ollama", "llamacpp", "openai"};
  for (const auto& [name, one] : value.providers) {
    const auto path = fmt::format("provider {}", name);
    to.line(path, one.name);
    to.line(path + ".url", format_url(one.url));
    to.line(path + ".engine", engines.at(static_cast<std::size_t>(one.engine)));
    to.line(path + ".cloud", one.cloud);
    to.line(path + ".key", one.key);
    to.line(path + ".ca", one.ca);
    to.line(path + ".tls_verify", one.tls_verify);
    to.line(path + ".max_connections", one.max_connections);
    to.line(path + ".health_path", one.health_path);
    to.line(path + ".health_every", one.health_every);
  }
}

void dump_models(dumper& to, const settings& value) {
  for (const auto& [name, one] : value.models) {
    const auto path = fmt::format("model {}", name);
    to.list(path + ".aliases", one.aliases);
    std::vector<std::string> targets;
    for (const auto& target : one.targets) {
      targets.push_back(fmt::format("{}/{}", target.provider, target.model));
    }
    to.list(path + ".targets", targets);
    to.line(path + ".max_tokens", one.max_tokens);
    to.line(path + ".context", one.context);
    to.limits(one.limits);
  }
}

}  // namespace

std::set<std::string> dump(const settings& value) {
  dumper to;
  dump_server(to, value);
  dump_identity(to, value.identity);
  dump_shares(to, value);
  dump_routes(to, value);
  dump_providers(to, value);
  dump_models(to, value);
  to.line("timeouts.connect", value.timeouts.connect);
  to.line("timeouts.first_token", value.timeouts.first_token);
  to.line("timeouts.token_gap", value.timeouts.token_gap);
  to.line("timeouts.total", value.timeouts.total);
  constexpr std::array levels{"debug", "info", "warn", "error", "off"};
  to.line("log.level", levels.at(static_cast<std::size_t>(value.log.level)));
  to.line("log.json", value.log.json);
  to.line("estimate.media_tokens", value.estimate.media_tokens);
  return to.take();
}

}  // namespace weir::config
