// The verdict of a stress run: what a safety layer must show under too much load, checked one by
// one against the tally. Pure; docs/stress.md is the same in prose.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "sim/stress_steadiness.hpp"
#include "sim/stress_tally.hpp"

namespace weir::sim {

enum class check_state : std::uint8_t {
  pass,        // seen, and as it should be
  fail,        // seen, and not as it should be; the verdict is fail
  not_judged,  // the run could not show it
};

struct check {
  std::string_view name;
  check_state state{check_state::pass};
  std::string reason;  // one sentence
};

struct expectations {
  std::int64_t limit{10};   // calls a minute of each caller; 0: none
  bool limit_given{false};  // said by the operator, so that it is also held as an upper bound
  std::int64_t pressure{16};
  double max_variation{0.5};
  microseconds sent_for{};  // how long calls were sent
  microseconds elapsed{};   // until the last answer
};

// The requests a minute of a tier as weir ships: FREE 10, PRO 60, ENTERPRISE 300; any other is
// FREE. The case of letters does not matter.
std::int64_t shipped_limit(std::string_view tier);

// Checks, in the order in which a person wants to read them:
//   offered      at most 1 % of the calls were held back by the cap on calls in flight
//   transport    every call got an answer's head
//   statuses     200, 429 and 503 only
//   admitted     there are 200s
//   limited      a caller that sends more than limit + limit * minutes must see 429s. Where the
//                limit was given, no caller got more 200s than that; where it is 0, no 429
//   retry_after  every 429 says Retry-After, a whole number of seconds, at least 1
//   pressure     no 503 while fewer than `pressure` calls were open beside it: what is shed with
//                hardly anything in flight is shed for nothing
//   whole        every 200 is complete: streams finish, say [DONE] and are not cut
//   steady       after the first burst the 200s per window (steadiness.hpp) vary by at most
//                max_variation, and they do not cease
std::vector<check> judge(const stress_tally& tally, const steadiness& steady,
                         const expectations& expected);

// No check failed.
bool passed(const std::vector<check>& checks);

}  // namespace weir::sim
