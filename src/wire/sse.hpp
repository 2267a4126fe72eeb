// Finds the events in a text/event-stream as it arrives, whatever way it is cut (WHATWG HTML, 9.2).
// Says where each ends in the bytes, so that a relay can pass, hold or drop it whole. Bytes are
// copied only for an event that comes in parts; between events nothing is kept.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weir::wire {

// One event. Views are good until the next call, and as long as the bytes that were fed.
struct sse_event {
  std::string_view data;  // the data lines, joined by LF; without the one blank behind the colon
  std::string_view type;  // the event field
  bool has_data{false};   // false: comments or other fields only
};

class sse_scanner {
 public:
  // `cap`: bytes that one event may have.
  explicit sse_scanner(std::size_t cap = 8 * 1024 * 1024) : cap_{cap} {}

  // Gives bytes to look at. Call next() until it returns false: then what is still needed of them
  // was copied, and the buffer may be used for something else. Then feed again.
  void feed(std::string_view bytes);

  // The next complete event, its blank line included. `end` is where it ends in the bytes that were
  // fed last; it begins where the one before ended. An LF that completes the CRLF of an event that
  // was already told counts to the next one.
  bool next(sse_event& event, std::size_t& end);

  // The end of the stream: an event that lacks its blank line counts as well. False: there is none
  // with data.
  bool finish(sse_event& event);

  // One event is larger than the cap; nothing more is found.
  [[nodiscard]] bool over_cap() const { return over_cap_; }

 private:
  bool next_plain(sse_event& event, std::size_t& end);
  bool find_end(std::size_t& end);
  void parse(std::string_view text, sse_event& event);
  void keep_rest();
  void let_go();

  std::string_view input_;  // what was fed last
  std::size_t at_{0};       // where the current event begins in it
  std::size_t look_{0};     // how far it was looked at
  std::string partial_;     // the event's bytes of earlier feeds
  std::string whole_;       // an event put together from parts
  std::string joined_;      // several data lines as one
  std::size_t cap_;
  bool line_empty_{true};    // nothing on the current line yet
  bool after_cr_{false};     // the last byte was CR: an LF belongs to it
  bool ended_by_cr_{false};  // the last event ended with CR: an LF that follows belongs to it
  bool over_cap_{false};
  bool at_start_{true};  // of the stream: a byte order mark may stand here
};

}  // namespace weir::wire
