// From names to callers: tiers, teams and API keys. Immutable after loading; knows nothing of
// tokens.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "config/settings.hpp"
#include "identity/caller.hpp"
#include "identity/claims.hpp"
#include "identity/key_file.hpp"

namespace weir::identity {

class people {
 public:
  explicit people(const config::settings& settings);

  // The caller that a verified token, a key or an address stands for; the address of the first two
  // is left empty.
  [[nodiscard]] caller of_token(const claims& said) const;
  [[nodiscard]] caller of_key(const api_key& key) const;
  [[nodiscard]] caller of_address(std::string_view address) const;

 private:
  // The configured tier of that name in any case, else the default tier.
  [[nodiscard]] std::string tier_named(std::string_view name) const;
  [[nodiscard]] std::string team_of(const std::string& user) const;

  std::set<std::string, std::less<>> tiers_;
  std::map<std::string, std::string, std::less<>> team_of_user_;
  std::string default_tier_;
  std::string anonymous_tier_;
};

}  // namespace weir::identity
