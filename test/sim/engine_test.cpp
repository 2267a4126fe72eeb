// The engine model against small scenarios that were worked out by hand.
#include "sim/engine.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace weir::sim {
namespace {

using ms = std::chrono::milliseconds;

// Steps of 10 ms, 1 ms more for each sequence that decodes, 1 ms for each prompt token.
engine_options small() {
  engine_options o;
  o.max_num_seqs = 2;
  o.max_num_batched_tokens = 100;
  o.kv_blocks = 100;
  o.max_model_len = 200;
  o.prefill_tokens_per_second = 1000;
  o.step_base = 10ms;
  o.step_per_sequence = 1ms;
  return o;
}

engine_work work(std::int64_t prompt, std::int64_t max_tokens) {
  engine_work w;
  w.prompt_tokens = prompt;
  w.max_tokens = max_tokens;
  w.ignore_eos = true;
  return w;
}

constexpr mono_time start{1s};

// Everything that happens until the engine is idle.
std::vector<engine_event> run_out(engine& e) {
  std::vector<engine_event> all;
  while (e.next()) e.advance(*e.next(), all);
  return all;
}

std::vector<std::int64_t> token_times(const std::vector<engine_event>& all, sequence_id id) {
  std::vector<std::int64_t> out;
  for (const auto& event : all) {
    if (event.id == id && event.kind == engine_event_kind::token)
      out.push_back(std::chrono::duration_cast<ms>(event.at - start).count());
  }
  return out;
}

std::int64_t count(const std::vector<engine_event>& all, engine_event_kind kind, sequence_id id) {
  return std::ranges::count_if(
      all, [&](const auto& event) { return event.kind == kind && event.id == id; });
}

TEST(engine, a_lone_request_pays_prefill_once_and_then_one_step_per_token) {
  engine e{small()};
  const auto a = e.submit(work(20, 3), start);
  ASSERT_EQ(a.outcome, admission::accepted);
  const auto all = run_out(e);
  // Step 1: 10 + 20 of prefill. Steps 2 and 3: 10 + 1 of decoding.
  EXPECT_EQ(token_times(all, a.id), (std::vector<std::int64_t>{30, 41, 52}));
  EXPECT_EQ(all.back().kind, engine_event_kind::finished);
  EXPECT_EQ(all.back().finish, finish_reason::length);
  EXPECT_EQ(all.back().produced, 3);
  EXPECT_EQ(e.free_blocks(), 100);
}

TEST(engine, a_request_that_comes_during_a_step_joins_the_next_one) {
  engine e{small()};
  const auto a = e.submit(work(20, 3), start);
  const auto b = e.submit(work(5, 2), start + 1ms);
  const auto all = run_out(e);
  // Step 2 begins at 30: 10 + 1 decoding + 5 prefill. Step 3: 10 + 2 decoding.
  EXPECT_EQ(token_times(all, a.id), (std::vector<std::int64_t>{30, 46, 58}));
  EXPECT_EQ(token_times(all, b.id), (std::vector<std::int64_t>{46, 58}));
}

TEST(engine, requests_beyond_max_num_seqs_wait_first_come_first_served) {
  engine e{small()};
  const auto a = e.submit(work(10, 2), start);
  const auto b = e.submit(work(10, 4), start);
  const auto c = e.submit(work(10, 1), start);
  const auto d = e.submit(work(10, 1), start);
  EXPECT_EQ(e.running(), 1);
  EXPECT_EQ(e.waiting(), 3);
  std::vector<engine_event> all;
  e.advance(start + 20ms, all);  // a's prefill is over, b joins
  EXPECT_EQ(e.running(), 2);
  EXPECT_EQ(e.waiting(), 2);
  const auto rest = run_out(e);
  all.insert(all.end(), rest.begin(), rest.end());
  // Step 2, 20 to 41: a decodes, b prefills; a ends. Step 3, 41 to 62: b decodes, c prefills.
  // Step 4, 62 to 83: b decodes, d prefills. Step 5, 83 to 94: b decodes.
  EXPECT_EQ(token_times(all, a.id), (std::vector<std::int64_t>{20, 41}));
  EXPECT_EQ(token_times(all, b.id), (std::vector<std::int64_t>{41, 62, 83, 94}));
  EXPECT_EQ(token_times(all, c.id), (std::vector<std::int64_t>{62}));
  EXPECT_EQ(token_times(all, d.id), (std::vector<std::int64_t>{83}));
}

TEST(engine, a_long_prompt_is_prefilled_in_chunks_while_others_decode) {
  auto o = small();
  o.max_num_batched_tokens = 40;
  engine e{o};
  const auto a = e.submit(work(10, 5), start);
  const auto b = e.submit(work(90, 1), start);
  const auto all = run_out(e);
  // Step 1, to 20: a's prefill. Step 2: 1 + 39 of b: 10 + 1 + 39, to 70. Step 3 the same, to 120.
  // Step 4: 1 + 12 of b, to 143; b's token. Step 5: a alone, to 154.
  EXPECT_EQ(token_times(all, a.id), (std::vector<std::int64_t>{20, 70, 120, 143, 154}));
  EXPECT_EQ(token_times(all, b.id), (std::vector<std::int64_t>{143}));
}

TEST(engine, a_full_cache_preempts_the_youngest_which_recomputes_and_loses_no_token) {
  auto o = small();
  o.kv_blocks = 4;  // 64 tokens
  o.max_model_len = 64;
  engine e{o};
  const auto a = e.submit(work(30, 20), start);
  const auto b = e.submit(work(30, 20), start);
  const auto all = run_out(e);
  // Two blocks each hold 32 tokens. a needs a third for its 33rd token: b must go.
  EXPECT_EQ(count(all, engine_event_kind::preempted, a.id), 0);
  EXPECT_EQ(count(all, engine_event_kind::preempted, b.id), 1);
  EXPECT_EQ(token_times(all, a.id).size(), 20U);
  EXPECT_EQ(token_times(all, b.id).size(), 20U);
  EXPECT_EQ(e.metrics().preemptions, 1);
  EXPECT_EQ(e.metrics().prompt_tokens, 60);  // recomputation is not counted
  EXPECT_EQ(e.metrics().generation_tokens, 40);
  EXPECT_EQ(e.free_blocks(), 4);
  // b went on only after a had ended and freed its blocks.
  const auto a_end = token_times(all, a.id).back();
  const auto b_times = token_times(all, b.id);
  EXPECT_EQ(std::ranges::count_if(b_times, [&](auto t) { return t <= a_end; }), 2);
}

TEST(engine, a_cancelled_request_gives_its_blocks_back_and_says_nothing_more) {
  engine e{small()};
  const auto a = e.submit(work(32, 50), start);
  const auto b = e.submit(work(32, 2), start);
  std::vector<engine_event> all;
  e.advance(start + 42ms, all);
  EXPECT_EQ(e.free_blocks(), 100 - 3 - 2);  // 33 and 32 tokens
  EXPECT_TRUE(e.cancel(a.id, start + 50ms));
  EXPECT_EQ(e.free_blocks(), 100 - 2);
  EXPECT_FALSE(e.cancel(a.id, start + 50ms));
  const auto rest = run_out(e);
  EXPECT_EQ(token_times(rest, a.id).size(), 0U);
  EXPECT_EQ(token_times(rest, b.id).size(), 2U);
  EXPECT_EQ(e.metrics().ended[2], 1);
  EXPECT_EQ(e.free_blocks(), 100);
}

TEST(engine, a_waiting_request_can_be_cancelled) {
  auto o = small();
  o.max_num_seqs = 1;
  engine e{o};
  const auto a = e.submit(work(10, 2), start);
  const auto b = e.submit(work(10, 2), start);
  EXPECT_TRUE(e.cancel(b.id, start));
  EXPECT_EQ(e.waiting(), 0);
  const auto all = run_out(e);
  EXPECT_EQ(all.back().id, a.id);
}

TEST(engine, a_prompt_that_leaves_no_room_is_refused) {
  engine e{small()};
  EXPECT_EQ(e.submit(work(200, 1), start).outcome, admission::too_long);
  EXPECT_EQ(e.submit(work(100, 101), start).outcome, admission::too_long);
  EXPECT_EQ(e.submit(work(100, 100), start).outcome, admission::accepted);
  EXPECT_FALSE(engine{small()}.next().has_value());
}

TEST(engine, without_max_tokens_an_endless_answer_ends_at_max_model_len) {
  engine e{small()};
  auto w = work(150, 1);
  w.max_tokens.reset();
  const auto a = e.submit(w, start);
  const auto all = run_out(e);
  EXPECT_EQ(token_times(all, a.id).size(), 50U);
  EXPECT_EQ(all.back().finish, finish_reason::length);
}

TEST(engine, a_full_queue_refuses_by_requests_and_by_tokens) {
  auto o = small();
  o.max_num_seqs = 1;
  o.max_num_queued_reqs = 2;
  o.max_num_queued_tokens = 50;
  engine e{o};
  EXPECT_EQ(e.submit(work(10, 1), start).outcome, admission::accepted);
  EXPECT_EQ(e.submit(work(10, 1), start).outcome, admission::accepted);
  EXPECT_EQ(e.submit(work(41, 1), start).outcome, admission::queue_full_tokens);
  EXPECT_EQ(e.submit(work(40, 1), start).outcome, admission::accepted);
  EXPECT_EQ(e.submit(work(1, 1), start).outcome, admission::queue_full_reqs);
  EXPECT_EQ(e.metrics().rejected_reqs, 1);
  EXPECT_EQ(e.metrics().rejected_tokens, 1);
}

TEST(engine, an_overrun_produces_beyond_every_limit) {
  engine e{small()};
  auto w = work(10, 3);
  w.overrun = 4;
  const auto a = e.submit(w, start);
  EXPECT_EQ(token_times(run_out(e), a.id).size(), 7U);
}

TEST(engine, an_embedding_is_prefill_without_tokens) {
  engine e{small()};
  auto w = work(20, 1);
  w.pooling = true;
  const auto a = e.submit(w, start);
  const auto all = run_out(e);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].id, a.id);
  EXPECT_EQ(all[0].kind, engine_event_kind::finished);
  EXPECT_EQ(all[0].at, start + 30ms);
  EXPECT_EQ(e.metrics().first_token.count(), 0);
}

