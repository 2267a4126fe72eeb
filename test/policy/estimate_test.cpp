// Estimates of tokens: where they start, how they learn, what bounds them.
#include "policy/estimate.hpp"

#include <gtest/gtest.h>
#include <random>
#include <thread>
#include <vector>

namespace weir::policy {
namespace {

TEST(estimate, begins_with_four_bytes_a_token_rounded_up_and_a_templates_overhead) {
  const token_estimate e;
  EXPECT_EQ(e.prompt({.bytes = 400}).count, 100 + 3);
  EXPECT_EQ(e.prompt({.bytes = 401}).count, 101 + 3);
  EXPECT_EQ(e.prompt({.bytes = 400, .messages = 5}).count, 100 + 20 + 3);
  EXPECT_EQ(e.prompt({.bytes = 400, .messages = 1, .media = 1100}).count, 100 + 4 + 3 + 1100);
  EXPECT_EQ(e.prompt({}).count, 3);
}

TEST(estimate, comes_close_to_a_models_true_ratio_and_stays_there) {
  for (const std::int64_t bytes_per_token : {2, 3, 5, 8}) {
    token_estimate e;
    std::minstd_rand random{7};
    for (int i = 0; i < 300; ++i) {
      const prompt_size size{.bytes = 500 + static_cast<std::int64_t>(random() % 8000),
                             .messages = 3};
      e.learn(size, {size.bytes / bytes_per_token + 15});
    }
    const double seen = e.ratio() / double{1 << 20};
    EXPECT_NEAR(seen * static_cast<double>(bytes_per_token), 1.0, 0.02) << bytes_per_token;
  }
}

TEST(estimate, one_call_moves_it_by_a_quarter_of_the_difference_at_most) {
  token_estimate e;
  e.learn({.bytes = 1 << 30}, {1 << 30});
  EXPECT_LE(e.ratio(), (1U << 18) + ((1U << 20) - (1U << 18)) / 4);
  EXPECT_GT(e.ratio(), 1U << 18);
}

TEST(estimate, a_longer_prompt_says_more_than_a_short_one) {
  token_estimate brief;
  token_estimate lengthy;
  brief.learn({.bytes = 100}, {100});
  lengthy.learn({.bytes = 2000}, {2000});
  EXPECT_GT(lengthy.ratio(), brief.ratio());
  EXPECT_GT(brief.ratio(), token_estimate{}.ratio());
}

TEST(estimate, usage_that_makes_no_sense_teaches_nothing_or_stays_within_bounds) {
  token_estimate e;
  e.learn({.bytes = 1000}, {0});
  e.learn({.bytes = 1000}, {-5});
  e.learn({.bytes = 0}, {1000});
  e.learn({.bytes = -7}, {1000});
  e.learn({.bytes = 1000, .media = 1}, {1'000'000});
  EXPECT_EQ(e.ratio(), token_estimate{}.ratio());
  for (int i = 0; i < 200; ++i) e.learn({.bytes = 100'000}, {INT64_MAX});
  EXPECT_LE(e.ratio(), 1U << 21);
  EXPECT_GT(e.prompt({.bytes = INT64_MAX}).count, 0);
  for (int i = 0; i < 200; ++i) e.learn({.bytes = 100'000}, {1});
  EXPECT_GE(e.ratio(), 1U << 15);
}

TEST(estimate, an_answer_without_usage_is_counted_upwards) {
  token_estimate e;
  EXPECT_EQ(e.answer(10, 5).count, 10) << "each delta is a token at least";
  EXPECT_EQ(e.answer(1, 401).count, 101) << "an engine may put many tokens into one delta";
  EXPECT_EQ(e.answer(0, 0).count, 0);
  EXPECT_EQ(e.answer(-1, -1).count, 0);
  for (int i = 0; i < 200; ++i) e.learn({.bytes = 100'000}, {10'000});
  EXPECT_EQ(e.answer(1, 401).count, 101) << "a prompt that is cheap does not make the answer so";
}

TEST(estimate, bits_of_any_value_are_taken_into_bounds) {
  EXPECT_EQ(token_estimate::from_bits(token_estimate{}.bits()).ratio(), token_estimate{}.ratio());
  EXPECT_GE(token_estimate::from_bits(0).ratio(), 1U << 15);
  EXPECT_LE(token_estimate::from_bits(~std::uint64_t{0}).ratio(), 1U << 21);
}

TEST(estimate, learns_from_several_threads_at_once) {
  shared_token_estimate shared;
  std::vector<std::thread> all;
  for (int t = 0; t < 4; ++t) {
    all.emplace_back([&] {
      for (int i = 0; i < 500; ++i) shared.learn({.bytes = 6000}, {2003});
    });
  }
  for (std::thread& t : all) t.join();
  EXPECT_NEAR(shared.load().ratio() / double{1 << 20}, 1.0 / 3, 0.01);
}

}  // namespace
}  // namespace weir::policy
