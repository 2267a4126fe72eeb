// What of a request counts as prompt: all text that an engine may put before the model, and no
// base64.
#include <gtest/gtest.h>
#include <string>

#include "wire/openai.hpp"

namespace weir::wire {
namespace {

request_facts facts_of(std::string_view body, endpoint at = endpoint::chat) {
  request_facts facts;
  body_error error;
  EXPECT_TRUE(read_request(body, at, 128, facts, error)) << body << ": " << error.message;
  return facts;
}

request_facts content(std::string_view parts) {
  return facts_of(R"({"model":"m","messages":[{"content":)" + std::string{parts} + "}]}");
}

request_facts members(std::string_view text, endpoint at = endpoint::chat) {
  return facts_of(R"({"model":"m",)" + std::string{text} + "}", at);
}

TEST(prompt, text_is_counted_in_bytes_without_escapes) {
  EXPECT_EQ(content(R"("hello")").prompt_bytes, 5);
  EXPECT_EQ(content(R"("a\nb\u00e9\ud83d\ude00")").prompt_bytes, 3 + 2 + 4);
  EXPECT_EQ(content("\"caf\xC3\xA9\"").prompt_bytes, 5);
  EXPECT_EQ(content(R"([{"type":"text","text":"hi"},{"type":"text","text":"ho"}])").prompt_bytes,
            4 + 2 + 4 + 2);
}

TEST(prompt, messages_and_items_are_counted) {
  EXPECT_EQ(members(R"("messages":[{},{},{}])").messages, 3);
  EXPECT_EQ(members(R"("input":[{"role":"user"},{"role":"user"}])", endpoint::responses).messages,
            2);
  EXPECT_EQ(members(R"("input":"hi")", endpoint::responses).messages, 0);
  EXPECT_EQ(members(R"("input":"hi")", endpoint::responses).prompt_bytes, 2);
}

TEST(prompt, every_field_that_reaches_the_model_counts) {
  EXPECT_EQ(members(R"("prompt":"hello","suffix":"x")", endpoint::completions).prompt_bytes, 6);
  EXPECT_EQ(members(R"("prompt":["ab","cd"])", endpoint::completions).prompt_bytes, 4);
  EXPECT_EQ(members(R"("instructions":"be brief")", endpoint::responses).prompt_bytes, 8);
  EXPECT_EQ(members(R"("system":"be brief")").prompt_bytes, 8);
  EXPECT_EQ(members(R"("chat_template":"0123456789")").prompt_bytes, 10) << "an unknown field";
  EXPECT_GE(members(R"("tools":[{"function":{"name":"f","description":"does it"}}])").prompt_bytes,
            static_cast<std::int64_t>(std::string{"functionnamefdescriptiondoes it"}.size()));
}

TEST(prompt, numbers_cannot_hide_in_tools) {
  std::string numbers = "1000000";
  for (int i = 0; i < 999; ++i) numbers += ",1000000";
  EXPECT_GE(members(R"("tools":[{"enum":[)" + numbers + "]}]").prompt_bytes, 7000);
}

TEST(prompt, what_never_reaches_the_model_does_not_count) {
  EXPECT_EQ(
      members(R"("user":"somebody","metadata":{"a":"bcd"},"stop":["x"],"service_tier":"auto",)"
              R"("temperature":0.7,"stream_options":{"include_usage":true})")
          .prompt_bytes,
      0);
}

TEST(prompt, tokens_that_come_as_numbers_are_counted_one_by_one) {
  EXPECT_EQ(members(R"("input":[1,2,3])", endpoint::embeddings).prompt_tokens, 3);
  EXPECT_EQ(members(R"("input":[[1,2],[3,4,5]])", endpoint::embeddings).prompt_tokens, 5);
  EXPECT_EQ(members(R"("prompt":[15339,1917])", endpoint::completions).prompt_tokens, 2);
  EXPECT_EQ(members(R"("input":["ab","c"])", endpoint::embeddings).prompt_bytes, 3);
  EXPECT_EQ(members(R"("input":["ab","c"])", endpoint::embeddings).prompt_tokens, 0);
}

// BC-079
TEST(prompt, a_picture_of_megabytes_is_one_medium_and_no_text) {
  const auto facts = content(R"([{"type":"text","text":"What is this?"},{"type":"image_url",)"
                             R"("image_url":{"url":"data:image/png;base64,)" +
                             std::string(2'500'000, 'A') + R"(","detail":"auto"}}])");
  EXPECT_EQ(facts.media, 1);
  EXPECT_LT(facts.prompt_bytes, 100);
  EXPECT_GE(facts.prompt_bytes, 13);
}

// BC-079
TEST(prompt, every_kind_of_media_is_known) {
  const std::string big(1000, 'A');
  struct {
    std::string part;
    std::int64_t media;
  } const rows[] = {
      {R"({"type":"input_audio","input_audio":{"data":")" + big + R"(","format":"wav"}})", 1},
      {R"({"type":"file","file":{"filename":"a.pdf","file_data":")" + big + "\"}}", 1},
      {R"({"type":"image","source":{"type":"base64","data":")" + big + "\"}}", 1},
      {R"({"type":"input_image","image_url":"data:image/png;base64,)" + big + "\"}", 1},
      {R"({"type":"image_url","image_url":{"url":"https://example.com/a.png"}})", 1},
      {R"({"type":"video_url","video_url":{"url":"data:video/mp4;base64,)" + big + "\"}}", 1},
      {R"({"image_url":{"url":"data:image/png;base64,)" + big + "\"}}", 1},
      {R"({"type":"text","text":"x"})", 0}};
  for (const auto& row : rows) {
    const auto facts = content("[" + row.part + "]");
    EXPECT_EQ(facts.media, row.media) << row.part.substr(0, 60);
    EXPECT_LT(facts.prompt_bytes, 200) << row.part.substr(0, 60);
    const auto two = content("[" + row.part + "," + row.part + "]");
    EXPECT_EQ(two.media, 2 * row.media) << row.part.substr(0, 60);
  }
}

TEST(prompt, text_that_only_looks_like_a_medium_counts_as_text) {
  const std::string text = "data:image/png;base64," + std::string(10'000, 'A');
  EXPECT_GE(content("\"" + text + "\"").prompt_bytes, 10'000);
  EXPECT_GE(content(R"([{"type":"text","text":")" + text + "\"}]").prompt_bytes, 10'000);
  EXPECT_GE(members(R"("prompt":")" + text + "\"", endpoint::completions).prompt_bytes, 10'000);
  EXPECT_GE(members(R"("tools":[{"source":{"data":")" + text + "\"}}]").prompt_bytes, 10'000);
  EXPECT_GE(
      content(R"([{"type":"image_url","image_url":{"url":")" + std::string(10'000, 'A') + "\"}}]")
          .prompt_bytes,
      10'000);
}

}  // namespace
}  // namespace weir::wire
