// When each call of a stress run is due: an open loop, so a moment depends on the plan and the seed
// only, never on answers. No clock and no I/O.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "base/time.hpp"

namespace weir::sim {

struct schedule_plan {
  std::uint32_t users{1};  // at least 1
  double rate{1};          // calls per second of each user, above 0
  microseconds duration{};
  microseconds ramp{0};  // user u of n begins at ramp * u / n
  double jitter{0};      // 0 to 1, share of a period
  std::uint64_t seed{1};
};

struct arrival {
  microseconds due{};  // since the start of the run; below the duration
  std::uint32_t user{0};
};

// A sequence of reproducible numbers (splitmix64 of Steele, Lea and Flood, 2014).
class seeded {
 public:
  explicit seeded(std::uint64_t seed) : state_{seed} {}
  std::uint64_t next();
  // In [0, 1).
  double share();

 private:
  std::uint64_t state_;
};

// All arrivals in the order of their moments. User u's k-th call is due at
// start(u) + phase(u) + (k + jitter * random) / rate, with a phase of less than a period.
class schedule {
 public:
  explicit schedule(const schedule_plan& plan);

  [[nodiscard]] bool done() const { return next_.empty(); }
  // The next arrival; only while !done().
  [[nodiscard]] arrival peek() const { return next_.top().at; }
  arrival take();

 private:
  struct upcoming {
    arrival at;
    // Earliest first; of equal moments, the lower user, so that runs are alike.
    friend bool operator<(const upcoming& a, const upcoming& b) {
      return a.at.due != b.at.due ? a.at.due > b.at.due : a.at.user > b.at.user;
    }
  };
  struct user_state {
    double first_us;  // of call 0, without its jitter
    std::int64_t sent;
    seeded random;
  };
  void plan_next(std::uint32_t user);

  schedule_plan plan_;
  double period_us_;
  std::vector<user_state> users_;
  std::priority_queue<upcoming> next_;
};

}  // namespace weir::sim
