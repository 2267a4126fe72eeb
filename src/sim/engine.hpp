// The engine model: continuous batching over a KV cache, in virtual time. Sans-io and
// deterministic: the same calls at the same times give the same events. Not thread-safe.
// After vLLM's scheduler: one budget of tokens per step, running requests first, waiting ones
// first come first served, prefill in chunks, preemption of the youngest by recomputation.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/time.hpp"
#include "sim/engine_metrics.hpp"
#include "sim/engine_options.hpp"

namespace weir::sim {

using sequence_id = std::uint64_t;  // counted up from 1, never used twice

// One sequence to be generated; a request with n = 3 is three of them.
struct engine_work {
  std::int64_t prompt_tokens{1};           // at least 1
  std::optional<std::int64_t> max_tokens;  // at least 1; none: up to max_model_len
  std::int64_t min_tokens{0};              // the answer does not end by itself before
  std::int64_t overrun{0};                 // tokens produced beyond every limit (a fault)
  bool ignore_eos{false};                  // the answer never ends by itself
  bool pooling{false};                     // prefill only, no tokens: an embedding
  std::int64_t answers{1};                 // n of the request, for the metrics
  std::optional<std::uint64_t> text_seed;  // none: the next of the engine's own
};

enum class admission : std::uint8_t {
  accepted,           // it waits or runs
  too_long,           // the prompt leaves no room for an answer in max_model_len
  queue_full_reqs,    // max_num_queued_reqs are waiting
  queue_full_tokens,  // max_num_queued_tokens are waiting
};

struct submission {
  admission outcome{admission::accepted};
  sequence_id id{0};           // where accepted
  std::uint64_t text_seed{0};  // of its words, see answer_text.hpp
};

enum class engine_event_kind : std::uint8_t {
  token,      // one more token was produced
  finished,   // the last one was; the sequence is gone
  preempted,  // it lost its cache and waits again; what it produced stays
};

enum class finish_reason : std::uint8_t {
  none,    // not finished
  stop,    // ended by itself
  length,  // max_tokens or max_model_len
  abort,   // cancelled
};

struct engine_event {
  engine_event_kind kind{engine_event_kind::token};
  sequence_id id{0};
  mono_time at{};
  std::int64_t produced{0};  // tokens of the sequence so far
  finish_reason finish{finish_reason::none};
};

class engine {
 public:
  // `options` must have passed check_engine().
  explicit engine(const engine_options& options);
  ~engine();
  engine(engine&&) noexcept;
  engine& operator=(engine&&) noexcept;

  // Time must not run backwards over the calls below, and advance(now) goes first: a step that
  // ended before `now` must have been ended.
  submission submit(const engine_work& work, mono_time now);
  // Ends a sequence now and frees its blocks. False: it is not there any more.
  bool cancel(sequence_id id, mono_time now);
  // Ends every step that is over at `now` and begins the next ones; appends what happened, in
  // order.
  void advance(mono_time now, std::vector<engine_event>& out);
  // When the step that runs ends. None: the engine is idle.
  [[nodiscard]] std::optional<mono_time> next() const { return step_end_; }

  [[nodiscard]] std::int64_t running() const { return static_cast<std::int64_t>(running_.size()); }
  [[nodiscard]] std::int64_t waiting() const { return static_cast<std::int64_t>(waiting_.size()); }
  [[nodiscard]] std::int64_t free_blocks() const { return free_blocks_; }
  // Share of the cache in use, 0..1.
  [[nodiscard]] double kv_usage() const;
  // Share of the last second that steps ran in, 0..1; what a GPU's utilisation would show.
  [[nodiscard]] double busy(mono_time now) const;
  [[nodiscard]] const engine_metrics& metrics() const { return metrics_; }
  [[nodiscard]] const engine_options& options() const { return options_; }

 private:
  struct sequence;
  // What a step takes on.
  struct step_plan {
    std::int64_t budget{0};    // tokens that may still be scheduled
    std::int64_t prefill{0};   // tokens of prompts, or recomputed
    std::int64_t decoding{0};  // sequences that take one token
    bool preempted{false};
  };
  void begin_step(mono_time now, std::vector<engine_event>& out);
  void grow_running(step_plan& plan, mono_time now, std::vector<engine_event>& out);
  void admit_waiting(step_plan& plan, mono_time now);
  bool make_room(const sequence& for_whom, std::int64_t blocks, step_plan& plan, mono_time now,
                 std::vector<engine_event>& out);
  void schedule(sequence& s, std::int64_t count, std::int64_t blocks, step_plan& plan);
  void end_step(mono_time at, std::vector<engine_event>& out);
  finish_reason end_share(sequence& s, mono_time at, std::vector<engine_event>& out);
  void retire(sequence& s, finish_reason why, mono_time at);
  void note_step(mono_time begin, mono_time end);
  [[nodiscard]] std::int64_t blocks_for(std::int64_t token_count) const;
  [[nodiscard]] admission judge(const engine_work& work) const;
  [[nodiscard]] std::unique_ptr<sequence> make(const engine_work& work, mono_time now);

  engine_options options_;
  engine_metrics metrics_;
  std::unordered_map<sequence_id, std::unique_ptr<sequence>> all_;
  std::vector<sequence*> running_;  // oldest first
  std::deque<sequence*> waiting_;   // next first
  std::int64_t free_blocks_;
  std::int64_t waiting_tokens_{0};
  sequence_id last_id_{0};
  std::uint64_t drawn_seeds_{0};
  std::optional<mono_time> step_end_;
  std::deque<std::pair<mono_time, mono_time>> steps_;  // of the last second, for busy()
};

}  // namespace weir::sim
