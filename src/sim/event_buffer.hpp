// Server-sent events of one turn, put together for one write: each event is a chunk of its own, as
// uvicorn sends them. One buffer serves all streams of a thread, so what it holds must be sent
// before the next suspension.
#pragma once

#include <string>
#include <string_view>

namespace weir::sim {

struct event_style {
  bool chunked{true};    // with HTTP chunk framing
  bool crlf{false};      // lines end with CR LF
  bool comments{false};  // a comment before each event
};

class event_buffer {
 public:
  void begin(const event_style& style) {
    style_ = style;
    bytes_.clear();
    last_ = 0;
  }
  // One event; without a name there is no `event:` line.
  void add(std::string_view name, std::string_view data);
  // Bytes as they stand, in a chunk of their own.
  void add_raw(std::string_view text);
  // Takes the blank line of the last event away.
  void unterminate_last();

  [[nodiscard]] bool empty() const { return bytes_.empty(); }
  [[nodiscard]] std::string_view bytes() const { return bytes_; }
  // Of the last event, without framing.
  [[nodiscard]] std::string_view last_event() const { return event_; }

 private:
  event_style style_;
  std::string bytes_;
  std::string event_;
  std::size_t last_{0};  // where the last chunk begins
};

}  // namespace weir::sim
