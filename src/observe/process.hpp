// What the kernel says of this process, for the scrape. Reads /proc/self; Linux only.
#pragma once

#include "base/time.hpp"
#include "observe/metrics.hpp"

namespace weir::observe {

// Sets the weir_process_* families. What cannot be read is left unset. Any thread, with a metrics
// of its own. Takes some 50 microseconds, milliseconds where 10 000 descriptors are open.
// `started` is when the process began.
void set_process_figures(metrics& into, wall_time started);

}  // namespace weir::observe
