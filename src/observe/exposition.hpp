// One family in Prometheus' text format 0.0.4. Knows the format, not weir's families.
#pragma once

#include <string>

#include "observe/family.hpp"
#include "observe/series_table.hpp"

namespace weir::observe {

// Appends HELP, TYPE and all series, sorted; nothing where there is no series. Label values and
// HELP may hold anything; names and label names must be valid.
void append_family(std::string& out, const family_row& family, const series_table& series);

}  // namespace weir::observe
