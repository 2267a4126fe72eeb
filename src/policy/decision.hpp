// What a limit answers when it is asked for an amount.
#pragma once

#include <cstdint>

#include "base/time.hpp"

namespace weir::policy {

struct decision {
  bool allowed{true};         // the amount fits
  bool never{false};          // refused, and waiting does not help: it is more than the whole limit
  std::int64_t limit{0};      // the rule's amount
  std::int64_t remaining{0};  // what could still be taken after this decision; never negative
  std::int64_t used{0};   // calendar and total only: what is taken before this decision; after an
                          // overrun more than the limit
  microseconds wait{0};   // when refused and not never: at least 1 us; a caller that waits exactly
                          // so long and is alone is admitted. For concurrency: a guess, 1 s
  microseconds reset{0};  // until the limit is whole again if nothing more is taken; 0: now
};

}  // namespace weir::policy
