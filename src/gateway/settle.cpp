// Step 7: what was really used. The engine's usage where it came; else what passed, counted
// upwards; else, where an engine may have worked unseen, the whole reservation stays.
#include <algorithm>
#include <utility>

#include "gateway/pipeline.hpp"
#include "gateway/worker.hpp"

namespace weir::gateway {
namespace {

// Answered 4xx or 5xx: the engine did no work that it counts.
bool turned_down(const exchange& x) { return x.answer && x.answer->head().status >= 300; }

std::int64_t estimated_tokens(const exchange& x) {
  if (!x.dispatched || turned_down(x)) return 0;
  const bool unseen = x.how != outcome::success && x.content_events == 0 && x.content_bytes == 0;
  if (unseen && !x.stream) return x.reserved.count;
  const tokens answer = x.model->estimate->load().answer(x.content_events, x.content_bytes);
  return x.estimated_prompt.count + answer.count;
}

void learn(exchange& x) {
  if (!x.usage.prompt || *x.usage.prompt <= 0 || x.prompt.bytes == 0) return;
  const tokens real{*x.usage.prompt};
  x.model->estimate->learn(x.prompt, real);
  if (x.estimated_prompt.count > 0) {
    x.on.metrics().observe(observe::family::estimate_error, {x.model->label},
                           real.count * 1000 / x.estimated_prompt.count);
  }
}

}  // namespace

void settle(exchange& x) {
  x.in_flight.end();
  if (std::exchange(x.counted, true)) return;
  const bool called = x.dispatched || x.op == operation::models || x.op == operation::model;
  store::usage real{called ? 1 : 0, 0};
  if (x.op == operation::passthrough) {
    real.tokens = x.dispatched ? x.reserved.count : 0;
  } else if (x.model != nullptr) {
    real.tokens = x.usage.known() ? x.usage.all() : estimated_tokens(x);
    learn(x);
  }
  x.settled = tokens{real.tokens};
  x.held.settle(real);
}

void reservation::settle(store::usage real) {
  if (with_ == nullptr || held_.empty()) return;
  with_->limits.settle_now(held_, real, with_->time.now());
}

}  // namespace weir::gateway
