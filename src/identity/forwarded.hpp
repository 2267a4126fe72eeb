// The hops of X-Forwarded-For and Forwarded (RFC 7239), from the right, as text. Looks at no more
// than is asked for.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace weir::identity {

// Yields views into the header values, so it must not outlive them.
class hop_reader {
 public:
  enum class syntax : unsigned char {
    list,       // X-Forwarded-For: one address per element
    parameters  // Forwarded: the value of each element's for=
  };

  static hop_reader x_forwarded_for(std::span<const std::string_view> lines) {
    return hop_reader{lines, syntax::list};
  }
  static hop_reader forwarded(std::span<const std::string_view> lines) {
    return hop_reader{lines, syntax::parameters};
  }

  // The next hop to the left, without spaces and quotes; nothing at the end. An element without an
  // address (empty, no for=, for= twice) is an empty text.
  std::optional<std::string_view> next();

 private:
  hop_reader(std::span<const std::string_view> lines, syntax s) : lines_{lines}, syntax_{s} {}
  std::optional<std::string_view> next_element();

  std::span<const std::string_view> lines_;  // still to read, the current one left out
  std::optional<std::string_view> rest_;     // of the current line
  syntax syntax_;
};

}  // namespace weir::identity
