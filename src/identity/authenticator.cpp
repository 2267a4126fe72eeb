// The order of things in identity.hpp: which credential counts, the cache, then the verifier or the
// key table.
#include <atomic>
#include <fmt/format.h>
#include <mutex>
#include <utility>

#include "identity/credential_cache.hpp"
#include "identity/file.hpp"
#include "identity/identity.hpp"
#include "identity/people.hpp"
#include "identity/text.hpp"
#include "identity/token_verifier.hpp"

namespace weir::identity {

namespace {

constexpr std::size_t cached_credentials{16384};

struct presented {
  std::string_view secret;       // the token or the key; empty: none
  std::optional<reason> broken;  // an Authorization that is no Bearer token
};

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

presented pick(const credentials& given) {
  const auto authorization = trim(given.authorization);
  if (authorization.empty()) return {trim(given.api_key), {}};
  const auto space = authorization.find(' ');
  if (!same_word(authorization.substr(0, space), "bearer")) return {{}, reason::unsupported_scheme};
  const auto secret =
      space == std::string_view::npos ? std::string_view{} : trim(authorization.substr(space));
  if (secret.empty()) return {{}, reason::malformed_token};
  return {secret, {}};
}

}  // namespace

struct authenticator::state {
  using answer = std::variant<cached_credential, reason, needs_keys>;

  state(const config::settings& s, const config::jwt_settings& jwt, token_verifier v)
      : takes_tokens{jwt.enabled},
        takes_keys{!s.identity.api_keys_file.empty()},
        takes_anonymous{s.identity.anonymous},
        who{s},
        verifier{std::move(v)},
        jwks{jwt} {}

  [[nodiscard]] answer verify(std::string_view secret, const digest& hash, instant now);
  [[nodiscard]] answer verify_token(std::string_view token, instant now);
  [[nodiscard]] answer look_up_key(const digest& hash);
  // Cached credentials count only with the keys that verified them.
  void forget_verified() { generation.fetch_add(1, std::memory_order_acq_rel); }

