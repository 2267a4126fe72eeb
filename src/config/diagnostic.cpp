// How a mistake is written for people and editors.
#include "config/diagnostic.hpp"

#include <fmt/format.h>

namespace weir::config {

std::string to_text(const diagnostic& mistake) {
  return fmt::format("{}:{}:{}: {}", mistake.file, mistake.line, mistake.column, mistake.message);
}

std::string quoted(std::string_view written) {
  constexpr std::size_t most = 60;
  const bool cut = written.size() > most;
  if (cut) {
    auto end = most;
    while ((static_cast<unsigned char>(written[end]) & 0xC0U) == 0x80)
      --end;  // not within a letter
    written = written.substr(0, end);
  }
  std::string out{written};
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  }
  return fmt::format("'{}'{}", out, cut ? "..." : "");
}

}  // namespace weir::config
