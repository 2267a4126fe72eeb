// What a family of metrics is: its row in the table of families.hpp and the typed handle that
// updates name it by. Not the table and not the values.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace weir::observe {

inline constexpr std::size_t max_labels = 4;

enum class kind : std::uint8_t {
  counter,    // only grows; merged by adding
  gauge,      // a value of now
  histogram,  // counts per bucket, with sum; merged by adding
};

enum class unit : std::uint8_t {
  one,      // the integer as it is: calls, tokens, bytes
  seconds,  // kept as integer microseconds, shown as seconds
  ratio,    // kept as integer thousandths, shown as a fraction
};

// How the values that several threads hold of one gauge become one.
enum class across_threads : std::uint8_t {
  add,       // each thread has its part
  greatest,  // all threads see the same thing, one sees it set: set
  least,     // all threads see the same thing, one sees it unset: unset
};

// One row of the table. Names and labels are literals in Prometheus' syntax; HELP text is free.
struct family_row {
  std::string_view name;
  kind type{kind::counter};
  unit measured{unit::one};
  std::string_view help;
  std::array<std::string_view, max_labels> labels{};  // unused ones are empty
  std::span<const std::int64_t> buckets{};            // ascending upper bounds in the kept unit
  across_threads merge{across_threads::add};

  [[nodiscard]] constexpr std::size_t label_count() const {
    std::size_t n = 0;
    while (n < max_labels && !labels[n].empty()) ++n;
    return n;
  }
  // Integers kept per series: one, or for a histogram each bucket, +Inf and the sum.
  [[nodiscard]] constexpr std::size_t width() const {
    return type == kind::histogram ? buckets.size() + 2 : 1;
  }
};

// Names a row of the table; its type says what the row may be used for.
template <kind K, unit U, std::size_t Labels>
struct family_handle {
  std::size_t row{0};
};

// The values of a series' labels, exactly as many as the family has, in the order of its row.
template <std::size_t N>
class label_values {
 public:
  template <class... T>
    requires(sizeof...(T) == N && (std::convertible_to<const T&, std::string_view> && ...))
  // NOLINTNEXTLINE(google-explicit-constructor): written as {model, provider} at every call
  label_values(const T&... value) : values_{std::string_view{value}...} {}

  [[nodiscard]] std::span<const std::string_view> all() const { return {values_.data(), N}; }

 private:
  std::array<std::string_view, N> values_;
};

}  // namespace weir::observe
