// Escapes as JSON does, in text lines too, plus what terminals and line readers act on: DEL, C1
// controls, U+2028 and U+2029.
#include "observe/line.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>

#include "observe/utf8.hpp"

namespace weir::observe {
namespace {

// ASCII that stands for itself inside quotes.
constexpr std::array<bool, 256> plain = [] {
  std::array<bool, 256> table{};
  for (int c = 0x20; c < 0x7F; ++c) table[c] = c != '"' && c != '\\';
  return table;
}();

bool is_plain(char c) { return plain[static_cast<unsigned char>(c)]; }

// How many bytes at the begin are plain: eight at a time, then the exact end by the table.
std::size_t plain_run(std::string_view text) {
  constexpr std::uint64_t ones = 0x0101010101010101;
  constexpr std::uint64_t highs = 0x8080808080808080;
  const auto zero_in = [](std::uint64_t word) { return (word - ones) & ~word & highs; };
  std::size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + i, 8);
    const std::uint64_t control = (word - ones * 0x20) & ~word & highs;
    if (((word & highs) | control | zero_in(word ^ ones * '"') | zero_in(word ^ ones * '\\') |
         zero_in(word ^ ones * 0x7F)) != 0) {
      break;
    }
  }
  while (i < text.size() && is_plain(text[i])) ++i;
  return i;
}

bool bare_in_text(std::string_view value) {
  return !value.empty() &&
         std::ranges::all_of(value, [](char c) { return is_plain(c) && c != ' ' && c != '='; });
}

std::string_view cut(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end > 0 && end + 4 > most && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

// The writers below put text where there is room for it and return its end.
char* put(char* to, std::string_view text) {
  if (text.empty()) return to;
  std::memcpy(to, text.data(), text.size());
  return to + text.size();
}

template <std::size_t N>
char* put(char* to, const char (&literal)[N]) {
  std::memcpy(to, literal, N - 1);  // of known size: no call
  return to + N - 1;
}

// At most max_escape bytes per byte of `text`.
constexpr std::size_t max_escape = 6;

char* put_unsafe(char* to, std::string_view code_point) {
  const auto first = static_cast<unsigned char>(code_point[0]);
  const bool c1 = first == 0xC2 && static_cast<unsigned char>(code_point[1]) < 0xA0;
  if (code_point == "\n") return put(to, "\\n");
  if (code_point == "\"") return put(to, "\\\"");
  if (code_point == "\\") return put(to, "\\\\");
  if (code_point == "\xE2\x80\xA8") return put(to, "\\u2028");
  if (code_point == "\xE2\x80\xA9") return put(to, "\\u2029");
  if (first >= 0x80 && !c1) return put(to, code_point);
  return fmt::format_to(to, "\\u{:04x}", c1 ? static_cast<unsigned char>(code_point[1]) : first);
}

char* put_quoted(char* to, std::string_view text) {
  for (;;) {
    const std::size_t run = plain_run(text);
    to = put(to, text.substr(0, run));
    if (run == text.size()) return to;
    text.remove_prefix(run);
    const std::size_t size = code_point_size(text);
    to = size == 0 ? put(to, replacement) : put_unsafe(to, text.substr(0, size));
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
}

// RFC 3339 in UTC with milliseconds: 24 bytes.
char* put_time(char* to, wall_time at) {
  using namespace std::chrono;
  const auto day = floor<days>(at);
  const year_month_day date{day};
  const auto ms = static_cast<std::uint32_t>(floor<milliseconds>(at - day).count());
  put(to, "0000-00-00T00:00:00.000Z");
  const auto digits = [to](std::size_t end, std::uint32_t value) {
    for (; value != 0; value /= 10) to[--end] = static_cast<char>('0' + value % 10);
  };
  digits(4, static_cast<std::uint32_t>(std::clamp(static_cast<int>(date.year()), 0, 9999)));
  digits(7, static_cast<unsigned>(date.month()));
  digits(10, static_cast<unsigned>(date.day()));
  digits(13, ms / 3'600'000);
  digits(16, ms / 60'000 % 60);
  digits(19, ms / 1000 % 60);
  digits(23, ms % 1000);
  return to + 24;
}

}  // namespace

void line::begin(wall_time at, std::string_view level, std::string_view message) {
  char* to = room(64 + level.size());
  to = json_ ? put(to, "{\"time\":\"") : put(to, "time=");
  to = put_time(to, at);
  to = json_ ? put(to, "\",\"level\":\"") : put(to, " level=");
  to = put(to, level);
  if (json_) to = put(to, "\"");
  end_at(to);
  text("message", message);
}

void line::text(std::string_view name, std::string_view value, std::size_t most) {
  value = cut(value, most);
  char* to = key(name, max_escape * value.size() + 2);
  if (!json_ && bare_in_text(value)) {
    to = put(to, value);
  } else {
    to = put(to, "\"");
    to = put_quoted(to, value);
    to = put(to, "\"");
  }
  end_at(to);
}

void line::number(std::string_view name, std::int64_t value) {
  const fmt::format_int digits{value};
  end_at(put(key(name, digits.size()), std::string_view{digits.data(), digits.size()}));
}

void line::number(std::string_view name, std::uint64_t value) {
  const fmt::format_int digits{value};
  end_at(put(key(name, digits.size()), std::string_view{digits.data(), digits.size()}));
}

void line::number(std::string_view name, double value) {
  char* to = key(name, 32);  // the shortest exact form of a double has at most 24 characters
  end_at(std::isfinite(value) ? fmt::format_to(to, "{}", value) : put(to, "null"));
}

void line::flag(std::string_view name, bool value) {
  char* to = key(name, 5);
  end_at(value ? put(to, "true") : put(to, "false"));
}

void line::end() {
  char* to = room(2);
  end_at(json_ ? put(to, "}\n") : put(to, "\n"));
}

// Writes the key; there is room for `more` bytes where it ends.
char* line::key(std::string_view name, std::size_t more) {
  char* to = room(max_escape * name.size() + 4 + more);
  if (json_) {
    to = put(to, ",\"");
    to = put_quoted(to, name);
    return put(to, "\":");
  }
  to = put(to, " ");
  for (const char c : name) *to++ = bare_in_text({&c, 1}) ? c : '_';
  return put(to, "=");
}

char* line::room(std::size_t bytes) {
  out_.reserve(out_.size() + bytes);
  return out_.data() + out_.size();
}

void line::end_at(const char* end) { out_.resize(static_cast<std::size_t>(end - out_.data())); }

}  // namespace weir::observe
