// The life of a call: the steps in order, each with the reason why it stands where it does. Nothing
// else is done here.
#include "gateway/pipeline.hpp"

#include "gateway/answers.hpp"

namespace weir::gateway {
namespace {

// Runs the steps up to the answer; false: a refusal is to be told, or nobody is left to be told.
task<bool> run_steps(exchange& x) {
  // Where it goes decides in which dialect every later word is said.
  if (!route(x)) co_return false;
  // Browsers ask before they send credentials; that costs nobody anything.
  if (is_preflight(x)) {
    co_await answer_preflight(x);
    co_return true;
  }
  // Who calls, from the head alone: a stranger's body is never read.
  const bool known = co_await identify(x);
  if (!known) co_return false;
  // What is asked for: the model that is limited and routed is the one read here, and no other.
  const bool read = co_await read_facts(x);
  if (!read) co_return false;
  // All limits at once, all or nothing; from here on the call holds what it may use at most.
  if (!admit(x)) co_return false;
  // What weir knows itself needs no engine.
  if (answers_itself(x)) {
    co_await answer_itself(x);
    co_return true;
  }
  // One engine after another until one takes the call; an engine that took it is never left for
  // another.
  sending reached = sending::unreachable;
  while (reached == sending::unreachable && choose(x)) reached = co_await forward(x);
  if (reached != sending::answered) {
    explain_unsent(x, reached);
    co_return false;
  }
  // The answer, as it comes, counted while it passes.
  co_await relay(x);
  co_return !x.refused || x.http.answered();
}

}  // namespace

task<> run_pipeline(exchange& x) {
  const bool answered = co_await run_steps(x);
  // Before the refusal is told: a caller that waits as long as it says must find the place free.
  settle(x);
  if (!answered && x.refused) co_await answer_refusal(x);
  record(x);
}

}  // namespace weir::gateway
