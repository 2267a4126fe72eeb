// What must hold of a file's bytes before a YAML parser sees them. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "config/yaml_tree.hpp"

namespace weir::config {

// Mistakes in the bytes: not UTF-8 (RFC 3629), a control character (yaml-cpp takes U+0004 for the
// end of the file, which would drop the rest in silence), a tab in a line's indentation. `text` has
// no byte order mark.
[[nodiscard]] std::vector<mistake_at> check_bytes(std::string_view text);

}  // namespace weir::config
