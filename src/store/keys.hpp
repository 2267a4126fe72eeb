// Names of counted things: 128-bit hashes under a secret of the process, so that ids are data and
// nobody can choose two that collide. Each value is hashed by itself and the fixed-size results are
// combined, so ("a","bc") and ("ab","c") differ. Thread-safe after construction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/units.hpp"

namespace weir::store {

class key_hasher {
 public:
  static constexpr std::size_t max_values = 8;  // as many as limit_scope has

  key_hasher();  // a new secret from std::random_device

  // One value of a subject (a user id, a model name) or the name of a rule. Do it once per call.
  [[nodiscard]] key128 value(std::string_view text) const;

  // The key of a claim: a rule's name and its subject's values, in the order of the rule's scope.
  // At most max_values values. Keys with the same first value have the same high word and the store
  // keeps them together: let the value that most limits of a call share, the user, come first. The
  // rule's name must stay the same over a reload for its counts to stay.
  [[nodiscard]] key128 key(key128 rule, std::span<const key128> values) const;

 private:
  static constexpr std::size_t secret_size = 192;  // XXH3 asks for 136 at least
  alignas(64) std::array<std::uint8_t, secret_size> secret_;
};

}  // namespace weir::store
