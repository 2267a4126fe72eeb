// Writes one log line, as JSON or as key=value, into a buffer. Whatever the values hold, the line
// stays one line and stays parseable. Does no I/O and knows no level or clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <string_view>

#include "base/time.hpp"

namespace weir::observe {

using line_buffer = fmt::basic_memory_buffer<char, 2048>;  // no heap for a usual line

class line {
 public:
  static constexpr std::size_t max_text = 4096;  // bytes taken of one text, before escaping

  line(line_buffer& out, bool json) : out_{out}, json_{json} {}

  // The three that every line begins with. `level` is a plain word.
  void begin(wall_time at, std::string_view level, std::string_view message);

  void text(std::string_view key, std::string_view value, std::size_t most = max_text);
  void number(std::string_view key, std::int64_t value);
  void number(std::string_view key, std::uint64_t value);
  void number(std::string_view key, double value);  // not finite: null
  void flag(std::string_view key, bool value);

  // The same for values that say nothing when empty or zero: then nothing is written.
  void text_if(std::string_view key, std::string_view value, std::size_t most = max_text) {
    if (!value.empty()) text(key, value, most);
  }
  void number_if(std::string_view key, std::int64_t value) {
    if (value != 0) number(key, value);
  }

  void end();  // with the newline

 private:
  char* key(std::string_view name, std::size_t more);
  char* room(std::size_t bytes);
  void end_at(const char* end);

  line_buffer& out_;
  bool json_;
};

}  // namespace weir::observe
