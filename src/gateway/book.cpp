// From settings to the book.
#include "gateway/book.hpp"

#include <fmt/format.h>

#include "identity/key_file.hpp"

namespace weir::gateway {
namespace {

std::string scope_text(const config::limit_scope& per) {
  std::string text;
  const auto add = [&text](bool on, std::string_view name) {
    if (!on) return;
    if (!text.empty()) text += " and ";
    text += name;
  };
  add(per.user, "user");
  add(per.tier, "tier");
  add(per.api_key, "api_key");
  add(per.address, "address");
  add(per.session, "session");
  add(per.endpoint, "endpoint");
  add(per.model, "model");
  add(per.provider, "provider");
  return text.empty() ? "all" : text;
}

std::string host_text(const config::url& url) {
  const bool v6 = url.host.find(':') != std::string::npos;
  const std::uint16_t usual = url.tls ? 443 : 80;
  const std::string host = v6 ? fmt::format("[{}]", url.host) : url.host;
  return url.port == usual ? host : fmt::format("{}:{}", host, url.port);
}

// Fills a provider in place: the book holds it, and targets point to it.
result<void> fill(book_provider& provider, const config::provider_settings& settings,
                  provider_directory& states) {
  provider.settings = &settings;
  provider.state = states.of(settings.name);
  provider.host = host_text(settings.url);
  if (!settings.key.empty()) provider.authorization = "Bearer " + settings.key;
  if (!settings.url.tls) return {};
  auto context = net::tls_context::client(settings.ca, settings.tls_verify);
  if (!context)
    return fail(fmt::format("providers.{}: {}", settings.name, context.error().message));
  provider.tls = std::move(*context);
  return {};
}

}  // namespace

std::vector<book_limit> name_limits(const std::vector<config::limit_settings>& source,
                                    limit_owner owner, const store::key_hasher& hasher) {
  std::vector<book_limit> named;
  named.reserve(source.size());
  for (const auto& limit : source) {
    const auto& spec = limit.rule.spec();
    const std::string name = fmt::format("{}|{}|{}", limit.where, static_cast<int>(spec.unit),
                                         static_cast<int>(spec.algorithm));
    named.push_back({&limit, hasher.value(name), owner, scope_text(limit.per)});
  }
  return named;
}

result<std::shared_ptr<const book>> book::make(std::shared_ptr<const config::settings> settings,
                                               lasting_state& lasting, instant now,
                                               const book* previous) {
  std::shared_ptr<book> made{new book};
  made->settings_ = std::move(settings);
  const auto built = made->build(lasting, now, previous);
  if (!built) return built.error();
  return std::shared_ptr<const book>{made};
}

result<void> book::build(lasting_state& lasting, instant now, const book* previous) {
  if (const auto done = add_providers(lasting); !done) return done;
  if (const auto done = add_identity(now, previous); !done) return done;
  for (const auto& [name, model] : settings_->models) {
    if (model.targets.size() > max_targets)
      return fail(fmt::format("models.{}: expected at most {} targets", name, max_targets));
  }
  add_models(lasting);
  for (const auto& [name, tier] : settings_->tiers) {
    tiers_.emplace(name, name_limits(tier.limits, limit_owner::tier, lasting.hasher));
  }
  for (const auto& team : settings_->teams) {
    teams_.emplace(team.name, name_limits(team.limits, limit_owner::team, lasting.hasher));
  }
  session_limits_ = name_limits(settings_->sessions.limits, limit_owner::session, lasting.hasher);
  const auto& tls = settings_->server.tls;
  if (!tls.cert.empty()) {
    auto context = net::tls_context::server(tls.cert, tls.key);
    if (!context) return fail("server.tls: " + context.error().message);
    server_tls_ = std::move(*context);
  }
  return add_routes(lasting);
}

result<void> book::add_providers(lasting_state& lasting) {
  for (const auto& [name, settings] : settings_->providers) {
    if (const auto filled = fill(providers_[name], settings, lasting.providers); !filled)
      return filled;
  }
  return {};
}

result<void> book::add_identity(instant now, const book* previous) {
  auto networks = identity::trusted_networks::make(settings_->server.trusted_proxies);
  if (!networks) return fail("server.trusted_proxies: " + networks.error().message);
  trusted_ = std::move(*networks);
  identity::key_table keys;
  if (!settings_->identity.api_keys_file.empty()) {
    auto loaded = identity::load_keys(settings_->identity.api_keys_file);
    if (!loaded) return loaded.error();
    keys = std::move(*loaded);
  }
  auto made = identity::authenticator::make(*settings_, std::move(keys), now);
  if (!made) return made.error();
  authenticator_ = std::move(*made);
  if (previous != nullptr) authenticator_->adopt_jwks(previous->authenticator());
  return {};
}

void book::add_models(lasting_state& lasting) {
  for (const auto& [name, settings] : settings_->models) {
    auto model = std::make_unique<book_model>();
    model->settings = &settings;
    model->label = name;
    model->limits = name_limits(settings.limits, limit_owner::model, lasting.hasher);
    for (const auto& target : settings.targets) {
      model->targets.push_back({&providers_.find(target.provider)->second, target.model});
    }
    auto& estimate = lasting.estimates[name];
    if (!estimate) estimate = std::make_shared<policy::shared_token_estimate>();
    model->estimate = estimate;
    if (name == "*") {
      others_ = model.get();
    } else {
      by_name_.emplace(name, model.get());
      for (const auto& alias : settings.aliases) by_name_.emplace(alias, model.get());
    }
    models_.push_back(std::move(model));
  }
}

result<void> book::add_routes(lasting_state& lasting) {
  for (const auto& settings : settings_->routes) {
    auto route = std::make_unique<book_route>();
    route->settings = &settings;
    route->limits = name_limits(settings.limits, limit_owner::route, lasting.hasher);
    if (settings.to) {
      route->backend_settings.name = "route " + settings.prefix;
      route->backend_settings.url = *settings.to;
      route->backend.emplace();
      if (const auto filled = fill(*route->backend, route->backend_settings, lasting.providers);
          !filled)
        return filled;
    }
    routes_.push_back(std::move(route));
  }
  return {};
}

const book_route* book::route(std::string_view path) const {
  for (const auto& route : routes_) {
    if (path.starts_with(route->settings->prefix)) return route.get();
  }
  return nullptr;
}

const book_model* book::model(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found != by_name_.end() ? found->second : others_;
}

const std::vector<book_limit>& book::tier_limits(std::string_view tier) const {
  const auto found = tiers_.find(tier);
  return found != tiers_.end() ? found->second : no_limits_;
}

const std::vector<book_limit>& book::team_limits(std::string_view team) const {
  const auto found = teams_.find(team);
  return found != teams_.end() ? found->second : no_limits_;
}

}  // namespace weir::gateway
