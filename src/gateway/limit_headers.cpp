// The limit headers. The tightest limit of a unit is the one with the least remaining.
#include "gateway/limit_headers.hpp"

#include <array>
#include <charconv>

#include "wire/durations.hpp"
#include "wire/http.hpp"

namespace weir::gateway {
namespace {

const store::verdict* tightest(policy::unit unit, std::span<const book_limit* const> limits,
                               std::span<const store::verdict> verdicts) {
  const store::verdict* least = nullptr;
  for (std::size_t i = 0; i < limits.size(); ++i) {
    if (limits[i]->source->rule.unit() != unit || limits[i]->source->observe) continue;
    if (least == nullptr || verdicts[i].remaining < least->remaining) least = &verdicts[i];
  }
  return least;
}

void add_number(std::string& out, std::int64_t value) {
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out.append(digits.data(), end);
}

// The three lines of a unit, put together by hand: they are on every answer.
void add_unit(std::string& out, std::string_view unit, const store::verdict& of) {
  const auto begin = [&out, unit](std::string_view what) {
    out += "x-ratelimit-";
    out += what;
    out += unit;
    out += ": ";
  };
  begin("limit-");
  add_number(out, of.limit);
  out += "\r\n";
  begin("remaining-");
  add_number(out, of.remaining);
  out += "\r\n";
  begin("reset-");
  out += wire::format_reset(of.reset);
  out += "\r\n";
}

}  // namespace

std::string render_limit_headers(std::string_view tier, std::string_view model,
                                 std::span<const book_limit* const> limits,
                                 std::span<const store::verdict> verdicts) {
  std::string out;
  out.reserve(384);
  const auto add = [&out](std::string_view name, std::string_view value) {
    if (value.empty() || !wire::is_header_value(value)) return;
    out += name;
    out += value;
    out += "\r\n";
  };
  add("X-RateLimit-Tier: ", tier);
  add("X-RateLimit-Model: ", model);
  if (const auto* requests = tightest(policy::unit::requests, limits, verdicts)) {
    out += "X-RateLimit-Remaining: ";
    add_number(out, requests->remaining);
    out += "\r\n";
    add_unit(out, "requests", *requests);
  }
  if (const auto* used = tightest(policy::unit::tokens, limits, verdicts))
    add_unit(out, "tokens", *used);
  return out;
}

}  // namespace weir::gateway
