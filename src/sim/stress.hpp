// `weir stress`: offers a gateway more than it should admit and judges what comes back. This is the
// verb as a function: what is asked, and the exit status. Not a benchmark: it finds out whether
// limits hold and answers stay whole, not how fast the machine is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"

namespace weir::sim {

struct stress_options {
  std::string url;             // base, with or without /v1; http or https
  std::int64_t users{50};      // callers, 1 to 100 000
  double rate{10};             // calls per second of each user, at most 10 000
  microseconds duration{60s};  // for which calls are sent; at most 24 h
  microseconds ramp{0};        // users begin one after another over this long
  double jitter{0};            // 0 to 1: share of a user's period by which a call may be later
  std::string model{"llama3.1:8b"};   // asked for in every call
  double stream{0.5};                 // 0 to 1: share of calls that ask for a streamed answer
  std::int64_t max_tokens{32};        // asked for in every call
  std::size_t prompt_bytes{64};       // size of the question, at most 1 MiB
  std::string secret;                 // HS256 secret: every user gets a token of its own
  std::string tier{"FREE"};           // tier claim of those tokens
  std::vector<std::string> tokens;    // ready-made tokens, shared out among the users
  std::string api_key;                // one key or token for all users
  std::size_t in_flight{4096};        // calls open at once; more are not sent, and counted
  microseconds timeout{60s};          // of one call, from the moment it was due
  std::string ca_file;                // trust for https; empty: the system's
  bool verify_tls{true};              // false: any certificate will do
  std::optional<std::int64_t> limit;  // calls a minute each caller is limited to; unset: as the
                                      // tier ships (FREE 10, PRO 60, ENTERPRISE 300); 0: no limit
  std::int64_t pressure{16};          // calls in flight from which a 503 is understood
  double max_variation{0.5};          // of the 200s over the steady part, standard deviation / mean
  std::uint64_t seed{1};              // of phases and jitter
  bool json{false};                   // the report as one JSON object
  bool quiet{false};                  // no progress line even on a terminal
};

// Runs until the duration is over and the last call has ended, or until SIGINT or SIGTERM, and
// prints the report on standard output. 0: the verdict is pass. 1: it is fail. 2: the options make
// no sense, and why is on standard error. Holds the two signals while it runs; one run at a time.
int run_stress(const stress_options& options);

}  // namespace weir::sim
