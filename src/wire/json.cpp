// What the walk over JSON needs and does not depend on who looks: escapes, UTF-8, messages.
#include "wire/json.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <simdjson.h>

#include "wire/json_scan.hpp"

namespace weir::wire {
namespace {

// The four hexadecimal digits behind \u.
unsigned code_unit(std::string_view raw, std::size_t at) {
  unsigned unit = 0;
  std::from_chars(raw.data() + at, raw.data() + at + 4, unit, 16);
  return unit;
}

// The code point of the escape whose backslash is at `at`, which is moved behind it. A lone
// surrogate is its own code point.
unsigned code_point(std::string_view raw, std::size_t& at) {
  const unsigned first = code_unit(raw, at + 2);
  at += 6;
  const bool leads = first >= 0xD800 && first < 0xDC00;
  if (!leads || raw.size() - at < 6 || raw[at] != '\\' || raw[at + 1] != 'u') return first;
  const unsigned second = code_unit(raw, at + 2);
  if (second < 0xDC00 || second > 0xDFFF) return first;
  at += 6;
  return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
}

std::int64_t encoded_size(unsigned point) {
  return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
}

void encode(unsigned point, std::string& out) {
  const auto tail = [&](int shift) {
    out += static_cast<char>(0x80 | (point >> static_cast<unsigned>(shift) & 0x3F));
  };
  switch (encoded_size(point)) {
    case 1:
      out += static_cast<char>(point);
      return;
    case 2:
      out += static_cast<char>(0xC0 | point >> 6);
      break;
    case 3:
      out += static_cast<char>(0xE0 | point >> 12);
      tail(6);
      break;
    default:
      out += static_cast<char>(0xF0 | point >> 18);
      tail(12);
      tail(6);
  }
  tail(0);
}

char short_escape(char c) {
  switch (c) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return c;
  }
}

// Bytes of the longest valid prefix of at most `size` bytes that lacks no more than three of them.
// 0: there is none.
std::size_t valid_prefix(std::string_view text, std::size_t size) {
  for (std::size_t less = 0; less < 4 && less < size; ++less) {
    if (scanning::is_utf8(text.substr(0, size - less))) return size - less;
  }
  return 0;
}

}  // namespace

bool unescape(std::string_view raw, std::string& out) {
  out.clear();
  bool whole = true;
  for (std::size_t at = 0; at < raw.size();) {
    const auto slash = std::min(raw.find('\\', at), raw.size());
    out += raw.substr(at, slash - at);
    at = slash;
    if (at == raw.size()) break;
    if (raw[at + 1] != 'u') {
      out += short_escape(raw[at + 1]);
      at += 2;
      continue;
    }
    const unsigned point = code_point(raw, at);
    whole = whole && (point < 0xD800 || point > 0xDFFF);
    encode(point, out);
  }
  return whole;
}

std::int64_t unescaped_size(std::string_view raw) {
  auto size = static_cast<std::int64_t>(raw.size());
  for (std::size_t at = raw.find('\\'); at < raw.size(); at = raw.find('\\', at)) {
    const std::size_t from = at;
    if (raw[at + 1] == 'u') {
      size += encoded_size(code_point(raw, at));
    } else {
      at += 2;
      ++size;
    }
    size -= static_cast<std::int64_t>(at - from);
  }
  return size;
}

std::string quote(std::string_view text) {
  return nlohmann::json(std::string{text})
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::size_t first_invalid_utf8(std::string_view text) {
  constexpr std::size_t longest = 4;  // bytes of a character
  std::size_t at = 0;
  for (std::size_t step = 4096; at < text.size();) {
    const auto rest = text.substr(at);
    const std::size_t valid = valid_prefix(rest, std::min(step, rest.size()));
    at += valid;
    if (valid > 0) continue;
    if (step == longest) break;
    step = longest;
  }
  return at;
}

namespace scanning {

bool is_utf8(std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); }

bool refuse(body_error& out, std::size_t at, std::string_view what) {
  out = {400, "invalid_json", "", fmt::format("not valid JSON at byte {}: {}", at, what)};
  return false;
}

bool refuse_depth(body_error& out, std::size_t at, int max_depth) {
  out = {400, "invalid_json", "",
         fmt::format("nested deeper than {} levels at byte {}", max_depth, at)};
  return false;
}

bool refuse_utf8(body_error& out, std::string_view text) {
  out = {400, "invalid_utf8", "",
         fmt::format("not valid UTF-8 at byte {}; send JSON as UTF-8", first_invalid_utf8(text))};
  return false;
}

}  // namespace scanning
}  // namespace weir::wire
