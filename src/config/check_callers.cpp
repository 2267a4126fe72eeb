// Identity, tiers and teams.
#include <fmt/format.h>
#include <map>

#include "config/cross_checks.hpp"
#include "config/nearest.hpp"
#include "config/places.hpp"

namespace weir::config {

namespace {

void check_tier(const settings& value, const std::string& name, std::string_view path, report& to) {
  if (value.tiers.contains(name)) return;
  std::vector<std::string_view> names;
  names.reserve(value.tiers.size());
  for (const auto& [known, unused] : value.tiers) names.push_back(known);
  to.add_at(path,
            fmt::format("there is no tier '{}' under 'tiers'{}", name, did_you_mean(name, names)));
}

void check_jwks(const std::string& jwks, report& to) {
  const bool remote = jwks.find("://") != std::string::npos;
  if (remote && !parse_url(std::string_view{jwks}.substr(0, jwks.find('?')))) {
    to.add_at("identity.jwt.jwks", "expected a file or an http(s) URL");
  }
}

void check_jwt(jwt_settings& jwt, report& to) {
  if (!to.has("identity.jwt")) return;
  const bool any_given = to.has("identity.jwt.secret") || to.has("identity.jwt.public_key") ||
                         to.has("identity.jwt.jwks");
  if (!any_given) {
    to.add_at("identity.jwt", "a key is missing: expected secret, public_key or jwks");
    return;
  }
  jwt.enabled = !jwt.secret.empty() || !jwt.public_key.empty() || !jwt.jwks.empty();
  if (!jwt.enabled) return;
  check_jwks(jwt.jwks, to);
  if (jwt.algorithms.empty() && !to.has("identity.jwt.algorithms[0]")) {
    to.add_at("identity.jwt.algorithms", "expected the algorithms to accept, such as [HS256]");
  }
  for (std::size_t i = 0; i < jwt.algorithms.size(); ++i) {
    const auto& name = jwt.algorithms[i];
    const bool shared = name.starts_with("HS");
    const bool has_key =
        shared ? !jwt.secret.empty() : !jwt.public_key.empty() || !jwt.jwks.empty();
    if (!has_key) {
      to.add_at("identity.jwt.algorithms",
                fmt::format("{} needs {}", name, shared ? "a secret" : "public_key or jwks"));
    }
  }
}

void check_teams(const settings& value, report& to) {
  std::map<std::string_view, std::string_view> team_of;
  for (const auto& team : value.teams) {
    for (std::size_t i = 0; i < team.users.size(); ++i) {
      const auto [other, fresh] = team_of.emplace(team.users[i], team.name);
      if (fresh) continue;
      to.add_at(fmt::format("teams.{}.users[{}]", team.name, i),
                fmt::format("user '{}' is in team '{}' already; a user is in one team at most",
                            team.users[i], other->second));
    }
  }
}

}  // namespace

void check_callers(settings& value, report& to) {
  const auto& identity = value.identity;
  check_tier(value, identity.default_tier, "identity.default_tier", to);
  if (identity.anonymous) {
    check_tier(value, identity.anonymous_tier, "identity.anonymous.tier", to);
  }
  check_jwt(value.identity.jwt, to);
  check_teams(value, to);
}

}  // namespace weir::config
