// The variables that ${NAME} in a configuration stands for, as a value: tests bring their own.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace weir::config {

using environment = std::map<std::string, std::string, std::less<>>;

// A copy of the process's variables. Not safe while another thread calls setenv.
[[nodiscard]] environment process_environment();

// Replaces ${NAME} (required: unset or empty is an error that names it) and ${NAME:-default} (the
// default where it is unset or empty). "$${" is a plain "${"; any other "$" stands for itself. A
// replaced text is not replaced again.
[[nodiscard]] result<std::string> expand(std::string_view text, const environment& variables);

}  // namespace weir::config
