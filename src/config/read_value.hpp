// One value of a file, read by the type of its row. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "config/options.hpp"

namespace weir::config {

// Reads `text` (its ${...} already replaced) as the row's type and checks its range. Not for
// sections and limits, which is a bug and throws std::logic_error. The error says what was expected
// and quotes nothing.
[[nodiscard]] result<value> read_value(const option& row, const std::string& text);

// What a name, of something or in a value, is made of: letters, digits and . _ - : /, 1 to 64 of
// them.
[[nodiscard]] bool is_plain_name(std::string_view text);

// Whether it holds a control character, such as a line break that came with a variable.
[[nodiscard]] bool has_control(std::string_view text);

// ASCII upper case.
[[nodiscard]] std::string to_upper(std::string_view text);

// "1KiB to 1GiB", "at least 1", or "" where the row has no range.
[[nodiscard]] std::string range_of(const option& row);

}  // namespace weir::config
