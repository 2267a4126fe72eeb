// Integers first; whatever has a fraction or an exponent goes through double.
#include "wire/count.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace weir::wire {
namespace {

std::optional<std::int64_t> integer(std::string_view number) {
  std::int64_t value = 0;
  const char* const begin = number.data();
  const auto read = std::from_chars(begin, begin + number.size(), value);
  if (read.ec != std::errc{} || read.ptr != begin + number.size()) return std::nullopt;
  return value;
}

// Nothing for what is too large or too small for a double.
std::optional<double> real(std::string_view number) {
  double value = 0;
  const char* const begin = number.data();
  const auto read = std::from_chars(begin, begin + number.size(), value);
  if (read.ec != std::errc{} || read.ptr != begin + number.size()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::int64_t> read_asked(std::string_view number) {
  if (const auto value = integer(number)) {
    return *value < 0 ? std::nullopt : std::optional{std::min(*value, largest_count)};
  }
  if (number.starts_with('-')) return std::nullopt;
  const auto value = real(number);
  if (!value || *value >= static_cast<double>(largest_count)) return largest_count;
  return static_cast<std::int64_t>(std::ceil(*value));
}

std::optional<std::int64_t> read_reported(std::string_view number) {
  if (const auto value = integer(number)) {
    return *value < 0 || *value > largest_report ? std::nullopt : value;
  }
  const auto value = real(number);
  const bool whole = value && *value >= 0 && *value <= static_cast<double>(largest_report) &&
                     std::floor(*value) == *value;
  return whole ? std::optional{static_cast<std::int64_t>(*value)} : std::nullopt;
}

std::int64_t saturated_product(std::int64_t a, std::int64_t b) {
  if (a == 0 || b == 0) return 0;
  return a > largest_count / b ? largest_count : a * b;
}

}  // namespace weir::wire
