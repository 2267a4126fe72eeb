// See token.hpp.
#include "identity/token.hpp"

#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "identity/jwk.hpp"
#include "identity/text.hpp"

namespace weir::identity {

namespace {

using json = nlohmann::json;

template <class T>
using cjose_ptr = std::unique_ptr<T, void (*)(T*)>;

result<algorithm> algorithm_for(const signing_key& key, const config::jwt_settings& settings) {
  for (const auto& name : settings.algorithms)
    if (const auto listed = algorithm_named(name); listed && key.fits(*listed)) return *listed;
  if (settings.algorithms.empty())
    for (const auto& facts : algorithms)
      if (key.fits(facts.value)) return facts.value;
  return fail(
      "none of identity.jwt.algorithms goes with the key; expected HS with a secret, RS or "
      "PS with an RSA key, ES with an EC key of its curve");
}

std::string payload_of(const config::jwt_settings& settings, std::string_view user,
                       std::string_view tier, microseconds expires_in, wall_time now) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
  json payload{{"iat", seconds},
               {"exp", seconds + std::chrono::floor<std::chrono::seconds>(expires_in).count()}};
  if (!settings.issuer.empty()) payload["iss"] = settings.issuer;
  if (!settings.audience.empty()) payload["aud"] = settings.audience;
  if (!tier.empty()) payload[settings.tier_claim] = tier;
  payload[settings.user_claim] = user;
  return payload.dump();
}

result<std::string> sign(const signing_key& key, algorithm alg, std::string_view kid,
                         const std::string& payload) {
  const cjose_ptr<cjose_header_t> header{cjose_header_new(nullptr), cjose_header_release};
  const std::string name{facts_of(alg).name};
  const std::string kid_text{kid};
  bool made = header && cjose_header_set(header.get(), CJOSE_HDR_ALG, name.c_str(), nullptr) &&
              cjose_header_set(header.get(), "typ", "JWT", nullptr);
  if (!kid.empty())
    made = made && cjose_header_set(header.get(), CJOSE_HDR_KID, kid_text.c_str(), nullptr);
  if (!made) return fail("expected a key id of UTF-8");
  const cjose_ptr<cjose_jws_t> jws{
      cjose_jws_sign(key.key.get(), header.get(),
                     reinterpret_cast<const std::uint8_t*>(payload.data()), payload.size(),
                     nullptr),
      [](cjose_jws_t* j) { cjose_jws_release(j); }};
  const char* text = nullptr;
  if (!jws || !cjose_jws_export(jws.get(), &text, nullptr))
    return fail(fmt::format("the key cannot sign with {}", name));
  return std::string{text};
}

}  // namespace

result<std::string> mint_token(const config::jwt_settings& settings, std::string_view user,
                               std::string_view tier, microseconds expires_in, instant now,
                               std::string_view private_key_pem, std::string_view kid) {
  if (!acceptable_user(user) || (!tier.empty() && !acceptable_user(tier)))
    return fail("expected a user and a tier of 1 to 256 bytes of UTF-8 without control characters");
  if (expires_in < 1s) return fail("expected the token to be valid for at least one second");
  if (private_key_pem.empty() && settings.secret.empty())
    return fail("a token needs identity.jwt.secret or a PEM private key to be signed with");
  const auto key = private_key_pem.empty() ? key_from_secret(settings.secret)
                                           : key_from_pem(private_key_pem, pem_part::private_key);
  if (!key) return fail("the key to sign with: " + key.error().message);
  const auto alg = algorithm_for(*key, settings);
  if (!alg) return alg.error();
  return sign(*key, *alg, kid, payload_of(settings, user, tier, expires_in, now.wall));
}

}  // namespace weir::identity
