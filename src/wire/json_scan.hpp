// Strict JSON (RFC 8259) in one pass: every byte is checked, nothing is copied, numbers and strings
// stay text. Why not simdjson on demand: it does not check what it skips, and it wants padding
// behind the text. UTF-8 is checked by simdjson. No recursion: nesting costs a bit, not stack.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "wire/json.hpp"

namespace weir::wire {

// The parts of the walk that do not depend on who looks. Not for use elsewhere.
namespace scanning {

bool is_utf8(std::string_view text);
// Each sets `out` and returns false.
bool refuse(body_error& out, std::size_t at, std::string_view what);
bool refuse_depth(body_error& out, std::size_t at, int max_depth);
bool refuse_utf8(body_error& out, std::string_view text);

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
inline bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// The first byte that may not simply stand in a string: a quote, a backslash, a control character.
// Eight bytes at a time; the lowest mark of such a word is exact
// (graphics.stanford.edu/~seander/bithacks.html, "Determine if a word has a byte less than n").
inline const char* plain_until(const char* at, const char* end) {
  static_assert(std::endian::native == std::endian::little);
  constexpr std::uint64_t ones = 0x0101010101010101ULL;
  constexpr std::uint64_t high = 0x8080808080808080ULL;
  for (; end - at >= 8; at += 8) {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    const std::uint64_t quotes = word ^ (ones * '"');
    const std::uint64_t slashes = word ^ (ones * '\\');
    const std::uint64_t hit = (((quotes - ones) & ~quotes) | ((slashes - ones) & ~slashes) |
                               ((word - ones * 0x20) & ~word)) &
                              high;
    if (hit != 0) return at + std::countr_zero(hit) / 8;
  }
  while (at != end && *at != '"' && *at != '\\' && static_cast<unsigned char>(*at) >= 0x20) ++at;
  return at;
}

// Steps over an escape, from its backslash. Null: it is none that JSON knows, or the text ends.
inline const char* after_escape(const char* at, const char* end) {
  if (end - at < 2) return nullptr;
  if (at[1] == 'u') {
    return end - at >= 6 && std::all_of(at + 2, at + 6, is_hex) ? at + 6 : nullptr;
  }
  constexpr std::string_view known = "\"\\/bfnrt";
  return known.find(at[1]) != std::string_view::npos ? at + 2 : nullptr;
}

}  // namespace scanning

// Walks a text for a visitor with
//   bool value(const json_value&, body_error&)               a value, or the begin of a container
//   bool end(int depth, std::size_t offset, body_error&)     of a container; `offset` is behind it
// Either returns false to stop, with the error set.
template <class Visitor>
class json_scan {
 public:
  json_scan(std::string_view text, int max_depth, Visitor& visitor, body_error& out)
      : begin_{text.data()},
        at_{text.data()},
        end_{text.data() + text.size()},
        max_depth_{std::min(max_depth, max_json_depth)},
        visitor_{visitor},
        out_{out} {}

  bool run() {
    blanks();
    if (!value({})) return false;
    while (depth_ > 0) {
      if (!step()) return false;
    }
    blanks();
    return at_ == end_ || refuse("expected nothing after the JSON value");
  }

 private:
  bool refuse(std::string_view what) { return scanning::refuse(out_, offset(at_), what); }
  void blanks() {
    while (at_ != end_ && scanning::is_blank(*at_)) ++at_;
  }
  std::size_t offset(const char* p) const { return static_cast<std::size_t>(p - begin_); }

  // One member or item of the innermost container, or its end.
  bool step() {
    const bool object = top_is_object();
    const char closing = object ? '}' : ']';
    blanks();
    if (at_ == end_) return refuse("an array or object without end");
    if (fresh_) {
      fresh_ = false;
      if (*at_ == closing) return close();
    } else {
      if (*at_ == closing) return close();
      if (*at_ != ',') return refuse(object ? "expected ',' or '}'" : "expected ',' or ']'");
      ++at_;
      blanks();
    }
    return object ? member() : value({});
  }

  bool member() {
    if (at_ == end_ || *at_ != '"') return refuse("expected a name in double quotes");
    std::string_view key;
    bool escaped = false;
    if (!string(key, escaped)) return false;
    blanks();
    if (at_ == end_ || *at_ != ':') return refuse("expected ':' after a name");
    ++at_;
    blanks();
    return value(key);
  }

