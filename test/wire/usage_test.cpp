// Token counts of whole answers: the last report, believed only if it can be true.
#include "wire/usage.hpp"

#include <gtest/gtest.h>
#include <string>

namespace weir::wire {
namespace {

std::string answer(std::string_view usage) {
  return R"({"id":"c1","choices":[{"index":0,"message":{"role":"assistant","content":"ok"},)"
         R"("finish_reason":"stop"}],"usage":)" +
         std::string{usage} + "}";
}

answer_facts facts_of(std::string_view body) {
  answer_facts facts;
  EXPECT_TRUE(read_answer(body, facts)) << body;
  return facts;
}

usage usage_of(std::string_view text) { return facts_of(answer(text)).used; }

TEST(usage, all_counts_are_read) {
  const auto used = usage_of(
      R"({"prompt_tokens":100,"completion_tokens":50,"total_tokens":150,)"
      R"("prompt_tokens_details":{"cached_tokens":40,"cache_write_tokens":10,"audio_tokens":3},)"
      R"("completion_tokens_details":{"reasoning_tokens":30,"rejected_prediction_tokens":5}})");
  EXPECT_EQ(used.prompt, 100);
  EXPECT_EQ(used.completion, 50);
  EXPECT_EQ(used.total, 150);
  EXPECT_EQ(used.cached, 40);
  EXPECT_EQ(used.cache_write, 10);
  EXPECT_EQ(used.reasoning, 30);
  EXPECT_EQ(used.all(), 150);
}

TEST(usage, null_is_no_news) {
  EXPECT_FALSE(usage_of("null").known());
  EXPECT_FALSE(usage_of("{}").known());
  const auto used = usage_of(R"({"prompt_tokens":5,"completion_tokens":1,"total_tokens":null,)"
                             R"("prompt_tokens_details":null,)"
                             R"("completion_tokens_details":{"reasoning_tokens":null}})");
  EXPECT_EQ(used.all(), 6);
  EXPECT_EQ(used.cached, std::nullopt);
}

// BC-085
TEST(usage, a_report_with_anything_but_whole_numbers_is_none) {
  for (const std::string count :
       {"-1", "-0.5", "1e400", "9223372036854775808", "18446744073709551616", "9007199254740992",
        "\"12\"", "1.5", "true", "[1]", "{}", "1e-3"}) {
    const auto facts = facts_of(answer(R"({"prompt_tokens":9,"completion_tokens":)" + count + "}"));
    EXPECT_FALSE(facts.used.known()) << count;
    EXPECT_TRUE(facts.usage_invalid) << count;
    EXPECT_EQ(facts.content_bytes, 2) << "so that it can be estimated";
  }
  const auto negative = facts_of(
      answer(R"({"prompt_tokens":-100000000,"completion_tokens":1,"total_tokens":-99999999})"));
  EXPECT_FALSE(negative.used.known());
  EXPECT_TRUE(negative.usage_invalid);
}

// BC-085
TEST(usage, bare_words_make_the_answer_no_json) {
  for (const std::string count : {"NaN", "Infinity", "-Infinity"}) {
    answer_facts facts;
    EXPECT_FALSE(read_answer(answer(R"({"completion_tokens":)" + count + "}"), facts));
    EXPECT_FALSE(facts.used.known());
    EXPECT_EQ(facts.content_bytes, 2);
  }
}

TEST(usage, whole_numbers_may_be_written_in_any_way) {
  for (const std::string count : {"12", "12.0", "1.2e1", "120e-1", "12.000"}) {
    EXPECT_EQ(usage_of(R"({"completion_tokens":)" + count + "}").completion, 12) << count;
  }
  EXPECT_EQ(usage_of(R"({"completion_tokens":9007199254740991})").completion, 9007199254740991);
  EXPECT_EQ(usage_of(R"({"completion_tokens":-0})").completion, 0);
}

// BC-090
TEST(usage, reasoning_is_part_of_completion_unless_the_total_says_otherwise) {
  const auto inside =
      usage_of(R"({"prompt_tokens":2008,"completion_tokens":266,"total_tokens":2274,)"
               R"("completion_tokens_details":{"reasoning_tokens":261}})");
  EXPECT_EQ(inside.completion, 266);
  EXPECT_EQ(inside.all(), 2274);
  const auto beside = usage_of(R"({"prompt_tokens":36,"completion_tokens":10,"total_tokens":736,)"
                               R"("completion_tokens_details":{"reasoning_tokens":690}})");
  EXPECT_EQ(beside.completion, 700);
  EXPECT_EQ(beside.all(), 736);
}

TEST(usage, a_completion_that_is_not_reported_is_what_the_total_leaves) {
  EXPECT_EQ(usage_of(R"({"prompt_tokens":10,"total_tokens":15})").completion, 5);
  EXPECT_EQ(usage_of(R"({"prompt_tokens":10,"total_tokens":15})").all(), 15);
  EXPECT_EQ(usage_of(R"({"total_tokens":15})").all(), 15);
  EXPECT_EQ(usage_of(R"({"prompt_tokens":10,"total_tokens":5})").all(), 10);
}

TEST(usage, embeddings_have_no_completion) {
  const auto facts =
      facts_of(R"({"object":"list","data":[{"embedding":[0.1,-2e-3]}],"usage":{"prompt_tokens":8,)"
               R"("total_tokens":8}})");
  EXPECT_EQ(facts.used.prompt, 8);
  EXPECT_EQ(facts.used.completion, 0);
  EXPECT_EQ(facts.used.all(), 8);
}

TEST(usage, a_response_has_other_names_for_the_same) {
  const auto facts =
      facts_of(R"({"id":"resp_1","error":null,"output":[{"type":"message",)"
               R"("content":[{"type":"output_text","text":"hello"}]}],)"
               R"("usage":{"input_tokens":100,"input_tokens_details":{"cached_tokens":4},)"
               R"("output_tokens":50,)"
               R"("output_tokens_details":{"reasoning_tokens":3},"total_tokens":150}})");
  EXPECT_EQ(facts.used.all(), 150);
  EXPECT_EQ(facts.used.cached, 4);
  EXPECT_EQ(facts.used.reasoning, 3);
  EXPECT_EQ(facts.choices, 1);
  EXPECT_EQ(facts.content_bytes, 5);
  EXPECT_FALSE(facts.is_error);
}

TEST(usage, it_counts_only_at_the_top_and_wherever_it_stands) {
  EXPECT_EQ(facts_of(R"({"usage":{"prompt_tokens":5},"choices":[]})").used.all(), 5);
  EXPECT_FALSE(
      facts_of(R"({"choices":[{"usage":{"prompt_tokens":5}}],"x":{"usage":{"prompt_tokens":6}}})")
          .used.known());
  EXPECT_FALSE(facts_of(R"({"usage":{"deep":{"prompt_tokens":5}}})").used.known());
  EXPECT_FALSE(facts_of(R"({"usage":[{"prompt_tokens":5}]})").used.known());
}

TEST(usage, a_detail_that_is_nested_deeper_is_not_one) {
  EXPECT_EQ(usage_of(R"({"prompt_tokens":9,"prompt_tokens_details":{"x":{"cached_tokens":5}},)"
                     R"("y":{"cached_tokens":6}})")
                .cached,
            std::nullopt);
}

TEST(usage, the_last_of_several_reports_wins_field_by_field) {
  usage known;
  known.prompt = 1;
  known.cached = 1;
  usage_reader reader;
  const json_value later{
      .depth = 2, .key = "prompt_tokens", .kind = json_kind::number, .raw = "12"};
  reader.value(later, 2);
  reader.merge_into(known);
  reader.merge_into(known);
  EXPECT_EQ(known.prompt, 12);
  EXPECT_EQ(known.cached, 1);
}

TEST(answer, an_error_with_status_200_is_seen) {
  EXPECT_TRUE(facts_of(R"({"error":{"message":"x"}})").is_error);
  EXPECT_TRUE(facts_of(R"({"error":"model not found"})").is_error);
  EXPECT_TRUE(facts_of(R"({"object":"error","message":"bad","code":400})").is_error);
  EXPECT_FALSE(facts_of(answer("null")).is_error);
  EXPECT_FALSE(facts_of(R"({"error":null,"choices":[{"error":{"a":1}}]})").is_error);
}

// BC-051
TEST(answer, choices_are_counted) {
  EXPECT_EQ(facts_of(R"({"choices":[],"usage":{"prompt_tokens":9}})").choices, 0);
  EXPECT_EQ(
      facts_of(R"({"choices":[{"message":{"content":"a"}},{"message":{"content":"bc"}}]})").choices,
      2);
  EXPECT_EQ(facts_of(R"({"choices":[{"message":{"content":"a"}},{"message":{"content":"bc"}}]})")
                .content_bytes,
            3);
  EXPECT_EQ(facts_of(R"({"choices":[{"text":"a\n"}]})").content_bytes, 2);
}

TEST(answer, what_is_no_json_is_none) {
  answer_facts facts;
  EXPECT_FALSE(read_answer("<html>", facts));
  EXPECT_FALSE(read_answer("", facts));
}

}  // namespace
}  // namespace weir::wire
