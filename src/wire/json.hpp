// JSON text as the other files of wire see it: values as they are met, strings between their
// quotes, numbers as written. The walk itself is in wire/json_scan.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weir::wire {

// The deepest nesting that can be allowed.
inline constexpr int max_json_depth = 1024;

// Why a body was refused; never quotes it.
struct body_error {
  int status{400};      // of the answer
  std::string code;     // invalid_json, invalid_utf8, invalid_value, missing_value, ...
  std::string param;    // the field, where it is one
  std::string message;  // what, where, what was expected
};

enum class json_kind : std::uint8_t {
  null,     // null
  boolean,  // true, false
  number,   // as written, of any size
  string,   // "..."
  array,    // [...]
  object,   // {...}
};

// One value as it is met. Views point into the text.
struct json_value {
  int depth{0};          // 0: the outermost value
  std::string_view key;  // its name in an object, as written (escapes and all); empty in an array
  json_kind kind{json_kind::null};  // what it is
  std::string_view raw;   // strings: between the quotes; numbers and words: the word; else empty
  std::size_t offset{0};  // of its first byte in the text
  std::size_t size{0};    // bytes, quotes included; 0 for arrays and objects
  bool escaped{false};    // a string that holds escapes
};

// A string's text from what stands between its quotes, which must be well-formed. False: it holds a
// lone surrogate; `out` then has it as three bytes that are no UTF-8.
bool unescape(std::string_view raw, std::string& out);

// Bytes that the text of a well-formed string has once its escapes are resolved.
std::int64_t unescaped_size(std::string_view raw);

// Bytes of a string's text.
inline std::int64_t text_size(const json_value& v) {
  return v.escaped ? unescaped_size(v.raw) : static_cast<std::int64_t>(v.raw.size());
}

// Text as a JSON string with its quotes; invalid UTF-8 is replaced.
std::string quote(std::string_view text);

// Where the first byte is that is no part of valid UTF-8; the text's size where there is none.
// Slow: for messages.
std::size_t first_invalid_utf8(std::string_view text);

}  // namespace weir::wire
