// The signature algorithms of RFC 7518 that weir knows, and which type of key each one needs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace weir::identity {

enum class algorithm : std::uint8_t {
  hs256,  // HMAC with SHA-256
  hs384,  // HMAC with SHA-384
  hs512,  // HMAC with SHA-512
  rs256,  // RSASSA-PKCS1-v1_5 with SHA-256
  rs384,  // RSASSA-PKCS1-v1_5 with SHA-384
  rs512,  // RSASSA-PKCS1-v1_5 with SHA-512
  ps256,  // RSASSA-PSS with SHA-256
  ps384,  // RSASSA-PSS with SHA-384
  ps512,  // RSASSA-PSS with SHA-512
  es256,  // ECDSA on P-256 with SHA-256
  es384,  // ECDSA on P-384 with SHA-384
  es512,  // ECDSA on P-521 with SHA-512
};

enum class key_type : std::uint8_t {
  oct,   // a shared secret
  rsa,   // RSA of at least 2048 bits
  p256,  // a point on P-256
  p384,  // a point on P-384
  p521,  // a point on P-521
};

struct algorithm_facts {
  std::string_view name;  // as in the token's header; case-sensitive
  algorithm value;
  key_type key;
};

inline constexpr std::array<algorithm_facts, 12> algorithms{{
    {"HS256", algorithm::hs256, key_type::oct},
    {"HS384", algorithm::hs384, key_type::oct},
    {"HS512", algorithm::hs512, key_type::oct},
    {"RS256", algorithm::rs256, key_type::rsa},
    {"RS384", algorithm::rs384, key_type::rsa},
    {"RS512", algorithm::rs512, key_type::rsa},
    {"PS256", algorithm::ps256, key_type::rsa},
    {"PS384", algorithm::ps384, key_type::rsa},
    {"PS512", algorithm::ps512, key_type::rsa},
    {"ES256", algorithm::es256, key_type::p256},
    {"ES384", algorithm::es384, key_type::p384},
    {"ES512", algorithm::es512, key_type::p521},
}};

[[nodiscard]] constexpr const algorithm_facts& facts_of(algorithm a) {
  return algorithms[static_cast<std::size_t>(a)];
}

[[nodiscard]] constexpr std::optional<algorithm> algorithm_named(std::string_view name) {
  for (const auto& facts : algorithms)
    if (facts.name == name) return facts.value;
  return std::nullopt;
}

}  // namespace weir::identity
