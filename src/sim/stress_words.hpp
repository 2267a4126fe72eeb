// The names of call ends and answer faults, for people and for JSON.
#pragma once

#include <string_view>

#include "sim/stress_tally.hpp"

namespace weir::sim {

// A word such as "connect_timeout".
std::string_view name_of(call_end end);
std::string_view name_of(answer_fault fault);
// What it means, such as "no connection in time".
std::string_view meaning_of(call_end end);
std::string_view meaning_of(answer_fault fault);

}  // namespace weir::sim
