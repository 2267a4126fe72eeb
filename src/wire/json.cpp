// The scanner: a loop over tokens with one bit of memory per open bracket.
#include "wire/json.hpp"

#include <algorithm>
#include <bitset>
#include <cstring>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <simdjson.h>

namespace weir::wire {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// The first byte at or after `at` that may not simply stand in a string: a quote, a backslash, a
// control character.
const char* plain_until(const char* at, const char* end) {
  constexpr std::uint64_t ones = 0x0101010101010101ULL;
  constexpr std::uint64_t high = 0x8080808080808080ULL;
  while (end - at >= 8) {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    const std::uint64_t quote_bytes = word ^ (ones * '"');
    const std::uint64_t slash_bytes = word ^ (ones * '\\');
    const std::uint64_t hit = ((quote_bytes - ones) & ~quote_bytes) |
                              ((slash_bytes - ones) & ~slash_bytes) |
                              ((word - ones * 0x20) & ~word);
    if ((hit & high) != 0) break;
    at += 8;
  }
  while (at != end && *at != '"' && *at != '\\' && static_cast<unsigned char>(*at) >= 0x20) ++at;
  return at;
}

class scanner {
 public:
  scanner(std::string_view text, int max_depth, json_visitor& visitor, body_error& out)
      : begin_{text.data()},
        at_{text.data()},
        end_{text.data() + text.size()},
        max_depth_{std::min(max_depth, max_json_depth)},
        visitor_{visitor},
        out_{out} {}

  bool run() {
    if (!one_value({})) return false;
    while (depth_ > 0) {
      if (!next_in_container()) return false;
    }
    blanks();
    return at_ == end_ || refuse("expected nothing after the JSON value");
  }

 private:
  bool refuse(std::string_view what) {
    out_ = {400, "invalid_json", "",
            fmt::format("not valid JSON at byte {}: {}", at_ - begin_, what)};
    return false;
  }
  void blanks() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
  }
  std::size_t offset(const char* p) const { return static_cast<std::size_t>(p - begin_); }

  // A value and, if it is an array or object, only its opening bracket.
  bool one_value(std::string_view key) {
    blanks();
    if (at_ == end_) return refuse("expected a value, found the end");
    const char* from = at_;
    switch (*at_) {
      case '{':
        return open(key, true);
      case '[':
        return open(key, false);
      case '"': {
        std::string_view raw;
        if (!string(raw)) return false;
        return tell({depth_, key, json_kind::string, raw, offset(from), raw.size() + 2});
      }
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

  bool tell(const json_value& v) { return visitor_.value(v, out_); }

  bool open(std::string_view key, bool object) {
    if (depth_ >= max_depth_) {
      out_ = {400, "invalid_json", "",
              fmt::format("the JSON is nested deeper than {} levels", max_depth_)};
      return false;
    }
    if (!tell({depth_, key, object ? json_kind::object : json_kind::array, {}, offset(at_), 0}))
      return false;
    ++at_;
    is_object_[static_cast<std::size_t>(depth_)] = object;
    ++depth_;
    fresh_ = true;
    return true;
  }

  bool close() {
    ++at_;
    --depth_;
    fresh_ = false;
    return visitor_.end(depth_, offset(at_), out_);
  }

  // The next member or item of the innermost container, or its end.
  bool next_in_container() {
    const bool object = is_object_[static_cast<std::size_t>(depth_ - 1)];
    const char closing = object ? '}' : ']';
    blanks();
    if (at_ == end_) return refuse("an array or object without end");
    if (*at_ == closing && (fresh_ || !after_comma_)) return close();
    if (!fresh_ && !after_comma_) {
      if (*at_ != ',') return refuse(object ? "expected ',' or '}'" : "expected ',' or ']'");
      ++at_;
      after_comma_ = true;
      return true;
    }
    fresh_ = false;
    after_comma_ = false;
    return object ? member() : one_value({});
  }

  bool member() {
    if (*at_ != '"') return refuse("expected a name in double quotes");
    std::string_view key;
    if (!string(key)) return false;
    blanks();
    if (at_ == end_ || *at_ != ':') return refuse("expected ':' after a name");
    ++at_;
    return one_value(key);
  }

  bool string(std::string_view& raw) {
    const char* from = ++at_;
    for (;;) {
      at_ = plain_until(at_, end_);
      if (at_ == end_) return refuse("a string without end");
      if (*at_ == '"') break;
      if (*at_ != '\\') return refuse("a control character in a string");
      if (!escape()) return false;
    }
    raw = {from, static_cast<std::size_t>(at_ - from)};
    ++at_;
    return true;
  }

  bool escape() {
    ++at_;
    if (at_ == end_) return refuse("a string without end");
    if (*at_ == 'u') {
      if (end_ - at_ < 5 || !std::all_of(at_ + 1, at_ + 5, is_hex))
        return refuse("\\u needs four hexadecimal digits");
      at_ += 5;
      return true;
    }
    if (std::memchr("\"\\/bfnrt", *at_, 8) == nullptr)
      return refuse("an unknown escape in a string");
    ++at_;
    return true;
  }

  bool word(std::string_view expected, json_kind kind, std::string_view key) {
    const std::string_view rest{at_, static_cast<std::size_t>(end_ - at_)};
    if (!rest.starts_with(expected)) return refuse("expected a value");
    const char* from = at_;
    at_ += expected.size();
    return tell({depth_, key, kind, expected, offset(from), expected.size()});
  }

  bool digits() {
    const char* from = at_;
    while (at_ != end_ && is_digit(*at_)) ++at_;
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
    const std::string_view raw{from, static_cast<std::size_t>(at_ - from)};
    return tell({depth_, key, json_kind::number, raw, offset(from), raw.size()});
  }

  const char* begin_;
  const char* at_;
  const char* end_;
  int max_depth_;
  int depth_{0};
  bool fresh_{false};        // the innermost container has just been opened
  bool after_comma_{false};  // a comma was read and a member must follow
  std::bitset<max_json_depth> is_object_;
  json_visitor& visitor_;
  body_error& out_;
};

}  // namespace

bool walk_json(std::string_view text, int max_depth, json_visitor& visitor, body_error& out) {
  if (!simdjson::validate_utf8(text.data(), text.size())) {
    out = {400, "invalid_utf8", "", "the body is not valid UTF-8"};
    return false;
  }
  return scanner{text, max_depth, visitor, out}.run();
}

std::string quote(std::string_view text) {
  return nlohmann::json(std::string{text})
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool unescape(std::string_view raw, std::string& out) {
  const auto parsed = nlohmann::json::parse('"' + std::string{raw} + '"', nullptr, false);
  if (!parsed.is_string()) return false;
  out = parsed.get<std::string>();
  return true;
}

}  // namespace weir::wire
