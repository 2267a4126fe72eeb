// weir sim: an engine that behaves as vLLM does under load, behind an HTTP server of its own.
// docs/sim.md is its manual. Not a model: its words mean nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "sim/engine_options.hpp"

namespace weir::sim {

struct sim_options {
  std::string listen{"127.0.0.1:8000"};  // ADDRESS:PORT, or :PORT for all addresses; port 0: any
  std::vector<std::string> models{"llama3.1:8b", "llama3.1:70b", "mistral:7b"};  // "*": any name
  engine_options engine;         // its speed and its sizes
  std::string log;               // file that gets one JSON line per request; empty: none
  std::string faults;            // in force from the start, as in X-Sim-Fault; empty: none
  microseconds keep_alive{5s};   // an idle connection is closed after this; vLLM's default is 5 s
  bool fast{false};              // no engine: the same answer at once, at the least cost
  std::int64_t fast_tokens{16};  // completion tokens of an answer in fast mode; at least 1
  std::int64_t fast_burst{1};    // events written at once in fast mode; at least 1
};

// Serves until SIGINT or SIGTERM, on the calling thread. Says on stdout where it listens, on
// stderr why it cannot. Returns the exit status: 0, or 1 for options that make no sense, a log
// that cannot be opened, an address that cannot be bound.
int run_sim(const sim_options& options);

}  // namespace weir::sim
