// The bodies of 200s: what is whole and what is not, however they are cut into reads.
#include "sim/stress_answer.hpp"

#include <gtest/gtest.h>

namespace weir::sim {
namespace {

constexpr std::string_view role = R"(data: {"choices":[{"delta":{"role":"assistant"}}]})"
                                  "\n\n";
constexpr std::string_view text = R"(data: {"choices":[{"delta":{"content":"Hi"}}]})"
                                  "\n\n";
constexpr std::string_view finish = R"(data: {"choices":[{"delta":{},"finish_reason":"stop"}]})"
                                    "\n\n";
constexpr std::string_view usage =
    R"(data: {"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":9,"total_tokens":14}})"
    "\n\n";
constexpr std::string_view done = "data: [DONE]\n\n";

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string all;
  for (const auto part : parts) all += part;
  return all;
}

answer_fault fault_of_stream(const std::string& body, std::size_t step = 1000) {
  answer_check check{true, "text/event-stream; charset=utf-8"};
  for (std::size_t at = 0; at < body.size(); at += step)
    check.feed(std::string_view{body}.substr(at, step));
  return check.finish();
}

TEST(stress_answer, a_whole_stream_has_no_fault_however_it_is_cut_into_reads) {
  const std::string body = joined({role, text, finish, usage, done});
  for (const std::size_t step : {1U, 2U, 7U, 50U, 1000U})
    EXPECT_EQ(fault_of_stream(body, step), answer_fault::none) << step;
}

TEST(stress_answer, what_a_stream_lacks_is_told_apart) {
  EXPECT_EQ(fault_of_stream(joined({role, text, finish, usage})), answer_fault::no_done);
  EXPECT_EQ(fault_of_stream(joined({role, text, done})), answer_fault::no_finish);
  EXPECT_EQ(fault_of_stream(""), answer_fault::no_done);
}

TEST(stress_answer, errors_and_broken_events_are_faults_even_before_done) {
  EXPECT_EQ(fault_of_stream(joined({role, "data: {\"error\":{\"message\":\"x\"}}\n\n", done})),
            answer_fault::error_event);
  EXPECT_EQ(fault_of_stream(joined({text, "data: {\"choices\":[\n\n", finish, done})),
            answer_fault::broken);
  EXPECT_EQ(fault_of_stream(joined({text, "data:\n\n", finish, done})), answer_fault::broken);
}

TEST(stress_answer, the_first_token_is_the_first_content_and_not_the_role) {
  answer_check check{true, "text/event-stream"};
  check.feed(role);
  EXPECT_FALSE(check.has_content());
  check.feed(text.substr(0, 20));
  EXPECT_FALSE(check.has_content());
  check.feed(text.substr(20));
  EXPECT_TRUE(check.has_content());
}

TEST(stress_answer, generated_tokens_are_those_of_the_last_usage) {
  answer_check check{true, "text/event-stream"};
  check.feed(joined({role, text, finish}));
  EXPECT_FALSE(check.tokens());
  check.feed(usage);
  EXPECT_EQ(check.tokens(), 9);
}

TEST(stress_answer, a_whole_answer_is_json_with_choices_and_no_error) {
  const auto fault = [](std::string_view body) {
    answer_check check{false, "application/json"};
    check.feed(body);
    return check.finish();
  };
  EXPECT_EQ(fault(R"({"choices":[{"message":{"content":"Hi"}}]})"), answer_fault::none);
  EXPECT_EQ(fault(R"({"choices":[]})"), answer_fault::no_choices);
  EXPECT_EQ(fault(R"({"error":{"message":"no"}})"), answer_fault::error_event);
  EXPECT_EQ(fault("<html>"), answer_fault::broken);
  EXPECT_EQ(fault(R"({"choices":[{})"), answer_fault::broken);
}

TEST(stress_answer, a_whole_answer_reports_its_tokens) {
  answer_check check{false, "application/json"};
  check.feed(R"({"choices":[{"message":{"content":"Hi"}}],"usage":{"prompt_tokens":1,)");
  check.feed(R"("completion_tokens":4,"total_tokens":5}})");
  EXPECT_EQ(check.finish(), answer_fault::none);
  EXPECT_EQ(check.tokens(), 4);
  EXPECT_FALSE(check.streamed());
}

TEST(stress_answer, another_kind_of_answer_than_was_asked_for_is_a_fault) {
  answer_check whole{true, "application/json"};
  whole.feed(R"({"choices":[{"message":{"content":"Hi"}}]})");
  EXPECT_EQ(whole.finish(), answer_fault::not_stream);
  answer_check streamed{false, "text/event-stream"};
  streamed.feed(joined({text, finish, done}));
  EXPECT_NE(streamed.finish(), answer_fault::none);
}

TEST(stress_answer, an_endless_event_or_answer_is_broken_and_not_kept) {
  answer_check stream{true, "text/event-stream"};
  answer_check whole{false, "application/json"};
  const std::string block(64 * 1024, 'x');
  stream.feed("data: ");
  for (int i = 0; i < 100; ++i) {
    stream.feed(block);
    whole.feed(block);
  }
  EXPECT_EQ(stream.finish(), answer_fault::broken);
  EXPECT_EQ(whole.finish(), answer_fault::broken);
}

}  // namespace
}  // namespace weir::sim