  const bool takes_tokens;
  const bool takes_keys;
  const bool takes_anonymous;
  const people who;
  const token_verifier verifier;
  jwks_keeper jwks;
  credential_cache cache{cached_credentials};
  std::atomic<std::uint64_t> generation{0};
  std::mutex table_mutex;
  std::shared_ptr<const key_table> table{std::make_shared<const key_table>()};
};

authenticator::state::answer authenticator::state::verify_token(std::string_view token,
                                                                instant now) {
  if (!takes_tokens) return reason::unknown_api_key;
  const auto verdict = verifier.verify(token, jwks, now);
  if (const auto* why = std::get_if<reason>(&verdict)) return *why;
  const auto* good = std::get_if<token_verifier::verified>(&verdict);
  if (!good) return needs_keys{};
  return cached_credential{std::make_shared<const caller>(who.of_token(good->said)),
                           good->said.valid, good->until, 0};
}

authenticator::state::answer authenticator::state::look_up_key(const digest& hash) {
  std::shared_ptr<const key_table> keys;
  {
    const std::lock_guard lock{table_mutex};
    keys = table;
  }
  const auto* key = keys->find(hash);
  if (!key) return reason::unknown_api_key;
  validity valid;
  if (key->expires) valid.expires = *key->expires;
  return cached_credential{std::make_shared<const caller>(who.of_key(*key)), valid,
                           mono_time::max(), 0};
}

// The generation is read first: keys that change while this runs make what it stores void.
authenticator::state::answer authenticator::state::verify(std::string_view secret,
                                                          const digest& hash, instant now) {
  const auto current = generation.load(std::memory_order_acquire);
  if (auto known = cache.find(hash, current, now.mono)) return *std::move(known);
  auto fresh = secret.starts_with(api_key_prefix) ? look_up_key(hash) : verify_token(secret, now);
  if (auto* good = std::get_if<cached_credential>(&fresh)) {
    good->generation = current;
    good->until = std::min(good->until, now.mono + cache_time);
    cache.insert(hash, *good, now.mono);
  }
  return fresh;
}

authenticator::authenticator(std::unique_ptr<state> s) : state_{std::move(s)} {}
authenticator::~authenticator() = default;

result<std::unique_ptr<authenticator>> authenticator::make(const config::settings& settings,
                                                           key_table keys, instant now) {
  const auto& given = settings.identity.jwt;
  const auto jwt = given.enabled ? given : config::jwt_settings{};
  auto verifier = token_verifier::make(jwt);
  if (!verifier) return verifier.error();
  std::unique_ptr<authenticator> made{
      new authenticator{std::make_unique<state>(settings, jwt, *std::move(verifier))}};
  made->install_keys(std::move(keys));
  const bool from_file = !made->jwks_source().empty() && !made->jwks_is_url();
  if (from_file && made->begin_fetch(now)) {
    if (const auto read = made->reload_jwks_file(now); !read) return read.error();
  }
  return made;
}

outcome authenticator::authenticate(const credentials& given, instant now, patience p) {
  auto& s = *state_;
  if (!s.takes_tokens && !s.takes_keys) return anonymous(given.address);
  const auto [secret, broken] = pick(given);
  if (broken) return rejection{.why = *broken};
  if (secret.empty()) {
    if (s.takes_anonymous) return anonymous(given.address);
    return rejection{.why = reason::missing_credentials, .challenge = "Bearer"};
  }
  if (secret.size() > max_token_bytes) return rejection{.why = reason::malformed_token};

  auto answer = s.verify(secret, sha256(secret), now);
  if (std::holds_alternative<needs_keys>(answer)) {
    if (p == patience::may_wait) return needs_keys{};
    return rejection{.why = reason::unknown_key};
  }
  if (const auto* why = std::get_if<reason>(&answer)) return rejection{.why = *why};
  const auto& good = std::get<cached_credential>(answer);
  if (const auto why = good.valid.check(now.wall)) {
    const bool is_key = good.who->how == caller::kind::api_key;
    return rejection{.why = is_key ? reason::api_key_expired : *why};
  }
  caller who = *good.who;
  who.address = given.address;
  return who;
}

caller authenticator::anonymous(std::string_view address) const {
  return state_->who.of_address(address);
}

void authenticator::install_keys(key_table keys) {
  auto fresh = std::make_shared<const key_table>(std::move(keys));
  {
    const std::lock_guard lock{state_->table_mutex};
    state_->table.swap(fresh);
  }
  state_->forget_verified();
}

const std::string& authenticator::jwks_source() const { return state_->jwks.source(); }
bool authenticator::jwks_is_url() const { return state_->jwks.is_url(); }
bool authenticator::begin_fetch(instant now) { return state_->jwks.begin_fetch(now.mono); }
bool authenticator::fetch_in_flight(instant now) const {
  return state_->jwks.fetch_in_flight(now.mono);
}
void authenticator::fetch_failed() { state_->jwks.fetch_failed(); }

result<std::size_t> authenticator::install_jwks(std::string_view text, instant now) {
  const auto done = state_->jwks.install(text, now.mono);
  // A URL may hold a secret; a path does not.
  const auto where = jwks_is_url() ? std::string{"from the URL"} : jwks_source();
  if (!done) return fail(fmt::format("identity.jwt.jwks: {}: {}", where, done.error().message));
  if (done->changed) state_->forget_verified();
  return done->keys;
}

result<std::size_t> authenticator::reload_jwks_file(instant now) {
  const auto text = read_file(jwks_source(), max_jwks_bytes);
  if (!text) {
    fetch_failed();
    return fail("identity.jwt.jwks: " + text.error().message);
  }
  return install_jwks(*text, now);
}

void authenticator::adopt_jwks(const authenticator& previous) {
  state_->jwks.adopt(previous.state_->jwks);
  state_->forget_verified();
}

const std::vector<std::string>& authenticator::warnings() const {
  return state_->verifier.warnings();
}

}  // namespace weir::identity
