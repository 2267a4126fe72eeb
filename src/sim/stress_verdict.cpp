// The checks, one function each.
#include "sim/stress_verdict.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "sim/stress_words.hpp"
#include "wire/http.hpp"

namespace weir::sim {
namespace {

constexpr auto pass = check_state::pass;
constexpr auto failed = check_state::fail;
constexpr auto not_judged = check_state::not_judged;
constexpr microseconds much_too_late{250ms};

double minutes(microseconds t) { return static_cast<double>(t.count()) / 60e6; }

// A bucket's burst and what is refilled meanwhile.
double allowance(const expectations& expected, microseconds over) {
  return static_cast<double>(expected.limit) * (1 + minutes(over));
}

// Where the machine that calls is the bottleneck, a person must know before anything else.
std::string lateness(const stress_tally& tally) {
  const microseconds late = tally.send_lag.percentile(99);
  if (late < much_too_late) return {};
  return fmt::format(
      "; 1 in 100 went out {:.1f} s late or more: this machine is too busy to offer it",
      static_cast<double>(late.count()) / 1e6);
}

check offered(const stress_tally& tally) {
  const std::int64_t due = tally.sent + tally.unsent;
  const std::string late = lateness(tally);
  if (tally.unsent == 0)
    return {"offered", pass, fmt::format("all {} calls were sent{}", due, late)};
  const bool few = tally.unsent * 100 <= due;
  return {"offered", few ? pass : failed,
          fmt::format("{} of {} calls were not sent, because too many were open: raise --in-flight "
                      "and the limit on descriptors, or offer less{}",
                      tally.unsent, due, late)};
}

check transport(const stress_tally& tally) {
  if (tally.transport_errors() == 0) return {"transport", pass, "every call was answered"};
  std::string kinds;
  for (std::size_t i = 0; i < tally.ends.size(); ++i) {
    const auto end = static_cast<call_end>(i);
    if (tally.ends[i] == 0 || end == call_end::answered || end == call_end::abandoned) continue;
    kinds += fmt::format("{}{} x {}", kinds.empty() ? "" : ", ", tally.ends[i], meaning_of(end));
  }
  return {"transport", failed, fmt::format("calls without an answer: {}", kinds)};
}

std::string_view advice_on(int status) {
  switch (status) {
    case 401:
      return " (is the secret or key the one the gateway knows?)";
    case 403:
      return " (may these callers use the model?)";
    case 404:
      return " (does the gateway know the model, and is the URL's path right?)";
    case 502:
    case 504:
      return " (does the gateway reach its engine?)";
    default:
      return "";
  }
}

check statuses(const stress_tally& tally) {
  std::string others;
  for (const auto& [status, count] : tally.statuses) {
    if (status == 200 || status == 429 || status == 503) continue;
    others +=
        fmt::format("{}{} x {}{}", others.empty() ? "" : ", ", count, status, advice_on(status));
  }
  if (others.empty()) return {"statuses", pass, "no answers but 200, 429 and 503"};
  return {"statuses", failed, "other answers than 200, 429 and 503: " + others};
}

check admitted(const stress_tally& tally) {
  const auto ok = tally.with_status(200);
  if (ok > 0) return {"admitted", pass, fmt::format("{} calls got through", ok)};
  return {"admitted", failed, "not one call got through"};
}

// The most calls that one caller got through.
std::int64_t most_admitted(const stress_tally& tally) {
  std::int64_t most = 0;
  for (const auto& caller : tally.callers) most = std::max(most, caller.ok);
  return most;
}

check limited(const stress_tally& tally, const expectations& expected) {
  const std::int64_t refused = tally.with_status(429);
  if (expected.limit == 0) {
    if (refused == 0) return {"limited", pass, "no 429, and no limit to be met"};
    return {"limited", failed, fmt::format("{} x 429, where --limit 0 says no limit", refused)};
  }
  const double most = allowance(expected, expected.elapsed);
  const std::int64_t got = most_admitted(tally);
  if (expected.limit_given && static_cast<double>(got) > most)
    return {
        "limited", failed,
        fmt::format("a caller got {} calls through; {} a minute allow at most {:.0f} in {:.1f} s",
                    got, expected.limit, std::floor(most),
                    static_cast<double>(expected.elapsed.count()) / 1e6)};
  if (refused > 0) return {"limited", pass, fmt::format("{} calls were refused by 429", refused)};
  std::int64_t offered_most = 0;
  for (const auto& caller : tally.callers) offered_most = std::max(offered_most, caller.sent);
  if (static_cast<double>(offered_most) <= most)
    return {"limited", not_judged,
            fmt::format("no 429, but no caller sent more than {} a minute allow", expected.limit)};
  return {"limited", failed,
          fmt::format("no 429 though a caller sent {} calls where {} a minute allow {:.0f}; say "
                      "--limit if the limit is another one, 0 for none",
                      offered_most, expected.limit, std::floor(most))};
}

check retry_after(const stress_tally& tally) {
  const auto& seen = tally.retry_429;
  if (seen.absent + seen.bad > 0)
    return {"retry_after", failed,
            fmt::format("{} x 429 without Retry-After, {} where it is not a whole number of at "
                        "least 1",
                        seen.absent, seen.bad)};
  if (seen.good == 0) return {"retry_after", not_judged, "no 429 to look at"};
  return {"retry_after", pass,
          fmt::format("every 429 says when to come back: {} to {} s", seen.min_s, seen.max_s)};
}

check pressure(const stress_tally& tally, const expectations& expected) {
  const std::int64_t shed = tally.with_status(503);
  if (shed == 0) return {"pressure", pass, "no 503"};
  if (tally.calm_503 > 0)
    return {"pressure", failed,
            fmt::format("{} of {} x 503 came with fewer than {} calls in flight", tally.calm_503,
                        shed, expected.pressure)};
  return {"pressure", pass,
          fmt::format("{} x 503, all with {} or more calls in flight", shed, expected.pressure)};
}

check whole(const stress_tally& tally) {
  const std::int64_t ok = tally.with_status(200);
  if (ok == 0) return {"whole", not_judged, "no 200 to look at"};
  if (tally.faulty_answers() == 0)
    return {"whole", pass,
            fmt::format("all {} answers are whole, {} of them streams", ok, tally.streams)};
  std::string kinds;
  for (std::size_t i = 1; i < tally.faults.size(); ++i) {
    if (tally.faults[i] == 0) continue;
    kinds += fmt::format("{}{} x {}", kinds.empty() ? "" : ", ", tally.faults[i],
                         meaning_of(static_cast<answer_fault>(i)));
  }
  return {"whole", failed,
          fmt::format("{} of {} x 200 are not: {}", tally.faulty_answers(), ok, kinds)};
}

check steady_check(const steadiness& steady, const expectations& expected) {
  const std::int64_t length = steady.to_s - steady.from_s;
  const std::string part = fmt::format("seconds {} to {}", steady.from_s, steady.to_s);
  if (length == 0) return {"steady", not_judged, "the first burst lasted to the end of the run"};
  if (steady.ok == 0) {
    // Three turns of a caller, and none was taken.
    const bool ceased = expected.limit > 0 && length * expected.limit >= 3 * 60;
    return {"steady", ceased ? failed : not_judged,
            fmt::format("no 200 in {}, after the first burst", part)};
  }
  if (!steady.judged())
    return {
        "steady", not_judged,
        fmt::format("{} after the first burst are too short to say: each caller has its turn in "
                    "about {} s, and 3 turns are needed",
                    part, steady.window_s)};
  const bool even = steady.window_cv <= expected.max_variation;
  return {
      "steady", even ? pass : failed,
      fmt::format("the 200s in {} vary by {:.2f} over {} windows of {} s, at most {:.2f} is "
                  "steady",
                  part, steady.window_cv, steady.windows, steady.window_s, expected.max_variation)};
}

}  // namespace

std::int64_t shipped_limit(std::string_view tier) {
  if (wire::iequals(tier, "ENTERPRISE")) return 300;
  if (wire::iequals(tier, "PRO")) return 60;
  return 10;
}

std::vector<check> judge(const stress_tally& tally, const steadiness& steady,
                         const expectations& expected) {
  return {offered(tally),
          transport(tally),
          statuses(tally),
          admitted(tally),
          limited(tally, expected),
          retry_after(tally),
          pressure(tally, expected),
          whole(tally),
          steady_check(steady, expected)};
}

bool passed(const std::vector<check>& checks) {
  return std::none_of(checks.begin(), checks.end(),
                      [](const check& one) { return one.state == check_state::fail; });
}

}  // namespace weir::sim
