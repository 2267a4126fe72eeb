// Where UTF-8 is valid and where it is not: for texts that strangers chose and that go into lines
// and labels. Not a conversion and not a normal form.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace weir::observe {

inline constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

// Bytes (1..4) of the code point that `text` begins with; 0 if it begins with none that RFC 3629
// allows (stray or missing continuation, overlong, surrogate, over U+10FFFF) or is empty.
[[nodiscard]] std::size_t code_point_size(std::string_view text);

// The longest prefix of whole code points, each invalid byte as U+FFFD, of at most `most` bytes.
// NUL, which ends the text for Prometheus' parser, counts as invalid too.
[[nodiscard]] std::string valid_utf8(std::string_view text, std::size_t most);

}  // namespace weir::observe
