// Words, lengths and tokens.
#include "sim/answer_text.hpp"

#include <gtest/gtest.h>

namespace weir::sim {
namespace {

TEST(answer_text, an_answer_cuts_into_exactly_the_tokens_it_was_made_of) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    std::string text;
    append_answer(text, seed, 0, static_cast<std::int64_t>(seed % 50));
    EXPECT_EQ(count_tokens(text), static_cast<std::int64_t>(seed % 50)) << text;
  }
}

TEST(answer_text, parts_of_an_answer_join_to_the_whole) {
  std::string whole;
  append_answer(whole, 7, 0, 30);
  std::string joined;
  append_answer(joined, 7, 0, 11);
  append_answer(joined, 7, 11, 30);
  EXPECT_EQ(whole, joined);
}

TEST(answer_text, tokens_are_six_letters_three_digits_or_one_character) {
  EXPECT_EQ(count_tokens(""), 0);
  EXPECT_EQ(count_tokens("Hello there"), 2);
  EXPECT_EQ(count_tokens("abcdefg"), 2);
  EXPECT_EQ(count_tokens("12345"), 2);
  EXPECT_EQ(count_tokens("a, b!"), 4);
  EXPECT_EQ(count_tokens("\xC3\xA9\xE2\x82\xAC"), 2);
  EXPECT_EQ(count_tokens("\xFF\x80"), 1);
  EXPECT_EQ(count_tokens("  x"), 2);
}

TEST(answer_text, lengths_lie_around_their_mean_and_vary) {
  double sum = 0;
  std::int64_t shortest = 1'000'000;
  std::int64_t longest = 0;
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    const auto length = draw_length(mix(1, seed), 100);
    sum += static_cast<double>(length);
    shortest = std::min(shortest, length);
    longest = std::max(longest, length);
  }
  EXPECT_NEAR(sum / 20'000, 100, 3);
  EXPECT_GE(shortest, 1);
  EXPECT_GT(longest, 500);
  EXPECT_LE(longest, 3200);
}

}  // namespace
}  // namespace weir::sim
