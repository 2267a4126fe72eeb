// Strict JSON (RFC 8259) in one pass: every byte is checked, nothing is copied, numbers and strings
// stay text. Why not simdjson on demand: it does not check what it skips, and cannot step over a
// number that fits no machine type. UTF-8 is checked by simdjson. No recursion: nesting costs a
// bit, not stack.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weir::wire {

// The deepest nesting that can be allowed.
inline constexpr int max_json_depth = 1024;

// Why a body was refused; never quotes it.
struct body_error {
  int status{400};
  std::string code;  // invalid_json, invalid_utf8, invalid_value, missing_value, duplicate_key, ...
  std::string param;    // the field, where it is one
  std::string message;  // what, where, what was expected
};

enum class json_kind : std::uint8_t {
  null,
  boolean,
  number,
  string,
  array,
  object
};

// One value as it is met. Views point into the text.
struct json_value {
  int depth{0};          // 0: the outermost value
  std::string_view key;  // its name in an object, as written (escapes and all); empty in an array
  json_kind kind{json_kind::null};
  std::string_view raw;   // strings: between the quotes; numbers and words: the word; else empty
  std::size_t offset{0};  // of its first byte in the text
  std::size_t size{0};    // bytes, quotes included; 0 for arrays and objects
};

class json_visitor {
 public:
  virtual ~json_visitor() = default;
  // A value is met, or an array or object begins. False: stop; `out` has been set.
  virtual bool value(const json_value& v, body_error& out) = 0;
  // The array or object of this depth ended; `offset` is behind its bracket.
  virtual bool end(int depth, std::size_t offset, body_error& out) = 0;
};

// Walks a whole text. False: `out` says why: not UTF-8, not JSON (and at which byte), deeper than
// max_depth, or what the visitor said.
bool walk_json(std::string_view text, int max_depth, json_visitor& visitor, body_error& out);

// A string's text between its quotes with escapes resolved. False: a lone surrogate.
bool unescape(std::string_view raw, std::string& out);

// Text as a JSON string with its quotes; invalid UTF-8 is replaced.
std::string quote(std::string_view text);

}  // namespace weir::wire
