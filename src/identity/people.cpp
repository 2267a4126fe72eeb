// See people.hpp.
#include "identity/people.hpp"

#include "identity/text.hpp"

namespace weir::identity {

people::people(const config::settings& settings)
    : default_tier_{upper(settings.identity.default_tier)} {
  for (const auto& [name, tier] : settings.tiers) tiers_.insert(upper(name));
  for (const auto& team : settings.teams)
    for (const auto& user : team.users) team_of_user_.emplace(user, team.name);
  anonymous_tier_ = tier_named(settings.identity.anonymous_tier);
}

std::string people::tier_named(std::string_view name) const {
  auto wanted = upper(name);
  return tiers_.contains(wanted) ? wanted : default_tier_;
}

std::string people::team_of(const std::string& user) const {
  const auto found = team_of_user_.find(user);
  return found == team_of_user_.end() ? std::string{} : found->second;
}

caller people::of_token(const claims& said) const {
  caller who;
  who.user = said.user;
  who.tier = tier_named(said.tier);
  who.team = team_of(said.user);
  who.how = caller::kind::jwt;
  return who;
}

caller people::of_key(const api_key& key) const {
  caller who;
  who.user = key.user;
  who.tier = tier_named(key.tier);
  who.team = key.team.empty() ? team_of(key.user) : key.team;
  who.key_id = key.id;
  who.how = caller::kind::api_key;
  who.models = key.models;
  who.limits = key.limits;
  return who;
}

caller people::of_address(std::string_view address) const {
  caller who;
  who.user = address;
  who.tier = anonymous_tier_;
  who.how = caller::kind::anonymous;
  who.address = address;
  return who;
}

}  // namespace weir::identity