  // A value; of an array or object only the opening bracket.
  bool value(std::string_view key) {
    if (at_ == end_) return refuse("expected a value, found the end");
    switch (*at_) {
      case '"':
        return text(key);
      case '{':
        return open(key, true);
      case '[':
        return open(key, false);
      case 't':
        return word("true", json_kind::boolean, key);
      case 'f':
        return word("false", json_kind::boolean, key);
      case 'n':
        return word("null", json_kind::null, key);
      default:
        return number(key);
    }
  }

  // A value that ends where the walk is, and is its own text.
  bool tell(std::string_view key, json_kind kind, std::string_view raw) {
    const std::size_t from = offset(at_) - raw.size();
    return visitor_.value({depth_, key, kind, raw, from, raw.size()}, out_);
  }

  bool text(std::string_view key) {
    const std::size_t from = offset(at_);
    std::string_view raw;
    bool escaped = false;
    if (!string(raw, escaped)) return false;
    return visitor_.value({depth_, key, json_kind::string, raw, from, raw.size() + 2, escaped},
                          out_);
  }

  bool open(std::string_view key, bool object) {
    if (depth_ >= max_depth_) return scanning::refuse_depth(out_, offset(at_), max_depth_);
    const json_kind kind = object ? json_kind::object : json_kind::array;
    if (!visitor_.value({depth_, key, kind, {}, offset(at_), 0}, out_)) return false;
    ++at_;
    const auto place = static_cast<unsigned>(depth_++);
    const std::uint64_t bit = std::uint64_t{1} << (place % 64);
    auto& bits = is_object_[place / 64];
    bits = object ? bits | bit : bits & ~bit;
    fresh_ = true;
    return true;
  }

  bool close() {
    ++at_;
    --depth_;
    return visitor_.end(depth_, offset(at_), out_);
  }

  bool top_is_object() const {
    const auto place = static_cast<unsigned>(depth_ - 1);
    return (is_object_[place / 64] >> (place % 64) & 1) != 0;
  }

  bool string(std::string_view& raw, bool& escaped) {
    const char* from = ++at_;
    for (;;) {
      at_ = scanning::plain_until(at_, end_);
      if (at_ == end_) return refuse("a string without end");
      if (*at_ == '"') break;
      if (*at_ != '\\') return refuse("a control character in a string");
      const char* next = scanning::after_escape(at_, end_);
      if (next == nullptr) return refuse("an unknown or incomplete escape in a string");
      at_ = next;
      escaped = true;
    }
    raw = {from, static_cast<std::size_t>(at_ - from)};
    ++at_;
    return true;
  }

  bool word(std::string_view expected, json_kind kind, std::string_view key) {
    const std::string_view rest{at_, static_cast<std::size_t>(end_ - at_)};
    if (!rest.starts_with(expected)) return refuse("expected a value");
    at_ += expected.size();
    return tell(key, kind, rest.substr(0, expected.size()));
  }

  bool digits() {
    const char* from = at_;
    while (at_ != end_ && scanning::is_digit(*at_)) ++at_;
    return at_ != from;
  }

  bool number(std::string_view key) {
    const char* from = at_;
    if (*at_ == '-') ++at_;
    if (at_ != end_ && *at_ == '0') {
      ++at_;
    } else if (!digits()) {
      return refuse("expected a value");
    }
    if (at_ != end_ && *at_ == '.') {
      ++at_;
      if (!digits()) return refuse("expected digits after '.'");
    }
    if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
      ++at_;
      if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
      if (!digits()) return refuse("expected digits in the exponent");
    }
    return tell(key, json_kind::number, {from, static_cast<std::size_t>(at_ - from)});
  }

  const char* begin_;
  const char* at_;
  const char* end_;
  int max_depth_;
  int depth_{0};
  bool fresh_{false};                                         // the innermost container just opened
  std::array<std::uint64_t, max_json_depth / 64> is_object_;  // one bit per open container
  Visitor& visitor_;
  body_error& out_;
};

// Walks a whole text. False: `out` says why: not UTF-8, not JSON (and at which byte), nested deeper
// than max_depth, or what the visitor said.
template <class Visitor>
bool walk_json(std::string_view text, int max_depth, Visitor& visitor, body_error& out) {
  if (!scanning::is_utf8(text)) return scanning::refuse_utf8(out, text);
  return json_scan<Visitor>{text, max_depth, visitor, out}.run();
}

}  // namespace weir::wire
