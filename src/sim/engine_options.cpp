// What an engine cannot be.
#include "sim/engine_options.hpp"

#include <fmt/format.h>
#include <string_view>

namespace weir::sim {
namespace {

struct least {
  std::string_view option;
  std::int64_t value;
  std::int64_t bound;
};

}  // namespace

result<void> check_engine(const engine_options& options) {
  const least leasts[] = {
      {"--max-num-seqs", options.max_num_seqs, 1},
      {"--max-num-batched-tokens", options.max_num_batched_tokens, 1},
      {"--kv-blocks", options.kv_blocks, 1},
      {"--block-size", options.block_size, 1},
      {"--max-model-len", options.max_model_len, 2},
      {"--max-num-queued-reqs", options.max_num_queued_reqs, 0},
      {"--max-num-queued-tokens", options.max_num_queued_tokens, 0},
      {"--prefill-speed", options.prefill_tokens_per_second, 0},
      {"--step", options.step_base.count(), 0},
      {"--step-per-sequence", options.step_per_sequence.count(), 0},
      {"--mean-answer", options.mean_answer, 1},
  };
  for (const auto& one : leasts) {
    if (one.value < one.bound) {
      return fail(fmt::format("{} is {}: expected at least {}", one.option, one.value, one.bound));
    }
  }
  const auto needed = (options.max_model_len + options.block_size - 1) / options.block_size;
  if (options.kv_blocks < needed) {
    return fail(fmt::format(
        "--kv-blocks {} of {} tokens cannot hold one request of --max-model-len {}: expected at "
        "least {} blocks, or a smaller --max-model-len",
        options.kv_blocks, options.block_size, options.max_model_len, needed));
  }
  return {};
}

}  // namespace weir::sim
