// See support.hpp.
#include "support.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <sstream>
#include <stdlib.h>

namespace weir::identity::testing {

namespace {

std::shared_ptr<EVP_PKEY> own(EVP_PKEY* key) { return {key, EVP_PKEY_free}; }

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const auto size = BIO_get_mem_data(bio, &data);
  std::string text(data, static_cast<std::size_t>(size));
  BIO_free(bio);
  return text;
}

std::string number(const EVP_PKEY* key, const char* name, int width = 0) {
  BIGNUM* n = nullptr;
  EVP_PKEY_get_bn_param(key, name, &n);
  std::string bytes(static_cast<std::size_t>(std::max(width, BN_num_bytes(n))), '\0');
  BN_bn2binpad(n, reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  BN_free(n);
  return bytes;
}

const EVP_MD* hash_of(std::string_view alg) {
  return alg.ends_with("256") ? EVP_sha256() : alg.ends_with("384") ? EVP_sha384() : EVP_sha512();
}

// DER to the two numbers side by side.
std::string raw_ecdsa(const std::string& der, int width) {
  const auto* data = reinterpret_cast<const unsigned char*>(der.data());
  ECDSA_SIG* sig = d2i_ECDSA_SIG(nullptr, &data, static_cast<long>(der.size()));
  std::string out(static_cast<std::size_t>(2 * width), '\0');
  auto* to = reinterpret_cast<unsigned char*>(out.data());
  BN_bn2binpad(ECDSA_SIG_get0_r(sig), to, width);
  BN_bn2binpad(ECDSA_SIG_get0_s(sig), to + width, width);
  ECDSA_SIG_free(sig);
  return out;
}

int width_of(const EVP_PKEY* key) { return (EVP_PKEY_get_bits(key) + 7) / 8; }

}  // namespace

maker maker::rsa(int bits) {
  maker m;
  m.pkey_ = own(EVP_RSA_gen(static_cast<unsigned>(bits)));
  return m;
}

maker maker::ec(const std::string& group) {
  maker m;
  m.pkey_ = own(EVP_EC_gen(group.c_str()));
  return m;
}

maker maker::ed25519() {
  maker m;
  m.pkey_ = own(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
  return m;
}

maker maker::secret(std::string text) {
  maker m;
  m.secret_ = std::move(text);
  return m;
}

std::string maker::public_pem() const {
  BIO* bio = BIO_new(BIO_s_mem());
  PEM_write_bio_PUBKEY(bio, pkey_.get());
  return text_of(bio);
}

std::string maker::private_pem() const {
  BIO* bio = BIO_new(BIO_s_mem());
  PEM_write_bio_PrivateKey(bio, pkey_.get(), nullptr, nullptr, 0, nullptr, nullptr);
  return text_of(bio);
}

json maker::jwk(std::string_view kid) const {
  json out;
  if (!secret_.empty()) {
    out = {{"kty", "oct"}, {"k", base64url(secret_)}};
  } else if (EVP_PKEY_is_a(pkey_.get(), "RSA")) {
    out = {{"kty", "RSA"},
           {"n", base64url(number(pkey_.get(), OSSL_PKEY_PARAM_RSA_N))},
           {"e", base64url(number(pkey_.get(), OSSL_PKEY_PARAM_RSA_E))}};
  } else {
    const int width = width_of(pkey_.get());
    out = {{"kty", "EC"},
           {"crv", width == 32   ? "P-256"
                   : width == 48 ? "P-384"
                                 : "P-521"},
           {"x", base64url(number(pkey_.get(), OSSL_PKEY_PARAM_EC_PUB_X, width))},
           {"y", base64url(number(pkey_.get(), OSSL_PKEY_PARAM_EC_PUB_Y, width))}};
  }
  if (!kid.empty()) out["kid"] = kid;
  return out;
}

std::string maker::sign(std::string_view alg, std::string_view text) const {
  const auto* data = reinterpret_cast<const unsigned char*>(text.data());
  std::string out(1024, '\0');
  auto* to = reinterpret_cast<unsigned char*>(out.data());
  if (!secret_.empty()) {
    unsigned length = 0;
    HMAC(hash_of(alg), secret_.data(), static_cast<int>(secret_.size()), data, text.size(), to,
         &length);
    out.resize(length);
    return out;
  }
  EVP_MD_CTX* ctx = EVP_MD_CTX_new();
  EVP_PKEY_CTX* pctx = nullptr;
  std::size_t length = out.size();
  EXPECT_EQ(EVP_DigestSignInit(ctx, &pctx, hash_of(alg), nullptr, pkey_.get()), 1);
  if (alg.starts_with("PS")) {
    EVP_PKEY_CTX_set_rsa_padding(pctx, RSA_PKCS1_PSS_PADDING);
    EVP_PKEY_CTX_set_rsa_pss_saltlen(pctx, RSA_PSS_SALTLEN_DIGEST);
  }
  EXPECT_EQ(EVP_DigestSign(ctx, to, &length, data, text.size()), 1);
  EVP_MD_CTX_free(ctx);
  out.resize(length);
  return alg.starts_with("ES") ? raw_ecdsa(out, width_of(pkey_.get())) : out;
}

const maker& rsa_one() {
  static const auto key = maker::rsa();
  return key;
}

const maker& rsa_two() {
  static const auto key = maker::rsa();
  return key;
}

std::string base64url(std::string_view bytes) {
  std::string out(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                   reinterpret_cast<const unsigned char*>(bytes.data()),
                                   static_cast<int>(bytes.size()));
  out.resize(static_cast<std::size_t>(size));
  for (auto& c : out) c = c == '+' ? '-' : c == '/' ? '_' : c;
  while (out.ends_with('=')) out.pop_back();
  return out;
}

std::string token_of(std::string_view header, std::string_view payload, std::string_view alg,
                     const maker& key) {
  const auto text = base64url(header) + "." + base64url(payload);
  return text + "." + base64url(key.sign(alg, text));
}

std::string token_of(std::string_view alg, const json& payload, const maker& key,
                     std::string_view kid) {
  json header{{"alg", alg}};
  if (!kid.empty()) header["kid"] = kid;
  return token_of(header.dump(), payload.dump(), alg, key);
}

std::string jwks_of(const std::vector<json>& keys) { return json{{"keys", keys}}.dump(); }

scratch_folder::scratch_folder() {
  auto name = (std::filesystem::temp_directory_path() / "weir-identity-XXXXXX").string();
  path_ = ::mkdtemp(name.data());
}

scratch_folder::~scratch_folder() { std::filesystem::remove_all(path_); }

std::string scratch_folder::file(std::string_view name) const {
  return path_ + "/" + std::string{name};
}

std::string scratch_folder::write(std::string_view name, std::string_view text) const {
  std::ofstream{file(name), std::ios::binary} << text;
  return file(name);
}

std::string text_of_file(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream{path, std::ios::binary}.rdbuf();
  return out.str();
}

config::settings plain_settings() {
  config::settings s;
  for (const auto* name : {"FREE", "PRO", "ENTERPRISE"}) s.tiers[name].name = name;
  s.teams.push_back({.name = "research", .users = {"u-1001", "u-1002"}, .limits = {}});
  return s;
}

config::settings secret_settings(std::string secret) {
  auto s = plain_settings();
  s.identity.jwt.enabled = true;
  s.identity.jwt.algorithms = {"HS256"};
  s.identity.jwt.secret = std::move(secret);
  return s;
}

config::settings pem_settings(const scratch_folder& folder, const maker& key,
                              std::vector<std::string> algorithms) {
  auto s = plain_settings();
  s.identity.jwt.enabled = true;
  s.identity.jwt.algorithms = std::move(algorithms);
  s.identity.jwt.public_key = folder.write("public.pem", key.public_pem());
  return s;
}

config::settings url_settings() {
  auto s = plain_settings();
  s.identity.jwt.enabled = true;
  s.identity.jwt.algorithms = {"RS256"};
  s.identity.jwt.jwks = "https://issuer.example/keys";
  return s;
}

std::unique_ptr<authenticator> made(const config::settings& settings, instant now, key_table keys) {
  auto auth = authenticator::make(settings, std::move(keys), now);
  EXPECT_TRUE(auth) << (auth ? "" : auth.error().message);
  return *std::move(auth);
}

std::string bearer(std::string_view token) { return "Bearer " + std::string{token}; }

outcome call(authenticator& auth, std::string_view token, instant now, patience p) {
  const auto header = bearer(token);
  return auth.authenticate({.authorization = header, .api_key = {}, .address = "192.0.2.7"}, now,
                           p);
}

std::string verdict(const outcome& o) {
  if (const auto* who = std::get_if<caller>(&o)) return who->user;
  if (const auto* no = std::get_if<rejection>(&o))
    return "refused: " + std::string{to_string(no->why)};
  return "needs keys";
}

std::int64_t seconds(instant now) {
  return std::chrono::floor<std::chrono::seconds>(now.wall.time_since_epoch()).count();
}

json good_payload(instant now) { return {{"sub", "u-1"}, {"exp", seconds(now) + 3600}}; }

}  // namespace weir::identity::testing
