// weir serve: builds every object by hand, passes references down, runs until a signal says stop.
#pragma once

#include <string>

namespace weir::app {

struct serve_options {
  std::string config;  // path; empty: the defaults
  int threads{0};      // overrides server.threads; 0: as configured
};

// Returns the exit status: 0 after a drained stop, 1 when it could not start.
int serve(const serve_options& options);

}  // namespace weir::app
