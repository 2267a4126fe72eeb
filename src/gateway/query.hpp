// Query strings and percent-encoding, as far as routes need them.
#pragma once

#include <string>
#include <string_view>

namespace weir::gateway {

// Resolves %XX; a broken escape stays as it is.
std::string percent_decode(std::string_view text);

// The value of the first parameter of this name, decoded; empty where there is none.
std::string query_value(std::string_view query, std::string_view name);

}  // namespace weir::gateway
