// Counted things as types, so that tokens, requests and microseconds can't be added to each other.
#pragma once

#include <compare>
#include <cstdint>

namespace weir {

// A number of model tokens. Never negative in requests and answers; differences may be.
struct tokens {
  std::int64_t count{0};
  friend constexpr auto operator<=>(tokens, tokens) = default;
  friend constexpr tokens operator+(tokens a, tokens b) { return {a.count + b.count}; }
  friend constexpr tokens operator-(tokens a, tokens b) { return {a.count - b.count}; }
};

// A 128-bit name of a counted thing (rule and subject), from a keyed hash: ids are data, never
// syntax.
struct key128 {
  std::uint64_t high{0};
  std::uint64_t low{0};
  friend constexpr bool operator==(key128, key128) = default;
};

}  // namespace weir
