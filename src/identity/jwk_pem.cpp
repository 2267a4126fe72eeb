// PEM texts to cjose keys, by way of OpenSSL: cjose itself reads only JWKs.
#include <array>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "identity/jwk_parts.hpp"

namespace weir::identity {

namespace {

struct release {
  void operator()(BIO* b) const { BIO_free(b); }
  void operator()(BIGNUM* n) const { BN_clear_free(n); }
  void operator()(EVP_PKEY* k) const { EVP_PKEY_free(k); }
  void operator()(X509* x) const { X509_free(x); }
};
using pkey_ptr = std::unique_ptr<EVP_PKEY, release>;

// Without it OpenSSL asks the terminal for the passphrase of an encrypted key.
int no_passphrase(char*, int, int, void*) { return -1; }

pkey_ptr read_pem(std::string_view pem, pem_part part) {
  const auto open = [&] {
    return std::unique_ptr<BIO, release>{BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()))};
  };
  if (part == pem_part::private_key)
    return pkey_ptr{PEM_read_bio_PrivateKey(open().get(), nullptr, no_passphrase, nullptr)};
  if (pkey_ptr key{PEM_read_bio_PUBKEY(open().get(), nullptr, no_passphrase, nullptr)}) return key;
  const std::unique_ptr<X509, release> certificate{
      PEM_read_bio_X509(open().get(), nullptr, no_passphrase, nullptr)};
  return pkey_ptr{certificate ? X509_get_pubkey(certificate.get()) : nullptr};
}

// The named number of the key, big-endian; empty where the key has no such number.
std::string number(const EVP_PKEY* key, const char* name) {
  BIGNUM* raw = nullptr;
  if (EVP_PKEY_get_bn_param(key, name, &raw) != 1) return {};
  const std::unique_ptr<BIGNUM, release> n{raw};
  std::string bytes(static_cast<std::size_t>(BN_num_bytes(n.get())), '\0');
  BN_bn2bin(n.get(), reinterpret_cast<unsigned char*>(bytes.data()));
  return bytes;
}

std::uint8_t* data_of(std::string& bytes) {
  return bytes.empty() ? nullptr : reinterpret_cast<std::uint8_t*>(bytes.data());
}

cjose_jwk_t* rsa_jwk(const EVP_PKEY* key, pem_part part) {
  auto n = number(key, OSSL_PKEY_PARAM_RSA_N);
  auto e = number(key, OSSL_PKEY_PARAM_RSA_E);
  auto d = part == pem_part::private_key ? number(key, OSSL_PKEY_PARAM_RSA_D) : std::string{};
  cjose_jwk_rsa_keyspec spec{};
  spec.n = data_of(n);
  spec.nlen = n.size();
  spec.e = data_of(e);
  spec.elen = e.size();
  spec.d = data_of(d);
  spec.dlen = d.size();
  return cjose_jwk_create_RSA_spec(&spec, nullptr);
}

cjose_jwk_t* ec_jwk(const EVP_PKEY* key, pem_part part) {
  std::array<char, 32> group{};
  if (EVP_PKEY_get_utf8_string_param(key, OSSL_PKEY_PARAM_GROUP_NAME, group.data(), group.size(),
                                     nullptr) != 1)
    return nullptr;
  const std::string_view curve{group.data()};
  cjose_jwk_ec_keyspec spec{};
  if (curve == "prime256v1") {
    spec.crv = CJOSE_JWK_EC_P_256;
  } else if (curve == "secp384r1") {
    spec.crv = CJOSE_JWK_EC_P_384;
  } else if (curve == "secp521r1") {
    spec.crv = CJOSE_JWK_EC_P_521;
  } else {
    return nullptr;
  }
  auto x = number(key, OSSL_PKEY_PARAM_EC_PUB_X);
  auto y = number(key, OSSL_PKEY_PARAM_EC_PUB_Y);
  auto d = part == pem_part::private_key ? number(key, OSSL_PKEY_PARAM_PRIV_KEY) : std::string{};
  spec.x = data_of(x);
  spec.xlen = x.size();
  spec.y = data_of(y);
  spec.ylen = y.size();
  spec.d = data_of(d);
  spec.dlen = d.size();
  return cjose_jwk_create_EC_spec(&spec, nullptr);
}

}  // namespace

result<signing_key> key_from_pem(std::string_view pem, pem_part part) {
  const bool is_private = pem.find("PRIVATE KEY-----") != std::string_view::npos;
  if (part == pem_part::public_key && is_private)
    return fail(
        "holds a private key where the public one is expected; make it with: openssl pkey "
        "-in KEY -pubout");
  const auto key = read_pem(pem, part);
  ERR_clear_error();
  if (!key)
    return fail(part == pem_part::public_key
                    ? "expected a PEM text with a PUBLIC KEY or a CERTIFICATE"
                    : "expected a PEM text with a PRIVATE KEY that is not encrypted");
  cjose_jwk_t* made = nullptr;
  if (EVP_PKEY_is_a(key.get(), "RSA") || EVP_PKEY_is_a(key.get(), "RSA-PSS")) {
    made = rsa_jwk(key.get(), part);
  } else if (EVP_PKEY_is_a(key.get(), "EC")) {
    made = ec_jwk(key.get(), part);
  }
  ERR_clear_error();
  if (!made)
    return fail("expected an RSA key of at least 2048 bits or an EC key on P-256, P-384 or P-521");
  return adopt_jwk(made);
}

}  // namespace weir::identity
