// Bounds as vLLM 0.32 has them (vllm/v1/metrics/buckets.py), in microseconds where they are times.
#include "sim/engine_metrics.hpp"

#include <algorithm>

namespace weir::sim {
namespace {

using bounds = std::vector<std::int64_t>;

bounds request_latency() {
  return {300'000,     500'000,       800'000,      1'000'000,   1'500'000,   2'000'000,
          2'500'000,   5'000'000,     10'000'000,   15'000'000,  20'000'000,  30'000'000,
          40'000'000,  50'000'000,    60'000'000,   120'000'000, 240'000'000, 480'000'000,
          960'000'000, 1'920'000'000, 7'680'000'000};
}

bounds first_token_latency() {
  return {1'000,      5'000,       10'000,      20'000,       40'000,     60'000,
          80'000,     100'000,     250'000,     500'000,      750'000,    1'000'000,
          2'500'000,  5'000'000,   7'500'000,   10'000'000,   20'000'000, 40'000'000,
          80'000'000, 160'000'000, 640'000'000, 2'560'000'000};
}

bounds inter_token_latency() {
  return {10'000,    25'000,     50'000,     75'000,     100'000,   150'000,   200'000,
          300'000,   400'000,    500'000,    750'000,    1'000'000, 2'500'000, 5'000'000,
          7'500'000, 10'000'000, 20'000'000, 40'000'000, 80'000'000};
}

bounds step_tokens() { return {1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384}; }

// 1, 2, 5, 10, 20, ... up to `most`.
bounds one_two_five(std::int64_t most) {
  bounds out;
  for (std::int64_t power = 1;; power *= 10) {
    for (const std::int64_t mantissa : {1, 2, 5}) {
      if (mantissa * power > most) return out;
      out.push_back(mantissa * power);
    }
  }
}

}  // namespace

void histogram::observe(std::int64_t value, std::int64_t times) {
  const auto at = std::ranges::lower_bound(bounds_, value) - bounds_.begin();
  counts_[static_cast<std::size_t>(at)] += times;
  sum_ += value * times;
  count_ += times;
}

engine_metrics::engine_metrics(std::int64_t max_model_len)
    : first_token{first_token_latency()},
      inter_token{inter_token_latency()},
      per_output_token{inter_token_latency()},
      end_to_end{request_latency()},
      queued{request_latency()},
      inference{request_latency()},
      prefill{request_latency()},
      decode{request_latency()},
      request_prompt{one_two_five(max_model_len)},
      request_answer{one_two_five(max_model_len)},
      request_max{one_two_five(max_model_len)},
      request_n{{1, 2, 5, 10, 20}},
      iteration{step_tokens()} {}

}  // namespace weir::sim
