// The one place where the machine's clocks are read.
#pragma once

#include "base/time.hpp"

namespace weir::net {

// CLOCK_MONOTONIC and CLOCK_REALTIME. Thread-safe.
class system_clock final : public clock {
 public:
  [[nodiscard]] instant now() const override;
  [[nodiscard]] mono_time mono() const override;
};

}  // namespace weir::net