TEST(engine, its_histograms_tell_the_phases_of_a_request) {
  auto o = small();
  o.max_num_seqs = 1;
  engine e{o};
  e.submit(work(20, 2), start);
  e.submit(work(20, 2), start);
  run_out(e);
  const auto& m = e.metrics();
  // The first runs 0 to 41, the second is scheduled at 41 and ends at 82.
  EXPECT_EQ(m.queued.sum(), 41'000);
  EXPECT_EQ(m.first_token.sum(), 30'000 + 71'000);
  EXPECT_EQ(m.prefill.sum(), 60'000);
  EXPECT_EQ(m.decode.sum(), 22'000);
  EXPECT_EQ(m.inference.sum(), 82'000);
  EXPECT_EQ(m.end_to_end.sum(), 41'000 + 82'000);
  EXPECT_EQ(m.inter_token.count(), 2);
  EXPECT_EQ(m.iteration.sum(), 42);
  EXPECT_EQ(m.request_max.sum(), 4);
}

TEST(engine, it_is_busy_for_as_long_as_steps_run) {
  engine e{small()};
  e.submit(work(90, 1), start);
  run_out(e);  // one step of 100 ms
  EXPECT_DOUBLE_EQ(e.busy(start + 100ms), 0.1);
  EXPECT_DOUBLE_EQ(e.busy(start + 1050ms), 0.05);
  EXPECT_DOUBLE_EQ(e.busy(start + 2s), 0.0);
}

TEST(engine, options_that_make_no_sense_are_refused_by_name) {
  auto o = small();
  EXPECT_TRUE(check_engine(o));
  o.kv_blocks = 12;
  const auto cache = check_engine(o);
  ASSERT_FALSE(cache);
  EXPECT_NE(cache.error().message.find("--kv-blocks"), std::string::npos);
  EXPECT_NE(cache.error().message.find("13"), std::string::npos);
  o = small();
  o.max_num_seqs = 0;
  const auto seqs = check_engine(o);
  ASSERT_FALSE(seqs);
  EXPECT_NE(seqs.error().message.find("--max-num-seqs"), std::string::npos);
}

}  // namespace
}  // namespace weir::sim
