// The JWKS of an authenticator over time: what is known, how old it is, and when to fetch it again.
// Does not fetch.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "config/settings.hpp"
#include "identity/key_set.hpp"

namespace weir::identity {

inline constexpr microseconds fetch_interval{30s};  // least time between the starts of two fetches
inline constexpr microseconds refresh_interval{10min};  // age at which known keys are fetched again
inline constexpr std::size_t max_jwks_bytes{1024 * 1024};

// Thread-safe; every call holds a lock for nanoseconds, parsing is outside of it.
class jwks_keeper {
 public:
  // An empty source: there is no JWKS, nothing is ever due.
  explicit jwks_keeper(const config::jwt_settings& settings);

  struct known {
    std::shared_ptr<const key_set> keys;      // never null; empty before the first fetch
    mono_time valid_until{mono_time::max()};  // from then on they are too old
  };
  // Keys from a file never grow too old: reading it needs no server.
  [[nodiscard]] known current() const;

  // Whether a fetch runs or may start now that could bring a key that is missing; notes that one is
  // missing.
  [[nodiscard]] bool ask_for_more(mono_time now);

  // As authenticator::begin_fetch and the functions beside it. install() says whether the keys
  // changed.
  [[nodiscard]] bool begin_fetch(mono_time now);
  [[nodiscard]] bool fetch_in_flight(mono_time now) const;
  void fetch_failed();
  struct installed {
    std::size_t keys{0};
    bool changed{false};
  };
  result<installed> install(std::string_view text, mono_time now);
  void adopt(const jwks_keeper& previous);

  [[nodiscard]] const std::string& source() const { return source_; }
  [[nodiscard]] bool is_url() const { return is_url_; }

 private:
  struct facts {
    std::shared_ptr<const key_set> keys{std::make_shared<const key_set>()};
    std::string text;                  // what they were read from
    std::optional<mono_time> fetched;  // last success
    std::optional<mono_time> started;  // last begin of a fetch
    bool in_flight{false};
    bool wanted{false};  // a key was missing since the last begin
    bool failed{false};  // the last fetch did
  };
  [[nodiscard]] bool running(mono_time now) const;

  std::string source_;
  bool is_url_;
  microseconds max_age_;
  mutable std::mutex mutex_;
  facts facts_;
};

}  // namespace weir::identity
