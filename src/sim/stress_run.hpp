// One stress run from plan to report, without the terminal's part: what `weir stress` does and what
// its tests drive.
#pragma once

#include "base/time.hpp"
#include "observe/log.hpp"
#include "sim/stress_report.hpp"
#include "sim/stress_target.hpp"

namespace weir::sim {

// Told now and then how far a run has come, on the thread that runs it.
class stress_viewer {
 public:
  virtual ~stress_viewer() = default;
  virtual void look(const stress_tally& tally, microseconds elapsed, std::size_t in_flight) = 0;
};

struct stress_result {
  stress_tally tally;
  microseconds elapsed{};
  microseconds sent_for{};
  bool ended_early{false};
};

// Runs a plan to its end, or until SIGINT or SIGTERM, on the calling thread. `viewer` may be null.
// Errors: the trust for https cannot be read.
result<stress_result> run_plan(const stress_plan& plan, const stress_options& options,
                               const clock& time, observe::logger& log, stress_viewer* viewer);

// The verdict on a run.
stress_report make_report(const stress_options& options, const stress_result& ran);

}  // namespace weir::sim
