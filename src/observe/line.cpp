// Escapes as JSON does, in text lines too, plus what terminals and line readers act on: DEL, C1
// controls, U+2028 and U+2029.
#include "observe/line.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

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

// RFC 3339 in UTC with milliseconds.
void append_time(line_buffer& out, wall_time at) {
  using namespace std::chrono;
  const auto day = floor<days>(at);
  const year_month_day date{day};
  const auto ms = floor<milliseconds>(at - day).count();
  std::array<char, 24> text{'0', '0', '0', '0', '-', '0', '0', '-', '0', '0', 'T', '0',
                            '0', ':', '0', '0', ':', '0', '0', '.', '0', '0', '0', 'Z'};
  const auto put = [&](std::size_t end, std::int64_t value, int digits) {
    for (; digits > 0; --digits, value /= 10) text[--end] = static_cast<char>('0' + value % 10);
  };
  put(4, std::clamp(static_cast<int>(date.year()), 0, 9999), 4);
  put(7, static_cast<unsigned>(date.month()), 2);
  put(10, static_cast<unsigned>(date.day()), 2);
  put(13, ms / 3'600'000, 2);
  put(16, ms / 60'000 % 60, 2);
  put(19, ms / 1000 % 60, 2);
  put(23, ms % 1000, 3);
  out.append(text.data(), text.data() + text.size());
}

}  // namespace

void line::begin(wall_time at, std::string_view level, std::string_view message) {
  raw(json_ ? "{\"time\":\"" : "time=");
  append_time(out_, at);
  raw(json_ ? "\",\"level\":\"" : " level=");
  raw(level);
  if (json_) raw("\"");
  text("message", message);
}

void line::text(std::string_view name, std::string_view value, std::size_t most) {
  key(name);
  value = cut(value, most);
  if (!json_ && bare_in_text(value)) {
    raw(value);
    return;
  }
  raw("\"");
  quoted(value);
  raw("\"");
}

void line::number(std::string_view name, std::int64_t value) {
  key(name);
  const fmt::format_int digits{value};
  raw({digits.data(), digits.size()});
}

void line::number(std::string_view name, std::uint64_t value) {
  key(name);
  const fmt::format_int digits{value};
  raw({digits.data(), digits.size()});
}

void line::number(std::string_view name, double value) {
  key(name);
  if (std::isfinite(value)) {
    fmt::format_to(fmt::appender(out_), "{}", value);
  } else {
    raw("null");
  }
}

void line::flag(std::string_view name, bool value) {
  key(name);
  raw(value ? "true" : "false");
}

void line::end() { raw(json_ ? "}\n" : "\n"); }

void line::key(std::string_view name) {
  if (json_) {
    raw(",\"");
    quoted(name);
    raw("\":");
    return;
  }
  raw(" ");
  for (const char c : name) out_.push_back(bare_in_text({&c, 1}) ? c : '_');
  raw("=");
}

void line::quoted(std::string_view text) {
  while (!text.empty()) {
    const auto run =
        static_cast<std::size_t>(std::ranges::find_if_not(text, is_plain) - text.begin());
    raw(text.substr(0, run));
    text.remove_prefix(run);
    if (text.empty()) return;
    const std::size_t size = code_point_size(text);
    if (size == 0) {
      raw(replacement);
    } else {
      unsafe(text.substr(0, size));
    }
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
}

void line::unsafe(std::string_view code_point) {
  const auto first = static_cast<unsigned char>(code_point[0]);
  const bool c1 = first == 0xC2 && static_cast<unsigned char>(code_point[1]) < 0xA0;
  if (code_point == "\n") {
    raw("\\n");
  } else if (code_point == "\"") {
    raw("\\\"");
  } else if (code_point == "\\") {
    raw("\\\\");
  } else if (code_point == "\xE2\x80\xA8") {
    raw("\\u2028");
  } else if (code_point == "\xE2\x80\xA9") {
    raw("\\u2029");
  } else if (first < 0x80 || c1) {
    const unsigned value = c1 ? static_cast<unsigned char>(code_point[1]) : first;
    fmt::format_to(fmt::appender(out_), "\\u{:04x}", value);
  } else {
    raw(code_point);
  }
}

}  // namespace weir::observe
