// START HERE: turns the credentials of one request into a caller or a rejection. No network I/O and
// no clock: JWKS documents are fetched by whoever owns the network and installed here; time is a
// parameter.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "config/settings.hpp"
#include "identity/caller.hpp"
#include "identity/key_file.hpp"

namespace weir::identity {

// What one request brought along. Views into the request; empty: absent.
struct credentials {
  std::string_view authorization;  // value of Authorization
  std::string_view api_key;  // value of X-Api-Key; counts only where there is no Authorization
  std::string_view address;  // as client_address() returned it
};

// Whether authenticate() may answer needs_keys.
enum class patience : std::uint8_t {
  may_wait,  // first try: an unknown key may be asked for
  final,     // last try: an unknown key is a rejection
};

// Thread-safe: one object is shared by all workers; a reload of the configuration makes a new one.
// A credential that was verified before costs a SHA-256 and a look-up; the cache is bounded and
// forgets with every change of keys.
//
// JWKS from a URL, as the gateway drives it:
//   on a timer (1 s), and when authenticate() says needs_keys:
//     if (auth.begin_fetch(now)) { fetch auth.jwks_source(); install_jwks(body, now) or
//     fetch_failed(); }
//   a request that got needs_keys waits until !fetch_in_flight(), then authenticates again with
//   patience::final.
// A JWKS file is the same without the network: begin_fetch, then reload_jwks_file.
class authenticator {
 public:
  // Reads the PEM and the JWKS file that the settings name (a JWKS URL is left to begin_fetch).
  // `keys` may be empty. Errors: an unknown algorithm name, an unreadable or unsuitable key; they
  // name the setting and the file.
  static result<std::unique_ptr<authenticator>> make(const config::settings& settings,
                                                     key_table keys, instant now);

  ~authenticator();
  authenticator(const authenticator&) = delete;
  authenticator& operator=(const authenticator&) = delete;

  // Where neither JWTs nor API keys are configured, credentials are not looked at and the caller is
  // anonymous, so that SDKs that insist on sending a key work. Otherwise a credential that does not
  // hold is a 401, never anonymous.
  [[nodiscard]] outcome authenticate(const credentials& given, instant now,
                                     patience p = patience::may_wait);

  // The anonymous caller of this address, whatever the settings say of anonymous calls.
  [[nodiscard]] caller anonymous(std::string_view address) const;

  // Replaces the API keys (SIGHUP); revoked keys stop working with this call.
  void install_keys(key_table keys);

  // URL or path of the JWKS; empty where there is none.
  [[nodiscard]] const std::string& jwks_source() const;
  [[nodiscard]] bool jwks_is_url() const;

  // True for exactly one caller when a fetch is due: the first one at once, then every 10 min,
  // after a failure or on an unknown kid at most one per 30 s. Who got true ends it with
  // install_jwks or fetch_failed; a fetch that never ends is given up after 30 s.
  [[nodiscard]] bool begin_fetch(instant now);
  [[nodiscard]] bool fetch_in_flight(instant now) const;
  void fetch_failed();

  // Installs a JWKS document (RFC 7517) and ends the fetch; returns the number of usable keys. On
  // an error (no JSON, no usable key) the known keys stay. Keys that are for encryption or of a
  // type weir has no use for are skipped.
  result<std::size_t> install_jwks(std::string_view text, instant now);
  result<std::size_t> reload_jwks_file(instant now);

  // Takes over the JWKS that an authenticator with the same source has fetched, so that a reload of
  // the configuration does not have to wait for the JWKS server. Does nothing where the sources
  // differ.
  void adopt_jwks(const authenticator& previous);

  // What an operator should know of the settings, one sentence each (e.g. a secret that is short
  // for its algorithm).
  [[nodiscard]] const std::vector<std::string>& warnings() const;

 private:
  struct state;
  explicit authenticator(std::unique_ptr<state> s);
  std::unique_ptr<state> state_;
};

}  // namespace weir::identity
