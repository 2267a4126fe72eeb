// Step 4: which engine. The least loaded of the model's targets that are neither draining nor
// ejected; where all are, the least loaded of all, since a refusal would help nobody.
#include <limits>
#include <utility>

#include "gateway/pipeline.hpp"
#include "gateway/worker.hpp"

namespace weir::gateway {
namespace {

bool tried(const exchange& x, std::size_t index) { return (x.tried >> index & 1U) != 0; }

std::size_t least_loaded(const exchange& x, std::uint32_t turn, bool only_healthy) {
  const auto& targets = x.model->targets;
  std::size_t best = targets.size();
  std::int64_t load = std::numeric_limits<std::int64_t>::max();
  for (std::size_t step = 0; step < targets.size(); ++step) {
    const std::size_t index = (turn + step) % targets.size();
    const auto& state = *targets[index].provider->state;
    if (tried(x, index) || (only_healthy && (state.draining() || state.ejected()))) continue;
    if (state.in_flight() < load) {
      load = state.in_flight();
      best = index;
    }
  }
  return best;
}

}  // namespace

bool choose(exchange& x) {
  if (x.op == operation::backend)
    return std::exchange(x.tried, 1) == 0;  // the route named its backend
  const auto& targets = x.model->targets;
  const std::uint32_t turn = x.on.turn();
  std::size_t index = least_loaded(x, turn, true);
  if (index == targets.size() && x.tried == 0) index = least_loaded(x, turn, false);
  if (index == targets.size()) return false;
  x.tried |= std::uint64_t{1} << index;
  x.target = &targets[index];
  x.provider = x.target->provider;
  return true;
}

}  // namespace weir::gateway
