// How fast and how large the simulated engine is. The names follow vLLM's options; the defaults
// are those of a small model on one consumer GPU.
#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "base/time.hpp"

namespace weir::sim {

struct engine_options {
  std::int64_t max_num_seqs{256};             // requests decoded together; at least 1
  std::int64_t max_num_batched_tokens{8192};  // tokens of one step, prefill and decode; at least 1
  std::int64_t kv_blocks{16384};              // KV cache in blocks of block_size tokens
  std::int64_t block_size{16};                // tokens of one block; at least 1
  std::int64_t max_model_len{32768};          // prompt and answer together, in tokens
  std::int64_t max_num_queued_reqs{0};        // waiting requests before a 503; 0: no bound
  std::int64_t max_num_queued_tokens{0};      // prompt tokens waiting before a 503; 0: no bound
  std::int64_t prefill_tokens_per_second{20'000};  // 0: prefill takes no time
  microseconds step_base{8ms};                     // of every step
  microseconds step_per_sequence{20us};            // more for each sequence that decodes in it
  std::int64_t mean_answer{128};  // tokens of an answer that nothing limits, on average; at least 1
  std::uint64_t seed{1};          // of answer lengths and texts
};

// Refuses sizes below their least value, and a cache that cannot hold one request of
// max_model_len: it would wait for ever. The error names the option as on the command line.
result<void> check_engine(const engine_options& options);

}  // namespace weir::sim
