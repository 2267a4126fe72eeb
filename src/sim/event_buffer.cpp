// Framing of events.
#include "sim/event_buffer.hpp"

#include <charconv>

namespace weir::sim {

void event_buffer::add(std::string_view name, std::string_view data) {
  const std::string_view line_end = style_.crlf ? "\r\n" : "\n";
  std::string event;
  event.swap(event_);
  event.clear();
  if (style_.comments) event.append(": still here").append(line_end).append(line_end);
  if (!name.empty()) event.append("event: ").append(name).append(line_end);
  event.append("data: ").append(data).append(line_end).append(line_end);
  add_raw(event);
  event_.swap(event);
}

void event_buffer::add_raw(std::string_view text) {
  last_ = bytes_.size();
  if (!style_.chunked) {
    bytes_ += text;
    return;
  }
  char size[18];
  const auto end = std::to_chars(size, size + 16, text.size(), 16).ptr;
  bytes_.append(size, end).append("\r\n").append(text).append("\r\n");
}

void event_buffer::unterminate_last() {
  std::string event = event_;
  event.resize(event.size() - (style_.crlf ? 2 : 1));
  bytes_.resize(last_);
  add_raw(event);
}

}  // namespace weir::sim
