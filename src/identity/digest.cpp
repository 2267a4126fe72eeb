// SHA-256 by OpenSSL, with one context per thread.
#include "identity/digest.hpp"

#include <memory>
#include <new>
#include <openssl/evp.h>

namespace weir::identity {

namespace {

// Fetching the algorithm and allocating a context cost more than hashing a token, and a context
// must not be shared; so each thread keeps its own. It carries nothing from one call to the next.
class hasher {
 public:
  hasher() : md_{EVP_MD_fetch(nullptr, "SHA256", nullptr)}, ctx_{EVP_MD_CTX_new()} {
    if (!md_ || !ctx_) throw std::bad_alloc{};
  }
  digest operator()(std::string_view text) {
    digest out{};
    if (EVP_DigestInit_ex2(ctx_.get(), md_.get(), nullptr) != 1 ||
        EVP_DigestUpdate(ctx_.get(), text.data(), text.size()) != 1 ||
        EVP_DigestFinal_ex(ctx_.get(), out.data(), nullptr) != 1)
      throw std::bad_alloc{};
    return out;
  }

 private:
  struct release {
    void operator()(EVP_MD* md) const { EVP_MD_free(md); }
    void operator()(EVP_MD_CTX* ctx) const { EVP_MD_CTX_free(ctx); }
  };
  std::unique_ptr<EVP_MD, release> md_;
  std::unique_ptr<EVP_MD_CTX, release> ctx_;
};

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

digest sha256(std::string_view text) {
  thread_local hasher hash;
  return hash(text);
}

std::string to_hex(const digest& d) {
  constexpr std::string_view digits{"0123456789abcdef"};
  std::string out;
  out.reserve(2 * d.size());
  for (const auto byte : d) {
    out.push_back(digits[byte >> 4U]);
    out.push_back(digits[byte & 15U]);
  }
  return out;
}

std::optional<digest> digest_from_hex(std::string_view text) {
  digest out{};
  if (text.size() != 2 * out.size()) return std::nullopt;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const int high = hex_value(text[2 * i]);
    const int low = hex_value(text[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    out[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return out;
}

}  // namespace weir::identity
