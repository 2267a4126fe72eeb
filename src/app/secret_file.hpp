// A secret that weir makes for itself and keeps in its data directory.
#pragma once

#include <string>

#include "base/result.hpp"

namespace weir::app {

// Reads the secret, or makes one of 32 random bytes in hexadecimal, mode 0600, in a directory of
// mode 0700. Errors name the path and the system's reason.
result<std::string> read_or_make_secret(const std::string& directory, const std::string& name);

// Reads it only; an error where it does not exist.
result<std::string> read_secret(const std::string& directory, const std::string& name);

}  // namespace weir::app
