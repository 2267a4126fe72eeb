// The steps of a call, in order. Each is one file of the same name; each returns whether the next
// may run. A step that returns false has set x.refused, or has answered.
#pragma once

#include "base/task.hpp"
#include "gateway/exchange.hpp"

namespace weir::gateway {

// Runs all steps. START HERE: pipeline.cpp.
task<> run_pipeline(exchange& x);

bool route(exchange& x);             // which route and operation
task<bool> identify(exchange& x);    // who is calling
task<bool> read_facts(exchange& x);  // body, model, how much it may use
bool admit(exchange& x);             // all limits, all or nothing
bool choose(exchange& x);            // which engine
void prepare_body(exchange& x);      // the body as the chosen engine gets it
// How an attempt at an engine ended.
enum class sending : std::uint8_t {
  answered,     // the head of its answer is there
  stale,        // the reused socket was closed before it took the request: to be replaced once
  unreachable,  // no connection; another target may do
  failed,       // x.refused or x.how says why
};

task<sending> forward(exchange& x);  // send it, until the head of the answer is there
task<> relay(exchange& x);           // the answer to the caller, counted while passing
void settle(exchange& x);            // what was really used
void record(exchange& x);            // log line and metrics

// The refusals (refuse.cpp): each sets x.refused.
void refuse_login(exchange& x, const identity::rejection& why);
void refuse_login_flood(exchange& x, microseconds wait);
void refuse_limit(exchange& x, const book_limit& limit, const store::verdict& why);
void refuse_body(exchange& x, const wire::body_error& why);
void refuse_method(exchange& x, std::string_view allowed);
void refuse_simple(exchange& x, int status, std::string_view code, std::string message,
                   outcome how = outcome::refused);
// Why no engine answered.
void explain_unsent(exchange& x, sending last);
// The answer to a refused call, in the route's dialect.
task<> answer_refusal(exchange& x);

}  // namespace weir::gateway
