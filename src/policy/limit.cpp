// See limit.hpp: the checks that every limit passes.
#include "policy/limit.hpp"

#include <functional>

namespace weir::policy {

namespace {

constexpr std::int64_t max_amount = std::int64_t{1} << 50;
constexpr std::int64_t max_money = 4'000'000'000'000'000'000;
constexpr microseconds max_window = std::chrono::hours{24 * 400};

bool has_window(algorithm a) {
  return a == algorithm::token_bucket || a == algorithm::sliding_window || a == algorithm::total;
}

}  // namespace

result<limit_rule> limit_rule::make(const limit_spec& spec) {
  if (spec.unit == unit::money && (spec.amount < 1 || spec.amount > max_money))
    return fail("a limit on money: expected more than 0 and at most 4000000 of the currency");
  if (spec.unit == unit::money && spec.algorithm == algorithm::token_bucket) {
    return fail("a limit on money in a token_bucket: expected sliding_window or calendar");
  }
  if (spec.unit != unit::money && (spec.amount < 1 || spec.amount > max_amount)) {
    return fail("a limit of " + std::to_string(spec.amount) +
                ": expected an amount from 1 to 2^50; to refuse everything, remove the model or "
                "the permission instead");
  }
  if ((spec.unit == unit::concurrent) != (spec.algorithm == algorithm::concurrency)) {
    return fail(spec.unit == unit::concurrent
                    ? "a limit on concurrent calls has no window and no algorithm: write, for "
                      "example, \"4 concurrent\""
                    : "the concurrency algorithm counts concurrent calls only: expected "
                      "token_bucket, sliding_window or calendar");
  }
  if (has_window(spec.algorithm) && (spec.window < microseconds{1} || spec.window > max_window)) {
    return fail("a window of " + std::to_string(spec.window.count()) +
                " us: expected from 1 us to 400 days");
  }
  if (spec.algorithm == algorithm::calendar) {
    auto calendar = civil_calendar::make(spec.period, spec.zone, spec.reset_at);
    if (!calendar) return calendar.error();
    const std::size_t mixed =
        (std::hash<std::string>{}(spec.zone) * 1440 + static_cast<std::size_t>(spec.reset_at)) * 8 +
        static_cast<std::size_t>(spec.period);
    return limit_rule{spec, *calendar, static_cast<std::uint16_t>(mixed ^ (mixed >> 16U))};
  }
  auto utc = civil_calendar::make(calendar_period::day, "UTC");
  return limit_rule{spec, *utc, 0};
}

}  // namespace weir::policy
