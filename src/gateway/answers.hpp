// What weir answers by itself: preflights and the list of models.
#pragma once

#include "gateway/exchange.hpp"

namespace weir::gateway {

bool is_preflight(const exchange& x);
task<> answer_preflight(exchange& x);

// Whether the call needs no engine.
bool answers_itself(const exchange& x);
task<> answer_itself(exchange& x);

}  // namespace weir::gateway
