// The configuration made ready for the hot path: names resolved to pointers, limits to named rules,
// providers to their running state. Immutable; a reload makes a new book and calls in flight finish
// on theirs.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"
#include "config/settings.hpp"
#include "gateway/providers.hpp"
#include "identity/client_address.hpp"
#include "identity/identity.hpp"
#include "net/tls.hpp"
#include "policy/estimate.hpp"
#include "store/keys.hpp"

namespace weir::gateway {

// Whose limit it is: decides the code of a refusal.
enum class limit_owner : std::uint8_t {
  tier,     // rate_limit_exceeded
  model,    // model_capacity_exceeded
  route,    // rate_limit_exceeded
  team,     // rate_limit_exceeded
  session,  // rate_limit_exceeded
  api_key,  // rate_limit_exceeded
};

struct book_limit {
  const config::limit_settings* source;
  key128 name;  // the same over reloads as long as it stands at the same place
  limit_owner owner;
  std::string scope;  // "user", "user and model", or "all"
};

struct book_provider {
  const config::provider_settings* settings;
  std::shared_ptr<provider_state> state;
  std::optional<net::tls_context> tls;
  std::string host;           // value of Host
  std::string authorization;  // value of Authorization; empty: none
};

struct book_target {
  const book_provider* provider;
  std::string model;  // the provider's name for it; empty: as the caller wrote it
};

// Targets that one model may have: exchange::tried holds a bit for each.
inline constexpr std::size_t max_targets = 64;

struct book_model {
  const config::model_settings* settings;
  std::string label;  // for metrics: the configured name, "*" for the rule for all others
  std::vector<book_limit> limits;
  std::vector<book_target> targets;
  std::shared_ptr<policy::shared_token_estimate> estimate;
};

struct book_route {
  const config::route_settings* settings;
  std::vector<book_limit> limits;
  std::optional<book_provider> backend;  // api: http
  config::provider_settings backend_settings;
};

// What outlives a reload.
struct lasting_state {
  store::key_hasher hasher;
  provider_directory providers;
  std::map<std::string, std::shared_ptr<policy::shared_token_estimate>> estimates;
};

class book {
 public:
  // Errors: a key, certificate or API key file that cannot be read; they name the file. `previous`
  // may be null.
  static result<std::shared_ptr<const book>> make(std::shared_ptr<const config::settings> settings,
                                                  lasting_state& lasting, instant now,
                                                  const book* previous);
  book(const book&) = delete;
  book& operator=(const book&) = delete;

  [[nodiscard]] const config::settings& settings() const { return *settings_; }
  // The route of a path by its longest prefix, or null.
  [[nodiscard]] const book_route* route(std::string_view path) const;
  // The model of a name or alias, else the rule for all others, else null.
  [[nodiscard]] const book_model* model(std::string_view name) const;
  [[nodiscard]] const std::vector<book_limit>& tier_limits(std::string_view tier) const;
  [[nodiscard]] const std::vector<book_limit>& team_limits(std::string_view team) const;
  [[nodiscard]] const std::vector<book_limit>& session_limits() const { return session_limits_; }
  [[nodiscard]] const std::map<std::string, book_provider, std::less<>>& providers() const {
    return providers_;
  }
  [[nodiscard]] const std::vector<std::unique_ptr<book_model>>& models() const { return models_; }
  [[nodiscard]] identity::authenticator& authenticator() const { return *authenticator_; }
  [[nodiscard]] const identity::trusted_networks& trusted() const { return trusted_; }
  [[nodiscard]] const std::optional<net::tls_context>& server_tls() const { return server_tls_; }

 private:
  book() = default;
  using limits = std::vector<book_limit>;
  struct hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  template <class T>
  using table = std::unordered_map<std::string, T, hash, std::equal_to<>>;

  result<void> build(lasting_state& lasting, instant now, const book* previous);
  result<void> add_providers(lasting_state& lasting);
  result<void> add_identity(instant now, const book* previous);
  void add_models(lasting_state& lasting);
  result<void> add_routes(lasting_state& lasting);

  std::shared_ptr<const config::settings> settings_;
  std::map<std::string, book_provider, std::less<>> providers_;
  std::vector<std::unique_ptr<book_model>> models_;
  table<const book_model*> by_name_;
  const book_model* others_{nullptr};
  std::vector<std::unique_ptr<book_route>> routes_;
  table<limits> tiers_;
  table<limits> teams_;
  limits session_limits_;
  limits no_limits_;
  std::unique_ptr<identity::authenticator> authenticator_;
  identity::trusted_networks trusted_;
  std::optional<net::tls_context> server_tls_;
};

// Names limits for the hot path. `source` must outlive the result.
std::vector<book_limit> name_limits(const std::vector<config::limit_settings>& source,
                                    limit_owner owner, const store::key_hasher& hasher);

}  // namespace weir::gateway
