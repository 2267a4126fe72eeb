// weir sim.
#include <fmt/format.h>
#include <memory>

#include "app/commands.hpp"
#include "config/values.hpp"
#include "sim/sim.hpp"

namespace weir::app {
namespace {

struct sim_choice {
  sim::sim_options options;
  std::string step{"8ms"};
  std::string per_sequence{"20us"};
  std::string keep_alive{"5s"};
};

bool read_duration(const char* name, const std::string& text, microseconds& into) {
  if (text.ends_with("us")) {
    const auto count = config::parse_integer(std::string_view{text}.substr(0, text.size() - 2));
    if (count && *count >= 0) {
      into = microseconds{*count};
      return true;
    }
  } else if (const auto parsed = config::parse_duration(text)) {
    into = *parsed;
    return true;
  }
  fmt::print(stderr, "weir sim: {}: expected a duration such as 8ms or 20us\n", name);
  return false;
}

int run_chosen(sim_choice& chosen) {
  auto& engine = chosen.options.engine;
  if (!read_duration("--step", chosen.step, engine.step_base)) return 2;
  if (!read_duration("--step-per-sequence", chosen.per_sequence, engine.step_per_sequence)) {
    return 2;
  }
  if (!read_duration("--keep-alive", chosen.keep_alive, chosen.options.keep_alive)) return 2;
  return sim::run_sim(chosen.options);
}

void add_engine_options(CLI::App& verb, sim::engine_options& engine) {
  verb.add_option("--seed", engine.seed, "of answer lengths and texts")->capture_default_str();
  verb.add_option("--max-num-seqs", engine.max_num_seqs, "requests decoded together")
      ->capture_default_str();
  verb.add_option("--max-num-batched-tokens", engine.max_num_batched_tokens, "tokens of one step")
      ->capture_default_str();
  verb.add_option("--kv-blocks", engine.kv_blocks, "KV cache, in blocks of 16 tokens")
      ->capture_default_str();
  verb.add_option("--max-model-len", engine.max_model_len, "prompt and answer together, in tokens")
      ->capture_default_str();
  verb.add_option("--max-num-queued-reqs", engine.max_num_queued_reqs,
                  "waiting requests before a 503; 0: no bound")
      ->capture_default_str();
  verb.add_option("--prefill-speed", engine.prefill_tokens_per_second, "prompt tokens per second")
      ->capture_default_str();
  verb.add_option("--mean-answer", engine.mean_answer,
                  "tokens of an answer that nothing limits, on average")
      ->capture_default_str();
}

}  // namespace

void add_sim(CLI::App& root, command& run) {
  auto* verb =
      root.add_subcommand("sim", "a simulated engine that behaves as vLLM does under load");
  const auto chosen = std::make_shared<sim_choice>();
  auto& options = chosen->options;
  verb->add_option("--listen", options.listen, "ADDRESS:PORT; port 0: any")->capture_default_str();
  verb->add_option("--model", options.models, "a model it serves; may be given again; *: any name");
  verb->add_option("--log", options.log, "file that gets one JSON line per request");
  verb->add_option("--faults", options.faults, "faults from the start, as in X-Sim-Fault");
  verb->add_option("--keep-alive", chosen->keep_alive, "an idle connection is closed after this")
      ->capture_default_str();
  verb->add_option("--step", chosen->step, "time of a decode step")->capture_default_str();
  verb->add_option("--step-per-sequence", chosen->per_sequence,
                   "more for each sequence that decodes in it")
      ->capture_default_str();
  verb->add_flag("--fast", options.fast, "no engine: the same answer at once, at the least cost");
  verb->add_option("--fast-tokens", options.fast_tokens, "tokens of an answer in fast mode")
      ->capture_default_str();
  verb->add_option("--fast-burst", options.fast_burst, "events written at once in fast mode")
      ->capture_default_str();
  add_engine_options(*verb, options.engine);
  verb->callback([chosen, &run] { run = [chosen] { return run_chosen(*chosen); }; });
}

}  // namespace weir::app
