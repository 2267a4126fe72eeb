// The live line of a stress run on a terminal. Pure but for being drawn.
#pragma once

#include <cstdint>
#include <string>

#include "base/time.hpp"
#include "sim/stress_tally.hpp"

namespace weir::sim {

struct progress {
  microseconds elapsed{};
  microseconds duration{};
  std::size_t in_flight{0};
  bool colour{false};
};

// One line without its end: a bar, the time, shares per status. At most 100 columns wide.
std::string progress_line(const stress_tally& tally, const progress& now);

}  // namespace weir::sim
