// Walks a file's tree along the option table: finds what is unknown, not built or of the wrong
// type, and stores the rest.
#pragma once

#include "config/environment.hpp"
#include "config/options.hpp"
#include "config/report.hpp"
#include "config/yaml_tree.hpp"

namespace weir::config {

// Fills `into` from the tree. Mistakes and places go to `to`; what is mistaken keeps its default.
void walk(const node& root, settings& into, const environment& variables, report& to);

}  // namespace weir::config
