// What one event of an answer's stream is: content, the end, an error, usage. One pass over its
// data, and less than that where an event differs from the one before only in its text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "wire/openai.hpp"
#include "wire/sse.hpp"
#include "wire/usage.hpp"

namespace weir::wire {

enum class event_kind : std::uint8_t {
  nothing,     // comments only, or fields without data
  empty,       // data that is empty or an empty string: kills some clients
  done,        // [DONE]
  error,       // the engine gives up
  content,     // text, refusal, reasoning, a tool call or sound for the caller
  start,       // a role, or the beginnings of a response: nothing for the caller yet
  finish,      // a finish reason, without content
  usage_only,  // usage without choices
  terminal,    // the last event of a response (responses API)
  broken,      // data that is not JSON
};

struct event_facts {
  event_kind kind{event_kind::nothing};  // what it is first of all
  bool finish{false};                    // carries a finish reason, or ends a response in order
  bool usage_invalid{false};             // carries a usage object that is not believed
  std::int64_t content_bytes{0};         // of its texts
};

// Classifies one event of chat, completions or responses. `known` takes over reported usage.
event_facts read_event(const sse_event& event, endpoint at, usage& known);

// The same for all events of one stream, and quicker: it keeps the last content event without its
// text (at most max_frame bytes) and only compares where the next one is alike.
class event_reader {
 public:
  static constexpr std::size_t max_frame = 1024;

  event_facts read(const sse_event& event, endpoint at, usage& known);

 private:
  bool read_alike(std::string_view data, event_facts& facts) const;

  std::string frame_;      // what stood before and behind the text
  std::size_t before_{0};  // bytes of it before the text; 0: nothing is kept
};

}  // namespace weir::wire
