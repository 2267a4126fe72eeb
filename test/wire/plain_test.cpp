// Plain chat in, chat out.
#include "wire/plain.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

#include "wire/openai.hpp"

namespace weir::wire {
namespace {

std::string chat_of(std::string_view body, std::string_view model = "") {
  std::string out;
  body_error error;
  EXPECT_TRUE(plain_to_chat(body, model, 128, out, error)) << body << ": " << error.message;
  return out;
}

body_error refusal_of(std::string_view body) {
  std::string out;
  body_error error;
  EXPECT_FALSE(plain_to_chat(body, "", 128, out, error)) << body;
  return error;
}

TEST(plain, a_message_becomes_a_chat_of_one_message) {
  EXPECT_EQ(chat_of(R"({"model":"small","message":"say \"hi\"\u00e9"})"),
            R"({"model":"small","messages":[{"role":"user","content":"say \"hi\"\u00e9"}]})");
  request_facts facts;
  body_error error;
  EXPECT_TRUE(read_request(chat_of(R"({"message":"hi","model":"small","stream":true})"),
                           endpoint::chat, 128, facts, error));
  EXPECT_TRUE(facts.stream);
  EXPECT_EQ(facts.messages, 1);
}

TEST(plain, user_id_is_left_out_and_all_else_passes) {
  EXPECT_EQ(
      chat_of(R"({ "user_id" : 7, "message":"hi","max_tokens": 5 ,"x":{"user_id":[1, 2]}})"),
      R"({"max_tokens":5,"x":{"user_id":[1, 2]},"messages":[{"role":"user","content":"hi"}]})");
}

TEST(plain, a_full_chat_body_is_taken_as_it_is) {
  const std::string body = "{ \"model\":\"small\" ,\n \"messages\":[ ] }";
  EXPECT_EQ(chat_of(body), body);
  EXPECT_EQ(chat_of(body, "ignored"), body);
}

TEST(plain, the_model_of_the_query_counts_only_without_one_in_the_body) {
  EXPECT_EQ(chat_of(R"({"message":"hi"})", "a\"b"),
            R"({"model":"a\"b","messages":[{"role":"user","content":"hi"}]})");
  EXPECT_EQ(chat_of(R"({"model":"small","message":"hi"})", "large"),
            R"({"model":"small","messages":[{"role":"user","content":"hi"}]})");
  EXPECT_EQ(chat_of(R"({"mod\u0065l":"small","messages":[]})", "large"),
            R"({"mod\u0065l":"small","messages":[]})");
}

TEST(plain, what_is_no_plain_chat_is_refused_with_the_reason) {
  EXPECT_EQ(refusal_of(R"({"model":"small"})").code, "missing_value");
  EXPECT_EQ(refusal_of(R"({"message":5})").param, "message");
  EXPECT_EQ(refusal_of(R"({"message":["a"]})").code, "invalid_value");
  EXPECT_EQ(refusal_of(R"({"message":"a","messages":[]})").code, "invalid_value");
  EXPECT_EQ(refusal_of(R"({"message":"a","message":"b"})").code, "duplicate_key");
  EXPECT_EQ(refusal_of(R"({"message":"a","mess\u0061ge":"b"})").code, "duplicate_key");
  EXPECT_EQ(refusal_of(R"({"model":"a","model":"b","message":"b"})").code, "duplicate_key");
  EXPECT_EQ(refusal_of("[]").code, "invalid_json");
  EXPECT_EQ(refusal_of(R"({"message":"a")").code, "invalid_json");
}

TEST(plain, an_answer_is_wrapped) {
  const std::string answer =
      std::string{plain_answer_begin} + R"({"id":"c1"})" + "\n" + std::string{plain_answer_end};
  const auto parsed = nlohmann::json::parse(answer);
  EXPECT_EQ(parsed["status"], "ok");
  EXPECT_EQ(parsed["result"]["id"], "c1");
  EXPECT_EQ(parsed.size(), 2U);
}

}  // namespace
}  // namespace weir::wire
