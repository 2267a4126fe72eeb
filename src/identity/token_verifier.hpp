// Verifies one JWT in compact form (RFC 7519, RFC 7515) against the configured keys and algorithms.
// Caches nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "config/settings.hpp"
#include "identity/claims.hpp"
#include "identity/jwks_keeper.hpp"

namespace weir::identity {

inline constexpr std::size_t max_token_bytes{16 * 1024};

// Thread-safe.
class token_verifier {
 public:
  // Reads the PEM file, not the JWKS. Errors: an algorithm that is not known, a key that cannot be
  // read.
  static result<token_verifier> make(config::jwt_settings settings);

  struct verified {
    claims said;
    mono_time until{mono_time::max()};  // when the key that verified it grows too old
  };
  using verdict = std::variant<verified, reason, needs_keys>;

  // Which algorithms count comes from the settings and which one fits a key from the key's type;
  // the token's header only picks among those. In doubt, a reason: the token is refused.
  [[nodiscard]] verdict verify(std::string_view token, jwks_keeper& jwks, instant now) const;

  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  struct header {
    algorithm alg{algorithm::hs256};
    std::optional<std::string> kid;
  };
  struct chosen {
    bool good{false};                   // the signature holds
    mono_time until{mono_time::max()};  // as in verified
  };

  explicit token_verifier(config::jwt_settings settings) : settings_{std::move(settings)} {}
  result<void> add_keys();
  result<void> add_algorithms();
  void default_algorithms();
  void warn_of_short_secret();
  [[nodiscard]] std::variant<header, reason> read_header(std::string_view part) const;
  [[nodiscard]] std::variant<chosen, reason, needs_keys> check_signature(std::string_view token,
                                                                         const header& head,
                                                                         jwks_keeper& jwks,
                                                                         mono_time now) const;

  config::jwt_settings settings_;
  std::vector<algorithm> allowed_;
  std::vector<signing_key> fixed_;  // from the secret and the PEM file, at most one of each type
  std::vector<std::string> warnings_;
};

}  // namespace weir::identity
