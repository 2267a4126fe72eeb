// Parsers and printers of durations, sizes, numbers and yes or no.
#include "config/values.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <optional>

namespace weir::config {

namespace {

constexpr std::int64_t largest = std::int64_t{1} << 53;

struct unit_name {
  std::string_view name;
  std::int64_t size;
};

constexpr std::array duration_units{unit_name{"us", 1},
                                    unit_name{"ms", 1000},
                                    unit_name{"s", 1'000'000},
                                    unit_name{"m", 60'000'000},
                                    unit_name{"min", 60'000'000},
                                    unit_name{"h", 3'600'000'000},
                                    unit_name{"d", 86'400'000'000}};

constexpr std::array size_units{unit_name{"B", 1},           unit_name{"KiB", 1LL << 10},
                                unit_name{"MiB", 1LL << 20}, unit_name{"GiB", 1LL << 30},
                                unit_name{"kB", 1000},       unit_name{"KB", 1000},
                                unit_name{"MB", 1'000'000},  unit_name{"GB", 1'000'000'000}};

struct amount {
  std::int64_t count{0};
  std::string_view unit;
};

// Digits and what follows them, with at most one space between.
std::optional<amount> split(std::string_view text) {
  const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
  amount out{.unit = text.substr(digits)};
  const auto number = text.substr(0, digits);
  const auto [rest, error] =
      std::from_chars(number.data(), number.data() + number.size(), out.count);
  if (error != std::errc{}) return std::nullopt;  // no digits, or too many
  if (out.unit.starts_with(' ')) out.unit.remove_prefix(1);
  return out;
}

template <std::size_t N>
std::optional<std::int64_t> scaled(const amount& value, const std::array<unit_name, N>& units,
                                   std::int64_t most) {
  for (const auto& unit : units) {
    if (unit.name == value.unit && value.count <= most / unit.size) return value.count * unit.size;
  }
  return std::nullopt;
}

}  // namespace

result<std::int64_t> parse_integer(std::string_view text) {
  const auto parts = split(text);
  if (!parts || !parts->unit.empty() || text.back() == ' ' || parts->count > largest) {
    return fail("expected a whole number");
  }
  return parts->count;
}

result<bool> parse_flag(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return fail("expected true or false");
}

result<microseconds> parse_duration(std::string_view text) {
  constexpr std::int64_t ten_years = 3660 * 86'400'000'000;
  const auto parts = split(text);
  if (parts && parts->unit.empty()) {
    if (parts->count == 0) return microseconds{0};
    return fail(fmt::format("expected a duration with its unit, such as {}s or {}ms", parts->count,
                            parts->count));
  }
  const auto value = parts ? scaled(*parts, duration_units, ten_years) : std::nullopt;
  if (!value) return fail("expected a duration such as 500ms, 30s, 2m or 24h");
  return microseconds{*value};
}

result<std::int64_t> parse_size(std::string_view text) {
  const auto parts = split(text);
  if (parts && parts->unit.empty() && parts->count <= largest) return parts->count;
  const auto value = parts ? scaled(*parts, size_units, largest) : std::nullopt;
  if (!value) return fail("expected a size such as 64KiB, 20MiB or a number of bytes");
  return *value;
}

std::string format_duration(microseconds value) {
  const auto count = value.count();
  if (count == 0) return "0";
  for (const std::string_view name : {"d", "h", "m", "s", "ms"}) {
    for (const auto& unit : duration_units) {
      if (unit.name == name && count % unit.size == 0) {
        return fmt::format("{}{}", count / unit.size, name);
      }
    }
  }
  return fmt::format("{}us", count);
}

std::string format_size(std::int64_t bytes) {
  if (bytes == 0) return "0";
  for (const std::string_view name : {"GiB", "MiB", "KiB"}) {
    for (const auto& unit : size_units) {
      if (unit.name == name && bytes % unit.size == 0) {
        return fmt::format("{}{}", bytes / unit.size, name);
      }
    }
  }
  return fmt::format("{}", bytes);
}

}  // namespace weir::config
