// One pass over the bytes, counting lines and columns.
#include "config/text_check.hpp"

#include <fmt/format.h>

namespace weir::config {

namespace {

// The length of the well-formed UTF-8 sequence at the front of `text`, or 0. Table 3-7 of the
// Unicode standard.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto tail = [&](std::size_t i) { return byte(i) >= 0x80 && byte(i) <= 0xBF; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  if (first < 0xE0) return tail(1) ? 2 : 0;
  if (first < 0xF0) {
    const unsigned least = first == 0xE0 ? 0xA0 : 0x80;  // no overlong forms
    const unsigned most = first == 0xED ? 0x9F : 0xBF;   // no surrogates
    return byte(1) >= least && byte(1) <= most && tail(2) ? 3 : 0;
  }
  const unsigned least = first == 0xF0 ? 0x90 : 0x80;
  const unsigned most = first == 0xF4 ? 0x8F : 0xBF;
  return byte(1) >= least && byte(1) <= most && tail(2) && tail(3) ? 4 : 0;
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7F;
}

}  // namespace

std::vector<mistake_at> check_bytes(std::string_view text) {
  std::vector<mistake_at> mistakes;
  mark at;
  bool indentation = true;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    const auto length = sequence_length(text.substr(i));
    if (length == 0) {
      mistakes.push_back({at, "not UTF-8; save the file as UTF-8"});
      return mistakes;  // what follows is probably another encoding altogether
    }
    if (is_control(c)) {
      mistakes.push_back(
          {at, fmt::format("the control character U+{:04X} cannot stand here; remove it", c)});
      return mistakes;
    }
    if (c == '\t' && indentation) {
      mistakes.push_back({at, "a tab at the start of a line; indent with spaces"});
      indentation = false;  // one mistake per line
    }
    i += length;
    if (c == '\n') {
      at = {at.line + 1, 1};
      indentation = true;
    } else {
      at.column += static_cast<int>(length);
      if (c != ' ') indentation = false;
    }
  }
  return mistakes;
}

}  // namespace weir::config
