// JWKs, JWKS documents and signatures by cjose. PEM texts are in jwk_pem.cpp.
#include "identity/jwk.hpp"

#include <algorithm>
#include <cstdlib>
#include <openssl/err.h>

#include "identity/jwk_parts.hpp"
#include "identity/strict_json.hpp"

namespace weir::identity {

namespace {

using json = nlohmann::json;

constexpr int smallest_rsa_bits{2048};

bool is_base64url(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  });
}

// An exponent of 1 (or an even one) makes every text its own signature.
bool sane_exponent(std::string_view bytes) {
  if (bytes.empty() || (static_cast<unsigned char>(bytes.back()) & 1U) == 0) return false;
  return bytes.back() != 1 ||
         std::ranges::any_of(bytes.substr(0, bytes.size() - 1), [](char c) { return c != 0; });
}

bool meant_for_verifying(const json& jwk) {
  if (jwk.contains("use") && jwk["use"] != "sig") return false;
  if (!jwk.contains("key_ops")) return true;
  const auto& operations = jwk["key_ops"];
  return operations.is_array() &&
         std::ranges::any_of(operations, [](const json& o) { return o == "verify"; });
}

// Only the public members go to cjose, so that a private key in a JWKS is not kept.
std::optional<json> public_members(const json& jwk, std::string_view kty) {
  json out{{"kty", kty}};
  std::vector<std::string_view> names{"n", "e"};
  if (kty == "EC") names = {"crv", "x", "y"};
  if (kty == "oct") names = {"k"};
  for (const auto name : names) {
    const auto* value = string_member(jwk, name);
    if (!value || value->empty() || !is_base64url(*value)) return std::nullopt;
    out[std::string{name}] = *value;
  }
  if (kty == "RSA" && !sane_exponent(base64url_decode(*string_member(jwk, "e")).value_or("")))
    return std::nullopt;
  return out;
}

std::optional<signing_key> key_from_jwk(const json& jwk, bool symmetric) {
  if (!jwk.is_object() || !meant_for_verifying(jwk)) return std::nullopt;
  const auto* kty = string_member(jwk, "kty");
  if (!kty || (*kty != "RSA" && *kty != "EC" && (*kty != "oct" || !symmetric))) return std::nullopt;
  const auto members = public_members(jwk, *kty);
  if (!members) return std::nullopt;
  const auto text = members->dump();
  auto made = adopt_jwk(cjose_jwk_import(text.data(), text.size(), nullptr));
  ERR_clear_error();
  if (!made) return std::nullopt;
  if (const auto* kid = string_member(jwk, "kid")) made->kid = *kid;
  if (jwk.contains("alg")) {
    const auto* name = string_member(jwk, "alg");
    made->only = name ? algorithm_named(*name) : std::nullopt;
    if (!made->only) return std::nullopt;
  }
  return *made;
}

std::optional<key_type> type_of(const cjose_jwk_t* key) {
  const auto kty = cjose_jwk_get_kty(key, nullptr);
  if (kty == CJOSE_JWK_KTY_OCT) return key_type::oct;
  if (kty == CJOSE_JWK_KTY_RSA)
    return cjose_jwk_get_keysize(key, nullptr) >= smallest_rsa_bits ? std::optional{key_type::rsa}
                                                                    : std::nullopt;
  if (kty != CJOSE_JWK_KTY_EC) return std::nullopt;
  const auto curve = cjose_jwk_EC_get_curve(key, nullptr);
  if (curve == CJOSE_JWK_EC_P_256) return key_type::p256;
  if (curve == CJOSE_JWK_EC_P_384) return key_type::p384;
  return curve == CJOSE_JWK_EC_P_521 ? std::optional{key_type::p521} : std::nullopt;
}

}  // namespace

result<signing_key> adopt_jwk(cjose_jwk_t* raw) {
  if (!raw) return fail("its parts do not make a key");
  std::shared_ptr<const cjose_jwk_t> key{
      raw, [](const cjose_jwk_t* k) { cjose_jwk_release(const_cast<cjose_jwk_t*>(k)); }};
  const auto type = type_of(raw);
  if (!type)
    return fail("expected an RSA key of at least 2048 bits or an EC key on P-256, P-384 or P-521");
  return signing_key{{}, {}, *type, std::move(key)};
}

result<signing_key> key_from_secret(std::string_view secret) {
  if (secret.empty()) return fail("the secret is empty");
  return adopt_jwk(cjose_jwk_create_oct_spec(reinterpret_cast<const std::uint8_t*>(secret.data()),
                                             secret.size(), nullptr));
}

result<std::vector<signing_key>> keys_from_jwks(std::string_view text, bool symmetric) {
  const auto document = parse_strict_object(text);
  if (!document || !document->contains("keys") || !(*document)["keys"].is_array())
    return fail("expected a JWKS: a JSON object with a list 'keys' (RFC 7517)");
  std::vector<signing_key> keys;
  for (const auto& jwk : (*document)["keys"])
    if (auto key = key_from_jwk(jwk, symmetric)) keys.push_back(*std::move(key));
  if (keys.empty())
    return fail(
        "none of the keys in the JWKS can verify signatures: expected RSA of at least "
        "2048 bits or EC on P-256, P-384 or P-521, with 'use' absent or sig");
  return keys;
}

bool verify_signature(std::string_view token, const signing_key& key) {
  const std::unique_ptr<cjose_jws_t, decltype(&cjose_jws_release)> jws{
      cjose_jws_import(token.data(), token.size(), nullptr), &cjose_jws_release};
  const bool good = jws && cjose_jws_verify(jws.get(), key.key.get(), nullptr);
  ERR_clear_error();
  return good;
}

std::optional<std::string> base64url_decode(std::string_view text) {
  if (!is_base64url(text) || text.size() % 4 == 1) return std::nullopt;
  if (text.empty()) return std::string{};
  std::uint8_t* bytes = nullptr;
  std::size_t length = 0;
  if (!cjose_base64url_decode(text.data(), text.size(), &bytes, &length, nullptr))
    return std::nullopt;
  std::string out{reinterpret_cast<const char*>(bytes), length};
  std::free(bytes);
  return out;
}

}  // namespace weir::identity
