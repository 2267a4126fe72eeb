// The two kinds of time, in microseconds. Monotonic time decides; wall time is for people, headers
// and calendars. Neither can be read here: the one reader is base::clock's implementation, handed
// down from main.
#pragma once

#include <chrono>
#include <cstdint>

namespace weir {

using microseconds = std::chrono::microseconds;
using namespace std::chrono_literals;

// A clock without now(): only arithmetic, so that monotonic instants can't be mixed with wall time.
struct mono_clock {
  using rep = std::int64_t;
  using period = std::micro;
  using duration = microseconds;
  using time_point = std::chrono::time_point<mono_clock, microseconds>;
  static constexpr bool is_steady = true;
};

using mono_time = mono_clock::time_point;               // never steps; origin unspecified
using wall_time = std::chrono::sys_time<microseconds>;  // UTC, microseconds since 1970; may step

// One reading of both clocks, taken together.
struct instant {
  mono_time mono{};
  wall_time wall{};
};

// Where time comes from. Implementations are thread-safe. The system's is net/system_clock.hpp, the
// tests' manual_clock.
class clock {
 public:
  virtual ~clock() = default;
  [[nodiscard]] virtual instant now() const = 0;
  [[nodiscard]] virtual mono_time mono() const { return now().mono; }
};

// A clock that stands still until it is moved; for tests and for virtual time. Not thread-safe
// while being moved.
class manual_clock final : public clock {
 public:
  explicit manual_clock(instant start = {mono_time{1s},
                                         wall_time{std::chrono::seconds{1796083200}}})
      : now_{start} {}
  [[nodiscard]] instant now() const override { return now_; }
  void advance(microseconds by) {
    now_.mono += by;
    now_.wall += by;
  }
  void step_wall(microseconds by) { now_.wall += by; }

 private:
  instant now_;
};

}  // namespace weir
