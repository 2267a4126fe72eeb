// Parsing and writing spans of time.
#include "wire/durations.hpp"

#include <charconv>
#include <cmath>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>

namespace weir::wire {
namespace {

constexpr double most_seconds = 1e9;  // some thirty years; more is no wait

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Takes a decimal number off the front.
std::optional<double> number(std::string_view& text) {
  double value = 0;
  const auto read =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (read.ec != std::errc{} || !std::isfinite(value) || value > most_seconds) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  return value;
}

microseconds from_seconds(double seconds) {
  return microseconds{static_cast<std::int64_t>(std::ceil(seconds * 1e6))};
}

std::optional<wall_time> read_date(std::string_view text, const char* format, std::string& rest) {
  std::tm parts{};
  const std::string copy{text};
  const char* end = ::strptime(copy.c_str(), format, &parts);
  if (end == nullptr) return std::nullopt;
  rest = end;
  return wall_time{std::chrono::seconds{::timegm(&parts)}};
}

microseconds until(wall_time at, wall_time now) { return at > now ? at - now : microseconds{0}; }

std::optional<microseconds> read_rfc3339(std::string_view text, wall_time now) {
  std::string rest;
  const auto at = read_date(text, "%Y-%m-%dT%H:%M:%S", rest);
  if (!at) return std::nullopt;
  std::string_view left = rest;
  microseconds fraction{0};
  if (left.starts_with('.')) {
    std::string_view digits = left;
    const auto value = number(digits);
    if (!value) return std::nullopt;
    fraction = from_seconds(*value);
    left = digits;
  }
  const wall_time local = *at + fraction;
  if (left == "Z" || left == "z") return until(local, now);
  const bool shaped = left.size() == 6 && (left[0] == '+' || left[0] == '-') && left[3] == ':' &&
                      is_digit(left[1]) && is_digit(left[2]) && is_digit(left[4]) &&
                      is_digit(left[5]);
  if (!shaped) return std::nullopt;
  const auto offset = std::chrono::minutes{((left[1] - '0') * 10 + left[2] - '0') * 60 +
                                           (left[4] - '0') * 10 + left[5] - '0'};
  return until(left[0] == '+' ? local - offset : local + offset, now);
}

}  // namespace

std::optional<microseconds> parse_retry_after(std::string_view text, wall_time now) {
  std::string_view rest = text;
  if (const auto seconds = number(rest); seconds && rest.empty()) {
    return *seconds < 0 ? std::nullopt : std::optional{from_seconds(*seconds)};
  }
  for (const char* form :
       {"%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %d %H:%M:%S %Y"}) {
    std::string left;
    const auto date = read_date(text, form, left);
    if (date && left.empty()) {
      return *date > now ? std::optional<microseconds>{*date - now} : std::nullopt;
    }
  }
  return std::nullopt;
}

std::optional<microseconds> parse_retry_after_ms(std::string_view text) {
  const auto ms = number(text);
  if (!ms || *ms < 0 || !text.empty()) return std::nullopt;
  return from_seconds(*ms / 1000);
}

std::optional<microseconds> parse_reset(std::string_view text, wall_time now) {
  if (text.size() >= 20 && text[4] == '-') return read_rfc3339(text, now);
  std::string_view rest = text;
  if (const auto seconds = number(rest); seconds && rest.empty()) {
    return *seconds < 0 ? std::nullopt : std::optional{from_seconds(*seconds)};
  }
  rest = text;
  double sum = 0;
  while (!rest.empty()) {
    const auto value = number(rest);
    if (!value || *value < 0) return std::nullopt;
    if (rest.starts_with("ms")) {
      sum += *value / 1000;
      rest.remove_prefix(2);
    } else if (rest.starts_with('s') || rest.starts_with('m') || rest.starts_with('h')) {
      sum += *value * (rest[0] == 's' ? 1 : rest[0] == 'm' ? 60 : 3600);
      rest.remove_prefix(1);
    } else {
      return std::nullopt;
    }
  }
  if (text.empty() || sum > most_seconds) return std::nullopt;
  return from_seconds(sum);
}

std::string format_reset(microseconds span) {
  if (span < 1s) {
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(span).count();
    if (ms <= 0) return "0s";
    if (ms < 1000) return fmt::format("{}ms", ms);
  }
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(span).count();
  const auto hours = seconds / 3600;
  const auto minutes = seconds % 3600 / 60;
  if (hours > 0) return fmt::format("{}h{}m{}s", hours, minutes, seconds % 60);
  if (minutes > 0) return fmt::format("{}m{}s", minutes, seconds % 60);
  return fmt::format("{}s", seconds);
}

std::int64_t retry_after_seconds(microseconds wait) {
  return std::max<std::int64_t>(1, std::chrono::ceil<std::chrono::seconds>(wait).count());
}

}  // namespace weir::wire
