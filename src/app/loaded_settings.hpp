// The settings a command works by: of the file named, or the defaults.
#pragma once

#include <memory>
#include <string>

#include "config/settings.hpp"

namespace weir::app {

// Prints every mistake to stderr and returns null where there is one. An empty path means the
// defaults.
std::shared_ptr<const config::settings> settings_or_complain(const std::string& path);

}  // namespace weir::app
