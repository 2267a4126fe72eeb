// See token_verifier.hpp.
#include "identity/token_verifier.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "identity/file.hpp"
#include "identity/strict_json.hpp"

namespace weir::identity {

namespace {

struct token_parts {
  std::string_view header;
  std::string_view payload;
};

std::optional<token_parts> split(std::string_view token) {
  const auto first = token.find('.');
  if (first == std::string_view::npos) return std::nullopt;
  const auto second = token.find('.', first + 1);
  if (second == std::string_view::npos || token.find('.', second + 1) != std::string_view::npos)
    return std::nullopt;
  // cjose would take a padded signature, and so one token in several spellings.
  const auto signature = base64url_decode(token.substr(second + 1));
  if (!signature || signature->empty()) return std::nullopt;
  return token_parts{token.substr(0, first), token.substr(first + 1, second - first - 1)};
}

std::optional<nlohmann::json> decode_object(std::string_view part) {
  const auto text = base64url_decode(part);
  return text ? parse_strict_object(*text) : std::nullopt;
}

// A key or a rule that the token brings along itself. crit: weir understands no extension.
constexpr std::array forbidden_members{"crit", "jwk", "jku", "x5u", "x5c"};

}  // namespace

result<token_verifier> token_verifier::make(config::jwt_settings settings) {
  token_verifier made{std::move(settings)};
  if (auto done = made.add_keys(); !done) return done.error();
  if (auto done = made.add_algorithms(); !done) return done.error();
  made.warn_of_short_secret();
  return made;
}

result<void> token_verifier::add_keys() {
  if (!settings_.secret.empty()) fixed_.push_back(*key_from_secret(settings_.secret));
  if (settings_.public_key.empty()) return {};
  const auto text = read_file(settings_.public_key, max_jwks_bytes);
  if (!text) return fail("identity.jwt.public_key: " + text.error().message);
  auto key = key_from_pem(*text, pem_part::public_key);
  if (!key)
    return fail(
        fmt::format("identity.jwt.public_key: {}: {}", settings_.public_key, key.error().message));
  fixed_.push_back(*std::move(key));
  return {};
}

result<void> token_verifier::add_algorithms() {
  for (const auto& name : settings_.algorithms) {
    const auto known = algorithm_named(name);
    if (!known)
      return fail(
          fmt::format("identity.jwt.algorithms: '{}' is not known; expected HS, RS, PS or "
                      "ES with 256, 384 or 512",
                      name));
    allowed_.push_back(*known);
  }
  if (allowed_.empty()) default_algorithms();
  return {};
}

// Where the settings list none: the one of the keys that are there, so that a secret alone never
// lets RS256 in.
void token_verifier::default_algorithms() {
  for (const auto& key : fixed_)
    for (const auto usual :
         {algorithm::hs256, algorithm::rs256, algorithm::es256, algorithm::es384, algorithm::es512})
      if (key.fits(usual)) allowed_.push_back(usual);
  if (!settings_.jwks.empty())
    allowed_.insert(allowed_.end(), {algorithm::rs256, algorithm::es256});
}

// RFC 7518, 3.2: a key as long as the hash at least. Shorter ones can be guessed off line from any
// token.
void token_verifier::warn_of_short_secret() {
  if (settings_.secret.empty() || settings_.secret.size() >= 32) return;
  warnings_.push_back(
      fmt::format("identity.jwt.secret has {} bytes, expected at least 32: who "
                  "holds one token can guess it; use a longer one",
                  settings_.secret.size()));
}

std::variant<token_verifier::header, reason> token_verifier::read_header(
    std::string_view part) const {
  const auto object = decode_object(part);
  if (!object) return reason::malformed_token;
  if (std::ranges::any_of(forbidden_members, [&](auto name) { return object->contains(name); }))
    return reason::forbidden_header;
  const auto* name = string_member(*object, "alg");
  const auto alg = name ? algorithm_named(*name) : std::nullopt;
  if (!alg || std::ranges::find(allowed_, *alg) == allowed_.end()) return reason::algorithm_refused;
  header head{.alg = *alg, .kid = {}};
  if (object->contains("kid")) {
    const auto* kid = string_member(*object, "kid");
    if (!kid) return reason::malformed_token;
    head.kid = *kid;
  }
  return head;
}

// A key of the JWKS that the token means decides alone. Otherwise the key from the settings, and
// only if that does not verify the token is a missing key worth a fetch.
std::variant<token_verifier::chosen, reason, needs_keys> token_verifier::check_signature(
    std::string_view token, const header& head, jwks_keeper& jwks, mono_time now) const {
  const auto known = jwks.current();
  const auto found = known.keys->find(head.kid ? &*head.kid : nullptr, head.alg);
  const auto* key = std::get_if<const signing_key*>(&found);
  const bool too_old = now >= known.valid_until;
  if (key && !too_old) return chosen{verify_signature(token, **key), known.valid_until};

  const auto fixed =
      std::ranges::find_if(fixed_, [&](const signing_key& k) { return k.fits(head.alg); });
  if (fixed != fixed_.end()) {
    if (verify_signature(token, *fixed)) return chosen{.good = true};
    if (jwks.source().empty()) return chosen{.good = false};
  }
  if (jwks.source().empty()) return reason::no_key_for_algorithm;
  const auto why = too_old ? reason::keys_expired : std::get<reason>(found);
  const bool fetch_may_help = why == reason::keys_expired || why == reason::unknown_key;
  if (fetch_may_help && jwks.ask_for_more(now)) return needs_keys{};
  return why;
}

token_verifier::verdict token_verifier::verify(std::string_view token, jwks_keeper& jwks,
                                               instant now) const {
  if (token.size() > max_token_bytes) return reason::malformed_token;
  const auto parts = split(token);
  if (!parts) return reason::malformed_token;
  const auto head = read_header(parts->header);
  if (const auto* why = std::get_if<reason>(&head)) return *why;

  const auto signature = check_signature(token, std::get<header>(head), jwks, now.mono);
  if (std::holds_alternative<needs_keys>(signature)) return needs_keys{};
  if (const auto* why = std::get_if<reason>(&signature)) return *why;
  const auto& checked = std::get<chosen>(signature);
  if (!checked.good) return reason::bad_signature;

  const auto payload = decode_object(parts->payload);
  if (!payload) return reason::malformed_token;
  auto said = read_claims(*payload, settings_);
  if (const auto* why = std::get_if<reason>(&said)) return *why;
  const auto& good = std::get<claims>(said);
  if (const auto why = good.valid.check(now.wall)) return *why;
  return verified{good, checked.until};
}

}  // namespace weir::identity
