// How a refusal is told: one set of facts, a body in the dialect of each route, and the header
// fields that go with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weir::wire {

enum class dialect : std::uint8_t {
  openai,     // {"error":{"message","type","param","code"}}
  responses,  // the same, with another form within a stream
  plain,      // {"status":"error","error":code,"message",...}
};

// Why a call was not answered as asked.
struct refusal {
  int status{400};                          // of the answer
  std::string code;                         // rate_limit_exceeded, ...
  std::string message;                      // for a person; quotes no secret and no prompt
  std::string param;                        // the offending member of the body; empty: none
  std::optional<std::int64_t> retry_after;  // whole seconds, at least 1
  std::optional<bool> should_retry;         // false where waiting does not help, or takes too long
  std::string rule;       // the limit's place in the configuration; empty: not a limit
  std::string scope;      // what the limit counts per
  std::int64_t limit{0};  // in what the rule counts
  std::int64_t used{0};   // of it, held or spent
  std::string resets_at;  // RFC 3339, UTC; empty: not a limit
  std::string tier;       // of the caller
  std::string model;      // that was asked for
};

// The body for a whole answer, JSON with a newline.
std::string error_body(const refusal& why, dialect in);

// Name and value of the fields that tell a client when to come back: Retry-After, at least 1, and
// x-should-retry.
std::vector<std::pair<std::string_view, std::string>> error_headers(const refusal& why);

// The event that ends a stream which broke after content was sent, with its blank line. That of
// responses has the members of its own error event and an "error" object beside them, because
// clients raise nothing without one.
std::string error_event(const refusal& why, dialect in);

// OpenAI's error type of a status.
std::string_view error_type(int status);

}  // namespace weir::wire
