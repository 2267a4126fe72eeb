// What a stress run has to say in the end, as text for people or as one JSON object. Pure.
#pragma once

#include <string>
#include <vector>

#include "sim/stress.hpp"
#include "sim/stress_tally.hpp"
#include "sim/stress_verdict.hpp"

namespace weir::sim {

struct stress_report {
  const stress_options& asked;
  const stress_tally& tally;
  steadiness steady;
  std::vector<check> checks;
  microseconds elapsed{};
  microseconds sent_for{};
  bool ended_early{false};
};

// Several lines, the last of them the verdict. `colour`: with ANSI colours.
std::string to_text(const stress_report& report, bool colour);

// One object on one line; docs/stress.md lists its members. Durations in milliseconds.
std::string to_json(const stress_report& report);

// A percentile and the like in milliseconds, as to_json() gives them.
struct named_percentile {
  const char* name;
  double percent;
};
inline constexpr named_percentile shown_percentiles[] = {
    {"p50", 50}, {"p90", 90}, {"p95", 95}, {"p99", 99}};

}  // namespace weir::sim
