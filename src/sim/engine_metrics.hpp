// What the engine counts of itself, with the bucket bounds that vLLM uses. Data only: the text is
// exposition.hpp's. Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/time.hpp"

namespace weir::sim {

// Cumulative when printed, not here. Observations are integers: microseconds or counts.
class histogram {
 public:
  // `bounds` ascend; a value counts in the first bucket whose bound is not below it.
  explicit histogram(std::vector<std::int64_t> bounds)
      : bounds_{std::move(bounds)}, counts_(bounds_.size() + 1) {}

  void observe(std::int64_t value, std::int64_t times = 1);
  void observe(microseconds value) { observe(value.count()); }

  [[nodiscard]] std::span<const std::int64_t> bounds() const { return bounds_; }
  [[nodiscard]] std::span<const std::int64_t> counts() const { return counts_; }  // last: over all
  [[nodiscard]] std::int64_t sum() const { return sum_; }
  [[nodiscard]] std::int64_t count() const { return count_; }

 private:
  std::vector<std::int64_t> bounds_;
  std::vector<std::int64_t> counts_;
  std::int64_t sum_{0};
  std::int64_t count_{0};
};

struct engine_metrics {
  // `max_model_len` is the last bound of the histograms of tokens per request.
  explicit engine_metrics(std::int64_t max_model_len);

  std::int64_t prompt_tokens{0};        // prefilled, once each, recomputation left out
  std::int64_t generation_tokens{0};    // produced
  std::int64_t preemptions{0};          // sequences that lost their cache
  std::array<std::int64_t, 3> ended{};  // by stop, length, abort
  std::int64_t rejected_reqs{0};        // by max_num_queued_reqs
  std::int64_t rejected_tokens{0};      // by max_num_queued_tokens
  std::int64_t prefix_queries{0};       // prompt tokens looked up; nothing is ever found

  histogram first_token;       // arrival to first token
  histogram inter_token;       // between tokens of one sequence
  histogram per_output_token;  // mean gap of a sequence that ended
  histogram end_to_end;        // arrival to last token
  histogram queued;            // arrival to first scheduled
  histogram inference;         // first scheduled to last token
  histogram prefill;           // first scheduled to first token
  histogram decode;            // first token to last token
  histogram request_prompt;    // prompt tokens of a sequence that ended
  histogram request_answer;    // tokens produced by a sequence that ended
  histogram request_max;       // its max_tokens, where given
  histogram request_n;         // its n
  histogram iteration;         // tokens of one step
};

}  // namespace weir::sim
