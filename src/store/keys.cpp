// See keys.hpp. XXH3 with a secret; the secret, not the function, keeps callers from making
// collisions.
#include "store/keys.hpp"

#include <cstring>
#include <random>
#include <stdexcept>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace weir::store {

static_assert(XXH3_SECRET_SIZE_MIN <= 192);

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

key128 key_hasher::key(key128 rule, std::span<const key128> values) const {
  if (values.size() > max_values) throw std::logic_error{"a limit key of more than 8 values"};
  std::array<key128, max_values + 1> parts;
  parts[0] = rule;
  for (std::size_t i = 0; i < values.size(); ++i) parts[i + 1] = values[i];
  const std::size_t size = (values.size() + 1) * sizeof(key128);
  const std::uint64_t low = XXH3_64bits_withSecret(parts.data(), size, secret_.data(), secret_size);
  return {values.empty() ? rule.high : values[0].high, low};
}

}  // namespace weir::store
