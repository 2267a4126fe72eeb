// The scheduler: what each step takes on, and what comes of it.
#include "sim/engine.hpp"

#include <algorithm>

#include "sim/answer_text.hpp"

namespace weir::sim {

struct engine::sequence {
  sequence_id id;
  engine_work work;
  std::int64_t target;      // tokens after which it is finished
  finish_reason at_target;  // why it ends there
  mono_time arrived;
  std::optional<mono_time> scheduled_at{};  // first taken into a step
  mono_time first_token_at{};
  mono_time last_token_at{};
  std::int64_t produced{0};
  std::int64_t computed{0};   // tokens whose keys and values are in the cache
  std::int64_t blocks{0};     // held
  std::int64_t scheduled{0};  // tokens taken on by the step that runs
  bool prefilled{false};      // its prompt was counted

  [[nodiscard]] std::int64_t known() const { return work.prompt_tokens + produced; }
};

engine::engine(const engine_options& options)
    : options_{options}, metrics_{options.max_model_len}, free_blocks_{options.kv_blocks} {}

engine::~engine() = default;
engine::engine(engine&&) noexcept = default;
engine& engine::operator=(engine&&) noexcept = default;

std::int64_t engine::blocks_for(std::int64_t token_count) const {
  return (token_count + options_.block_size - 1) / options_.block_size;
}

double engine::kv_usage() const {
  return static_cast<double>(options_.kv_blocks - free_blocks_) /
         static_cast<double>(options_.kv_blocks);
}

admission engine::judge(const engine_work& work) const {
  const auto least_answer = work.pooling ? 0 : work.max_tokens.value_or(1);
  if (work.prompt_tokens > options_.max_model_len - std::min(least_answer, options_.max_model_len))
    return admission::too_long;
  if (options_.max_num_queued_reqs > 0 && waiting() >= options_.max_num_queued_reqs)
    return admission::queue_full_reqs;
  if (options_.max_num_queued_tokens > 0 &&
      waiting_tokens_ + work.prompt_tokens > options_.max_num_queued_tokens)
    return admission::queue_full_tokens;
  return admission::accepted;
}

std::unique_ptr<engine::sequence> engine::make(const engine_work& work, mono_time now) {
  const auto own = work.text_seed ? *work.text_seed : drawn_seeds_++;
  auto s = std::make_unique<sequence>(sequence{++last_id_, work, 0, finish_reason::stop, now});
  s->work.text_seed = mix(options_.seed, own);
  if (work.pooling) return s;
  const auto natural =
      std::max(draw_length(*s->work.text_seed, options_.mean_answer), work.min_tokens);
  const auto room = options_.max_model_len - work.prompt_tokens;
  const auto bound = std::min(work.max_tokens.value_or(room), room);
  s->at_target = work.ignore_eos || natural > bound ? finish_reason::length : finish_reason::stop;
  s->target = s->at_target == finish_reason::length ? bound : natural;
  const auto cache = options_.kv_blocks * options_.block_size - work.prompt_tokens;
  s->target = std::min(s->target + std::min(work.overrun, cache), cache);
  return s;
}

submission engine::submit(const engine_work& work, mono_time now) {
  const admission outcome = judge(work);
  if (outcome == admission::queue_full_reqs) ++metrics_.rejected_reqs;
  if (outcome == admission::queue_full_tokens) ++metrics_.rejected_tokens;
  if (outcome != admission::accepted) return {outcome, 0, 0};
  auto s = make(work, now);
  const submission accepted{outcome, s->id, *s->work.text_seed};
  waiting_.push_back(s.get());
  waiting_tokens_ += work.prompt_tokens;
  metrics_.prefix_queries += work.prompt_tokens;
  all_.emplace(s->id, std::move(s));
  if (!step_end_) {  // idle: nothing runs that could be preempted, so no event comes of this
    std::vector<engine_event> none;
    begin_step(now, none);
  }
  return accepted;
}

bool engine::cancel(sequence_id id, mono_time now) {
  const auto found = all_.find(id);
  if (found == all_.end()) return false;
  sequence& s = *found->second;
  if (std::erase(waiting_, &s) > 0) waiting_tokens_ -= s.work.prompt_tokens;
  std::erase(running_, &s);
  retire(s, finish_reason::abort, now);
  return true;
}

void engine::advance(mono_time now, std::vector<engine_event>& out) {
  while (step_end_ && *step_end_ <= now) {
    const mono_time at = *step_end_;
    end_step(at, out);
    begin_step(at, out);
  }
}

// A step's time: its base, its prefill at the prefill speed, and its decoding sequences' share.
void engine::begin_step(mono_time now, std::vector<engine_event>& out) {
  step_plan plan{options_.max_num_batched_tokens};
  grow_running(plan, now, out);
  if (!plan.preempted) admit_waiting(plan, now);
  if (running_.empty()) {
    step_end_.reset();
    return;
  }
  microseconds length = options_.step_base + options_.step_per_sequence * plan.decoding;
  if (options_.prefill_tokens_per_second > 0)
    length += microseconds{plan.prefill * 1'000'000 / options_.prefill_tokens_per_second};
  step_end_ = now + length;
  note_step(now, *step_end_);
}

void engine::grow_running(step_plan& plan, mono_time now, std::vector<engine_event>& out) {
  for (std::size_t i = 0; i < running_.size() && plan.budget > 0; ++i) {
    sequence& s = *running_[i];
    const auto count = std::min(s.known() - s.computed, plan.budget);
    const auto blocks = blocks_for(s.computed + count) - s.blocks;
    if (!make_room(s, blocks, plan, now, out)) return;
    schedule(s, count, blocks, plan);
  }
}

// Frees blocks at the expense of the youngest. False: that was the one that needs them.
bool engine::make_room(const sequence& for_whom, std::int64_t blocks, step_plan& plan,
                       mono_time now, std::vector<engine_event>& out) {
  while (free_blocks_ < blocks) {
    sequence& victim = *running_.back();
    running_.pop_back();
    free_blocks_ += victim.blocks;
    victim.blocks = 0;
    victim.computed = 0;
    victim.scheduled = 0;
    waiting_.push_front(&victim);
    waiting_tokens_ += victim.work.prompt_tokens;
    ++metrics_.preemptions;
    plan.preempted = true;
    out.push_back({engine_event_kind::preempted, victim.id, now, victim.produced});
    if (&victim == &for_whom) return false;
  }
  return true;
}

void engine::admit_waiting(step_plan& plan, mono_time now) {
  while (!waiting_.empty() && running() < options_.max_num_seqs && plan.budget > 0) {
    sequence& s = *waiting_.front();
    const auto count = std::min(s.known(), plan.budget);
    const auto blocks = blocks_for(count);
    if (blocks > free_blocks_) return;
    waiting_.pop_front();
    waiting_tokens_ -= s.work.prompt_tokens;
    running_.push_back(&s);
    if (!s.scheduled_at) s.scheduled_at = now;
    schedule(s, count, blocks, plan);
  }
}

void engine::schedule(sequence& s, std::int64_t count, std::int64_t blocks, step_plan& plan) {
  if (s.computed > 0 && count == 1 && s.produced > 0) {
    ++plan.decoding;
  } else {
    plan.prefill += count;
  }
  plan.budget -= count;
  free_blocks_ -= blocks;
  s.blocks += blocks;
  s.scheduled = count;
}

void engine::end_step(mono_time at, std::vector<engine_event>& out) {
  std::int64_t step_tokens = 0;
  std::vector<sequence*> stay;
  stay.reserve(running_.size());
  for (sequence* s : running_) {
    step_tokens += s->scheduled;
    const finish_reason why = end_share(*s, at, out);
    if (why == finish_reason::none) {
      stay.push_back(s);
    } else {
      retire(*s, why, at);
    }
  }
  running_.swap(stay);
  if (step_tokens > 0) metrics_.iteration.observe(step_tokens);
}

// What the step did for one sequence: cache filled, and a token where the cache has caught up.
finish_reason engine::end_share(sequence& s, mono_time at, std::vector<engine_event>& out) {
  s.computed += std::exchange(s.scheduled, 0);
  if (s.computed < s.known()) return finish_reason::none;
  if (!std::exchange(s.prefilled, true)) metrics_.prompt_tokens += s.work.prompt_tokens;
  if (!s.work.pooling) {
    ++s.produced;
    ++metrics_.generation_tokens;
    if (s.produced == 1) {
      s.first_token_at = at;
      metrics_.first_token.observe(at - s.arrived);
    } else {
      metrics_.inter_token.observe(at - s.last_token_at);
    }
    s.last_token_at = at;
    out.push_back({engine_event_kind::token, s.id, at, s.produced});
  }
  if (s.produced < s.target) return finish_reason::none;
  out.push_back({engine_event_kind::finished, s.id, at, s.produced, s.at_target});
  return s.at_target;
}

// The end of a sequence that is in no list any more.
void engine::retire(sequence& s, finish_reason why, mono_time at) {
  free_blocks_ += s.blocks;
  ++metrics_.ended[static_cast<std::size_t>(why) - 1];
  if (why != finish_reason::abort) {
    metrics_.end_to_end.observe(at - s.arrived);
    metrics_.queued.observe(*s.scheduled_at - s.arrived);
    metrics_.inference.observe(at - *s.scheduled_at);
    metrics_.prefill.observe((s.work.pooling ? at : s.first_token_at) - *s.scheduled_at);
    if (!s.work.pooling) metrics_.decode.observe(at - s.first_token_at);
    if (s.produced > 1)
      metrics_.per_output_token.observe((at - s.first_token_at) / (s.produced - 1));
    metrics_.request_prompt.observe(s.work.prompt_tokens);
    metrics_.request_answer.observe(s.produced);
    if (s.work.max_tokens) metrics_.request_max.observe(*s.work.max_tokens);
    metrics_.request_n.observe(s.work.answers);
  }
  all_.erase(s.id);
}

void engine::note_step(mono_time begin, mono_time end) {
  while (!steps_.empty() && steps_.front().second + 1s < begin) steps_.pop_front();
  if (!steps_.empty() && steps_.back().second == begin) {
    steps_.back().second = end;
  } else {
    steps_.emplace_back(begin, end);
  }
}

double engine::busy(mono_time now) const {
  microseconds sum{0};
  for (const auto& [begin, end] : steps_) {
    sum += std::max(std::min(end, now) - std::max(begin, now - 1s), microseconds{0});
  }
  return static_cast<double>(sum.count()) / 1e6;
}

}  // namespace weir::sim
