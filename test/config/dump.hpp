// Settings as lines of text, for golden files and comparisons. Shows secrets, so for tests only.
#pragma once

#include <set>
#include <string>

#include "config/settings.hpp"

namespace weir::config {

// One "path = value" per field and limit.
std::set<std::string> dump(const settings& value);

}  // namespace weir::config
