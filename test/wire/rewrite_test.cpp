// The body that goes to the engine: the wanted changes are in it, and nothing else has changed.
#include <gtest/gtest.h>
#include <string>

#include "wire/openai.hpp"

namespace weir::wire {
namespace {

std::string rewritten(std::string_view body, const rewrite_wish& wish,
                      endpoint at = endpoint::chat) {
  request_facts facts;
  body_error error;
  EXPECT_TRUE(read_request(body, at, 128, facts, error)) << body << ": " << error.message;
  const rewrite change{body, at, facts, wish};
  std::string out;
  for (const auto piece : change.pieces()) out += piece;
  EXPECT_EQ(out.size(), change.size());
  request_facts again;
  EXPECT_TRUE(read_request(out, at, 128, again, error)) << out << ": " << error.message;
  return out;
}

TEST(rewrite, without_a_wish_every_byte_stays) {
  const std::string body =
      "  {\"model\" : \"small\",\r\n \"seed\":12345678901234567890, \"t\":0.1,\"x\":\"\\ud83d\"} "
      "\n";
  EXPECT_EQ(rewritten(body, {}), body);
  EXPECT_EQ(rewritten(body, {.model = "small"}), body);
}

TEST(rewrite, pieces_point_into_the_body_where_nothing_changed) {
  const std::string body = R"({"model":"small","messages":[]})";
  request_facts facts;
  body_error error;
  ASSERT_TRUE(read_request(body, endpoint::chat, 128, facts, error));
  const rewrite change{body, endpoint::chat, facts, {.model = "other"}};
  ASSERT_EQ(change.pieces().size(), 3U);
  EXPECT_EQ(change.pieces()[0].data(), body.data());
  EXPECT_EQ(change.pieces()[2].data(), body.data() + 16);
}

TEST(rewrite, the_model_becomes_the_engines_name_for_it) {
  EXPECT_EQ(rewritten(R"({"a":1, "model" : "small" ,"b":"small"})", {.model = "org/Big:8b"}),
            R"({"a":1, "model" : "org/Big:8b" ,"b":"small"})");
  EXPECT_EQ(rewritten(R"({"model":"small"})", {.model = "a\"b\\c\xC3\xA9"}),
            "{\"model\":\"a\\\"b\\\\c\xC3\xA9\"}");
}

TEST(rewrite, a_bound_is_written_where_none_stands) {
  const rewrite_wish wish{.max_tokens = 500};
  EXPECT_EQ(rewritten(R"( {"model":"m"})", wish), R"( {"max_tokens":500,"model":"m"})");
  EXPECT_EQ(rewritten(R"({"model":"m"})", wish, endpoint::completions),
            R"({"max_tokens":500,"model":"m"})");
  EXPECT_EQ(rewritten(R"({"model":"m"})", wish, endpoint::responses),
            R"({"max_output_tokens":500,"model":"m"})");
}

TEST(rewrite, null_is_filled_in_under_the_name_the_caller_used) {
  const rewrite_wish wish{.max_tokens = 500};
  EXPECT_EQ(rewritten(R"({"model":"m","max_completion_tokens":null})", wish),
            R"({"model":"m","max_completion_tokens":500})");
  EXPECT_EQ(rewritten(R"({"model":"m","max_tokens":null})", wish),
            R"({"model":"m","max_tokens":500})");
  EXPECT_EQ(rewritten(R"({"model":"m","max_tokens":null,"max_completion_tokens":7})", wish),
            R"({"model":"m","max_tokens":null,"max_completion_tokens":7})");
}

TEST(rewrite, a_larger_maximum_is_lowered_and_a_smaller_one_stays) {
  const rewrite_wish wish{.max_tokens = 500};
  EXPECT_EQ(rewritten(R"({"max_tokens":501,"model":"m"})", wish),
            R"({"max_tokens":500,"model":"m"})");
  EXPECT_EQ(rewritten(R"({"max_tokens":1e9,"model":"m"})", wish),
            R"({"max_tokens":500,"model":"m"})");
  EXPECT_EQ(rewritten(R"({"max_tokens":499,"model":"m"})", wish),
            R"({"max_tokens":499,"model":"m"})");
  EXPECT_EQ(rewritten(R"({"max_tokens":0,"model":"m"})", wish), R"({"max_tokens":0,"model":"m"})");
  EXPECT_EQ(rewritten(R"({"max_tokens":9,"max_completion_tokens":900,"model":"m"})", wish),
            R"({"max_tokens":9,"max_completion_tokens":500,"model":"m"})");
}

TEST(rewrite, minus_one_is_not_without_end) {
  const rewrite_wish wish{.max_tokens = 500};
  EXPECT_EQ(rewritten(R"({"max_tokens":-1,"model":"m"})", wish),
            R"({"max_tokens":500,"model":"m"})");
  EXPECT_EQ(rewritten(R"({"max_tokens":5,"n_predict":-1,"model":"m"})", wish),
            R"({"max_tokens":5,"n_predict":500,"model":"m"})");
}

TEST(rewrite, a_field_that_engines_ignore_is_no_bound) {
  EXPECT_EQ(rewritten(R"({"max_output_tokens":5,"model":"m"})", {.max_tokens = 5}),
            R"({"max_tokens":5,"max_output_tokens":5,"model":"m"})");
  EXPECT_EQ(rewritten(R"({"max_tokens":5,"model":"m"})", {.max_tokens = 5}, endpoint::responses),
            R"({"max_output_tokens":5,"max_tokens":5,"model":"m"})");
}

TEST(rewrite, usage_is_asked_for_in_every_state_of_stream_options) {
  const rewrite_wish wish{.ask_for_usage = true};
  struct {
    std::string before;
    std::string after;
  } const rows[] = {
      {R"({"model":"m"})", R"({"stream_options":{"include_usage":true},"model":"m"})"},
      {R"({"model":"m","stream_options":null})",
       R"({"model":"m","stream_options":{"include_usage":true}})"},
      {R"({"model":"m","stream_options":{}})",
       R"({"model":"m","stream_options":{"include_usage":true}})"},
      {R"({"model":"m","stream_options":{ "a":[1] }})",
       R"({"model":"m","stream_options":{"include_usage":true, "a":[1] }})"},
      {R"({"model":"m","stream_options":{"a":{},"include_usage":false}})",
       R"({"model":"m","stream_options":{"a":{},"include_usage":true}})"},
      {R"({"model":"m","stream_options":{"include_usage":null}})",
       R"({"model":"m","stream_options":{"include_usage":true}})"},
      {R"({"model":"m","stream_options":{"include_usage":true}})",
       R"({"model":"m","stream_options":{"include_usage":true}})"},
      {R"({"stream_opt\u0069ons":{"include_\u0075sage":false},"model":"m"})",
       R"({"stream_opt\u0069ons":{"include_\u0075sage":true},"model":"m"})"}};
  for (const auto& row : rows) EXPECT_EQ(rewritten(row.before, wish), row.after);
}

TEST(rewrite, all_changes_go_together) {
  EXPECT_EQ(rewritten(R"({"stream":true,"max_tokens":900,"model":"m","messages":[]})",
                      {.model = "n", .max_tokens = 100, .ask_for_usage = true}),
            R"({"stream_options":{"include_usage":true},"stream":true,"max_tokens":100,)"
            R"("model":"n","messages":[]})");
}

}  // namespace
}  // namespace weir::wire
