// What one event of an answer's stream is: content, the end, an error, usage. One pass over its
// data.
#pragma once

#include <cstdint>
#include <string_view>

#include "wire/sse.hpp"
#include "wire/usage.hpp"

namespace weir::wire {

enum class event_kind : std::uint8_t {
  nothing,     // comments only, or fields without data
  empty,       // data that is empty or an empty string: kills some clients
  done,        // [DONE]
  error,       // the engine gives up
  content,     // text, refusal, reasoning or a tool call for the caller
  start,       // a role, or the beginnings of a response: nothing for the caller yet
  finish,      // a finish reason, without content
  usage_only,  // usage without choices
  terminal,    // the last event of a response (responses API)
  broken,      // data that is not JSON
};

struct event_facts {
  event_kind kind{event_kind::nothing};
  bool finish{false};             // carries a finish reason, or ends a response in order
  std::int64_t content_bytes{0};  // text as written in the JSON
  usage used;                     // what it reports; merge over what was known before
};

// Classifies one event of chat, completions or responses. `known` takes over reported usage.
event_facts read_event(const sse_event& event, endpoint at, usage& known);

}  // namespace weir::wire
