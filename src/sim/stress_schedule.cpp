// The open loop's moments.
#include "sim/stress_schedule.hpp"

#include <cmath>

namespace weir::sim {

std::uint64_t seeded::next() {
  state_ += 0x9e3779b97f4a7c15;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

double seeded::share() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

schedule::schedule(const schedule_plan& plan) : plan_{plan}, period_us_{1e6 / plan.rate} {
  users_.reserve(plan.users);
  seeded phases{plan.seed};
  const auto ramp = static_cast<double>(plan.ramp.count());
  for (std::uint32_t u = 0; u < plan.users; ++u) {
    const double start = ramp * u / plan.users;
    users_.push_back({start + phases.share() * period_us_, 0, seeded{phases.next()}});
    plan_next(u);
  }
}

arrival schedule::take() {
  const arrival at = peek();
  next_.pop();
  plan_next(at.user);
  return at;
}

void schedule::plan_next(std::uint32_t user) {
  user_state& of = users_[user];
  const double late = plan_.jitter > 0 ? plan_.jitter * of.random.share() : 0;
  const double due = of.first_us + (static_cast<double>(of.sent) + late) * period_us_;
  if (due >= static_cast<double>(plan_.duration.count())) return;
  ++of.sent;
  next_.push({{microseconds{static_cast<std::int64_t>(due)}, user}});
}

}  // namespace weir::sim
