// What holds for every engine, whatever is asked of it and whenever.
#include <gtest/gtest.h>
#include <map>
#include <random>

#include "sim/engine.hpp"

namespace weir::sim {
namespace {

struct fate {
  std::int64_t tokens{0};
  std::int64_t ends{0};
  std::optional<std::int64_t> bound;
  bool cancelled{false};
};

struct course {
  std::map<sequence_id, fate> fates;
  std::vector<std::tuple<int, sequence_id, std::int64_t>> events;  // kind, id, microseconds
  std::int64_t preemptions{0};
};

engine_options random_options(std::mt19937_64& random) {
  engine_options o;
  const auto pick = [&](std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>{from, to}(random);
  };
  o.max_num_seqs = pick(1, 20);
  o.max_num_batched_tokens = pick(1, 200);
  o.block_size = pick(1, 16);
  o.max_model_len = pick(20, 300);
  o.kv_blocks = o.max_model_len / o.block_size + 1 + pick(0, 20);
  o.prefill_tokens_per_second = pick(0, 2) * 1000;
  o.step_base = microseconds{pick(0, 3) * 1000};
  o.mean_answer = pick(1, 60);
  o.max_num_queued_reqs = pick(0, 1) * 30;
  o.seed = random();
  return o;
}

void book(course& c, const std::vector<engine_event>& events) {
  for (const auto& event : events) {
    fate& f = c.fates.at(event.id);
    EXPECT_EQ(f.ends, 0) << "an event after the end of " << event.id;
    EXPECT_FALSE(f.cancelled) << "an event after the cancel of " << event.id;
    if (event.kind == engine_event_kind::token) EXPECT_EQ(event.produced, ++f.tokens);
    if (event.kind == engine_event_kind::finished) ++f.ends;
    if (event.kind == engine_event_kind::preempted) ++c.preemptions;
    c.events.emplace_back(static_cast<int>(event.kind), event.id,
                          event.at.time_since_epoch().count());
  }
}

// A few hundred submissions and cancels at random times.
course run(std::uint64_t seed) {
  std::mt19937_64 random{seed};
  const auto options = random_options(random);
  EXPECT_TRUE(check_engine(options));
  engine e{options};
  course c;
  std::vector<engine_event> events;
  mono_time now{1s};
  const auto pick = [&](std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>{from, to}(random);
  };
  for (int i = 0; i < 300; ++i) {
    now += microseconds{pick(0, 4000)};
    events.clear();
    e.advance(now, events);
    book(c, events);
    if (pick(0, 4) == 0 && !c.fates.empty()) {
      const auto id = static_cast<sequence_id>(pick(1, static_cast<std::int64_t>(c.fates.size())));
      fate& f = c.fates.at(id);
      EXPECT_EQ(e.cancel(id, now), f.ends == 0 && !f.cancelled);
      if (f.ends == 0) f.cancelled = true;
    } else {
      engine_work w;
      w.prompt_tokens = pick(1, options.max_model_len);
      if (pick(0, 1) == 0) w.max_tokens = pick(1, 60);
      w.ignore_eos = w.max_tokens && pick(0, 2) == 0;
      w.overrun = pick(0, 9) == 0 ? pick(1, 30) : 0;
      const auto done = e.submit(w, now);
      if (done.outcome == admission::accepted)
        c.fates[done.id].bound = w.max_tokens.value_or(options.max_model_len) + w.overrun;
    }
    EXPECT_LE(e.running(), options.max_num_seqs);
    EXPECT_GE(e.free_blocks(), 0);
  }
  while (e.next()) {
    events.clear();
    e.advance(*e.next(), events);
    book(c, events);
  }
  EXPECT_EQ(e.free_blocks(), options.kv_blocks) << "blocks leaked";
  EXPECT_EQ(e.running() + e.waiting(), 0);
  std::int64_t tokens = 0;
  for (const auto& [id, f] : c.fates) {
    EXPECT_EQ(f.ends, f.cancelled ? 0 : 1) << id;
    EXPECT_LE(f.tokens, *f.bound) << id;
    if (!f.cancelled) EXPECT_GE(f.tokens, 1) << id;
    tokens += f.tokens;
  }
  EXPECT_EQ(e.metrics().generation_tokens, tokens);
  EXPECT_EQ(e.metrics().preemptions, c.preemptions);
  return c;
}

TEST(engine_property, every_request_ends_once_within_its_bound_and_no_block_is_lost) {
  std::int64_t preemptions = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    preemptions += run(seed).preemptions;
  }
  EXPECT_GT(preemptions, 100) << "the caches were too large to test preemption";
}

TEST(engine_property, the_same_requests_at_the_same_times_give_the_same_events) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) EXPECT_EQ(run(seed).events, run(seed).events);
}

TEST(engine_property, another_seed_gives_other_answers) {
  const auto lengths = [](std::uint64_t seed) {
    engine_options o;
    o.seed = seed;
    engine e{o};
    std::vector<std::int64_t> out(20);
    for (int i = 0; i < 20; ++i) e.submit({}, mono_time{1s});
    std::vector<engine_event> events;
    while (e.next()) e.advance(*e.next(), events);
    for (const auto& event : events) out[event.id - 1] = event.produced;
    return out;
  };
  EXPECT_EQ(lengths(1), lengths(1));
  EXPECT_NE(lengths(1), lengths(2));
}

}  // namespace
}  // namespace weir::sim
