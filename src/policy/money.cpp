// See money.hpp.
#include "policy/money.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace weir::policy {
namespace {

constexpr std::size_t places = 12;

bool all_digits(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char one) { return one >= '0' && one <= '9'; });
}

// `digits` are digits, at most 18 of them.
std::int64_t number_of(std::string_view digits) {
  std::int64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

error no_amount() {
  return fail(
      "expected an amount such as 10 or 0.002: digits with a point and at most 12 decimals");
}

}  // namespace

result<std::int64_t> parse_money(std::string_view text) {
  const auto point = text.find('.');
  const auto whole = text.substr(0, point);
  if (!all_digits(whole)) return no_amount();
  std::string fraction;
  if (point != std::string_view::npos) {
    fraction = text.substr(point + 1);
    if (!all_digits(fraction) || fraction.size() > places) return no_amount();
  }
  fraction.resize(places, '0');
  const auto significant = whole.substr(std::min(whole.find_first_not_of('0'), whole.size()));
  const std::int64_t units = significant.size() > 7 ? most_units + 1 : number_of(significant);
  const std::int64_t rest = number_of(fraction);
  if (units > most_units || (units == most_units && rest > 0))
    return fail(fmt::format("expected an amount of at most {}", most_units));
  return units * pico_per_unit + rest;
}

std::string format_money(std::int64_t pico) {
  const auto size =
      pico < 0 ? 0 - static_cast<std::uint64_t>(pico) : static_cast<std::uint64_t>(pico);
  constexpr auto per_unit = static_cast<std::uint64_t>(pico_per_unit);
  auto text = fmt::format("{}{}.{:012}", pico < 0 ? "-" : "", size / per_unit, size % per_unit);
  const auto shortest = text.find('.') + 3;
  text.resize(std::max(text.find_last_not_of('0') + 1, shortest));
  return text;
}

}  // namespace weir::policy
