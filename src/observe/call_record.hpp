// What the log says of one proxied call. Views and integers only: filled where the call ends, read
// at once by logger::call. Holds no prompt, answer, key or token, and must never be given one.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/time.hpp"

namespace weir::observe {

// An empty text, a zero or a false is left out of the line; at, duration_us and bytes are not.
struct call_record {
  wall_time at{};                     // when the call ended; becomes "time"
  std::string_view request_id;        // as in X-Request-Id
  std::string_view user;              // data, hostile or not: escaped, first 128 bytes
  std::string_view tier;              // as limited
  std::string_view team;              // configured name
  std::string_view key_id;            // public name of the API key, never the key
  std::string_view how;               // jwt, api_key, anonymous
  std::string_view address;           // the caller's, after trusted proxies
  std::string_view session;           // X-Session-Id; data, first 128 bytes
  std::string_view method;            // of the request line
  std::string_view route;             // prefix of the configured route
  std::string_view endpoint;          // chat, completions, ... or the path's class; never a query
  std::string_view model;             // as asked for; data, first 128 bytes
  std::string_view served_model;      // as the provider knows it
  std::string_view provider;          // configured name
  std::int32_t status{0};             // sent to the caller; 0: none was sent
  std::string_view outcome;           // success, refused, client_gone, upstream_error, ...
  std::string_view decision;          // allowed, refused, observed
  std::string_view reason;            // code of a refusal or failure
  std::string_view rule;              // the limit's place in the configuration
  std::string_view scope;             // what the limit counts per, e.g. "user"
  std::int64_t limit{0};              // of the rule that decided
  std::int64_t used{0};               // of the rule that decided
  std::int64_t retry_after{0};        // whole seconds, as sent
  std::int64_t prompt_tokens{0};      // real where usage came, else the estimate
  std::int64_t completion_tokens{0};  // likewise
  std::int64_t cached_tokens{0};      // the cached part of the prompt
  std::string_view tokens_source;     // usage, estimate
  std::int64_t reserved_tokens{0};    // held while the call ran
  std::int32_t attempts{0};           // connections to providers that were tried
  bool stream{false};                 // the answer was a stream of events
  std::int64_t duration_us{0};        // from the first byte of the head to the end of the answer
  std::int64_t ttft_us{0};            // to the first content; 0: none came
  std::int64_t overhead_us{0};        // of duration, what weir itself took
  std::int64_t bytes_in{0};           // of the request's body
  std::int64_t bytes_out{0};          // of the answer's body
  std::string_view trace_id;          // from traceparent
};

}  // namespace weir::observe
