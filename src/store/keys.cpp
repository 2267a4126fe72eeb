// See keys.hpp. The secret, not the functions, keeps callers from making collisions.
#include "store/keys.hpp"

#include <cstring>
#include <random>
#include <stdexcept>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace weir::store {

static_assert(XXH3_SECRET_SIZE_MIN <= 192);

namespace {

__extension__ using wide = unsigned __int128;

// Both halves of a product, in 64 bits.
std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) {
  const wide product = static_cast<wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

}  // namespace

key_hasher::key_hasher() {
  std::random_device source;
  for (std::size_t i = 0; i < secret_size; i += sizeof(unsigned)) {
    const unsigned word = source();
    std::memcpy(&secret_[i], &word, sizeof word);
  }
}

key128 key_hasher::value(std::string_view text) const {
  const XXH128_hash_t h =
      XXH3_128bits_withSecret(text.data(), text.size(), secret_.data(), secret_size);
  return {h.high64, h.low64};
}

// A chain of multiplications folded to 64 bits, each with words of the secret: what is combined is
// hashed already, so this need only tell rules, values and their order apart.
key128 key_hasher::key(key128 rule, std::span<const key128> values) const {
  if (values.size() > max_values) throw std::logic_error{"a limit key of more than 8 values"};
  std::array<std::uint64_t, 4> salt{};
  std::memcpy(salt.data(), secret_.data(), sizeof salt);
  std::uint64_t low = folded_product(rule.high ^ salt[0], rule.low ^ salt[1]);
  for (const key128 v : values) {
    low = folded_product(low ^ v.high ^ salt[2], low + (v.low ^ salt[3]));
  }
  return {values.empty() ? rule.high : values[0].high, low};
}

}  // namespace weir::store
