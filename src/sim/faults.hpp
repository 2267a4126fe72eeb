// What can go wrong on demand: read from X-Sim-Fault, from POST /sim/faults or from the command
// line, as name[=argument][;name[=argument]...]. docs/sim.md lists them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace weir::sim {

// Counts of tokens are those of the whole answer, over all its choices.
struct fault_set {
  // Before the answer.
  std::optional<std::int64_t> status;        // answer with this status; 100..599
  std::string body{"vllm"};                  // shape of its body, see fault_body()
  std::string retry_after;                   // value of a Retry-After field, as it stands
  std::optional<std::int64_t> delay;         // milliseconds before the request is looked at
  bool hang{false};                          // never answer at all
  std::string redirect;                      // answer 307 to this place
  std::optional<std::int64_t> slow_headers;  // milliseconds between the bytes of the head
  bool secret_headers{false};                // header fields that must not reach a caller
  bool gzip{false};                          // Content-Encoding: gzip, asked for or not
  // What the engine does.
  std::int64_t overrun{0};  // tokens beyond max_tokens
  bool deaf{false};         // goes on after the caller has hung up
  // In a stream.
  std::optional<std::int64_t> stall;       // silence for ever after so many tokens
  std::optional<std::int64_t> cut;         // end of connection, no final chunk
  std::optional<std::int64_t> reset;       // the same with RST
  std::optional<std::int64_t> malformed;   // an event of broken JSON after so many tokens
  std::optional<std::int64_t> error;       // an error event after so many, then the proper end
  std::optional<std::int64_t> huge_event;  // a first event with a tool call of so many bytes
  bool no_usage{false};                    // not even when asked; in whole answers too
  bool bare_usage{false};                  // the usage event has no choices field
  bool crlf{false};                        // lines end with CRLF
  bool empty_data{false};                  // `data:` and `data: ""` before the first token
  bool comments{false};                    // a comment before every event
  bool no_done{false};                     // no [DONE]
  bool unterminated{false};                // no blank line after the last event; implies no_done
  // After the answer.
  bool close_keepalive{false};  // the connection is closed when the next request arrives on it
};

// Reads a list of faults; an empty one is none. The error names the fault and what was expected.
result<fault_set> read_faults(std::string_view text);

// The table of faults as JSON: name, argument, meaning.
std::string describe_faults();

}  // namespace weir::sim
