// Which of some names was probably meant. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace weir::config {

// The name closest to `written` by edits (insert, delete, replace, swap of neighbours;
// Damerau-Levenshtein in its optimal-string-alignment form, without regard to case), or "" where
// none is within a third of its length (at least 1, at most 3 edits). Among equals the first.
[[nodiscard]] std::string_view nearest(std::string_view written,
                                       std::span<const std::string_view> names);

// "; did you mean 'NAME'?" or "".
[[nodiscard]] std::string did_you_mean(std::string_view written,
                                       std::span<const std::string_view> names);

}  // namespace weir::config
