// The facts of a request: what decides about limits and routing, and what is refused because two
// readers could understand it in two ways.
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "wire/count.hpp"
#include "wire/openai.hpp"

namespace weir::wire {
namespace {

request_facts facts_of(std::string_view body, endpoint at = endpoint::chat) {
  request_facts facts;
  body_error error;
  EXPECT_TRUE(read_request(body, at, 128, facts, error)) << body << ": " << error.message;
  return facts;
}

body_error refusal_of(std::string_view body, endpoint at = endpoint::chat) {
  request_facts facts;
  body_error error;
  EXPECT_FALSE(read_request(body, at, 128, facts, error)) << body;
  EXPECT_EQ(error.status, 400);
  EXPECT_FALSE(error.message.empty());
  return error;
}

std::string with(std::string_view member) {
  return R"({"model":"small","messages":[],)" + std::string{member} + "}";
}

TEST(request, the_plain_case_is_read_whole) {
  const std::string body =
      R"({"model": "small", "messages":[{"role":"user","content":"hello"}],"stream":true,)"
      R"("stream_options":{"include_usage":true},"n":2,"max_tokens":100,"user":"somebody"})";
  const auto facts = facts_of(body);
  EXPECT_EQ(facts.model, "small");
  EXPECT_EQ(body.substr(facts.model_value.offset, facts.model_value.size), "\"small\"");
  EXPECT_TRUE(facts.stream);
  EXPECT_TRUE(facts.include_usage);
  EXPECT_EQ(facts.answers, 2);
  EXPECT_EQ(facts.max_tokens, 100);
  EXPECT_EQ(facts.messages, 1);
  EXPECT_EQ(facts.media, 0);
  EXPECT_EQ(facts.prompt_bytes, 9) << "user, hello";
  EXPECT_EQ(facts.root, 0U);
}

// BC-115
TEST(request, the_model_must_be_one_exact_string) {
  EXPECT_EQ(facts_of(R"({"model":"hf.co/org/Name-30B-GGUF:Q4_K_M"})").model,
            "hf.co/org/Name-30B-GGUF:Q4_K_M");
  EXPECT_EQ(facts_of(R"({"model":"SMALL"})").model, "SMALL") << "matched exactly, later";
  EXPECT_EQ(facts_of(R"({"mod\u0065l":"sm\u0061ll"})").model, "small");
  EXPECT_EQ(facts_of("{\"model\":\"a\\\"b\\\\c {e}\xC3\xA9\"}").model, "a\"b\\c {e}\xC3\xA9");
  for (const std::string value :
       {R"(" small")", R"("small ")", R"("small\u0000large")", R"("small\n")", R"("a\u007fb")",
        "\"\"", R"(["large"])", "null", "1", "true", R"({"a":"b"})", R"("\ud83d")"}) {
    const auto error = refusal_of(R"({"messages":[],"model":)" + value + "}");
    EXPECT_EQ(error.param, "model") << value;
    EXPECT_EQ(error.code, "invalid_value") << value;
  }
  EXPECT_EQ(refusal_of("{\"model\":\"" + std::string(257, 'a') + "\"}").param, "model");
  const auto missing = refusal_of(R"({"messages":[]})");
  EXPECT_EQ(missing.code, "missing_value");
  EXPECT_EQ(missing.param, "model");
}

// BC-115
TEST(request, no_field_can_make_an_engine_serve_another_model) {
  struct {
    std::string member;
    std::string param;
  } const rows[] = {{R"("models":["large"])", "models"},
                    {R"("route":"fallback")", "route"},
                    {R"("fallbacks":[])", "fallbacks"},
                    {R"("provider":{"order":[]})", "provider"},
                    {R"("r\u006fute":"fallback")", "route"},
                    {R"("extra_body":{"model":"large"})", "extra_body.model"},
                    {R"("extra_body":{"a":1,"m\u006fdels":["large"]})", "extra_body.models"},
                    {R"("extra_body":{"provider":{}})", "extra_body.provider"},
                    {R"("extra_body":{"MODEL":"large"})", "extra_body.model"}};
  for (const auto& row : rows) {
    const auto error = refusal_of(with(row.member));
    EXPECT_EQ(error.code, "unsupported_parameter") << row.member;
    EXPECT_EQ(error.param, row.param) << row.member;
    EXPECT_NE(error.message.find(row.param), std::string::npos);
  }
  EXPECT_EQ(facts_of(with(R"("metadata":{"model":"large","route":"x"})")).model, "small");
  EXPECT_EQ(facts_of(with(R"("extra_body":{"deep":{"model":"large"}})")).model, "small");
}

TEST(request, a_member_that_stands_twice_is_refused) {
  for (const std::string member :
       {R"("model":"large")", R"("mod\u0065l":"large")", R"("messages":[])", R"("a":1,"a":1)",
        R"("\u0061":1,"a":1)", R"("max_tokens":1,"max_tokens":2)"}) {
    EXPECT_EQ(refusal_of(with(member)).code, "duplicate_key") << member;
  }
  const auto options =
      refusal_of(with(R"("stream_options":{"include_usage":false,"include_us\u0061ge":true})"));
  EXPECT_EQ(options.code, "duplicate_key");
  EXPECT_EQ(options.param, "stream_options.include_usage");
  facts_of(with(R"("metadata":{"a":1,"a":2})"));
  const auto quiet = refusal_of(with(R"("my secret":1,"my secret":1)"));
  EXPECT_EQ(quiet.param + quiet.message.substr(0, 0), "");
  EXPECT_EQ(quiet.message.find("secret"), std::string::npos);
}

TEST(request, a_spelling_that_some_engines_take_for_a_field_is_refused) {
  struct {
    std::string member;
    std::string param;
  } const rows[] = {{R"("Model":"large")", "model"},     {R"("MODEL":"large")", "model"},
                    {R"("Stream":true)", "stream"},      {R"("N":100)", "n"},
                    {R"("Max_Tokens":5)", "max_tokens"}, {R"("max_to\u212aens":5)", "max_tokens"},
                    {R"("Route":"fallback")", "route"},  {R"("\u017ftream":true)", "stream"}};
  for (const auto& row : rows) {
    const auto error = refusal_of(with(row.member));
    EXPECT_EQ(error.code, "invalid_value") << row.member;
    EXPECT_EQ(error.param, row.param) << row.member;
  }
  facts_of(with(R"("Modell":"x","modeL2":"y")"));
}

TEST(request, types_that_engines_would_read_in_two_ways_are_refused) {
  struct {
    std::string member;
    std::string param;
  } const rows[] = {
      {R"("stream":"true")", "stream"},
      {R"("stream":1)", "stream"},
      {R"("n":"5")", "n"},
      {R"("max_tokens":"5")", "max_tokens"},
      {R"("max_tokens":true)", "max_tokens"},
      {R"("max_completion_tokens":[5])", "max_completion_tokens"},
      {R"("max_output_tokens":{"a":5})", "max_output_tokens"},
      {R"("stream_options":"x")", "stream_options"},
      {R"("stream_options":[])", "stream_options"},
      {R"("stream_options":{"include_usage":"true"})", "stream_options.include_usage"}};
  for (const auto& row : rows) {
    const auto error = refusal_of(with(row.member));
    EXPECT_EQ(error.code, "invalid_value") << row.member;
    EXPECT_EQ(error.param, row.param) << row.member;
    EXPECT_NE(error.message.find("at byte "), std::string::npos) << error.message;
  }
}

TEST(request, null_is_as_good_as_absent) {
  const auto facts = facts_of(
      with(R"("stream":null,"n":null,"max_tokens":null,"stream_options":null,"user":null)"));
  EXPECT_FALSE(facts.stream);
  EXPECT_FALSE(facts.include_usage);
  EXPECT_EQ(facts.answers, 1);
  EXPECT_EQ(facts.max_tokens, std::nullopt);
}

// BC-076
TEST(request, the_number_of_answers_is_counted_and_never_below_one) {
  struct {
    std::string member;
    std::int64_t answers;
  } const rows[] = {{R"("n":5)", 5},
                    {R"("n":0)", 1},
                    {R"("n":-3)", 1},
                    {R"("n":1000000)", 1000000},
                    {R"("n":2.5)", 3},
                    {R"("n":true)", 1},
                    {R"("n":[7])", 1},
                    {R"("n":1e2)", 100},
                    {R"("n":1e400)", largest_count},
                    {R"("best_of":20)", 1},
                    {R"("n":99999999999999999999)", largest_count}};
  for (const auto& row : rows)
    EXPECT_EQ(facts_of(with(row.member)).answers, row.answers) << row.member;
}

TEST(request, completions_answer_each_prompt_and_generate_best_of) {
  const auto answers = [](std::string_view members) {
    return facts_of(R"({"model":"small",)" + std::string{members} + "}", endpoint::completions)
        .answers;
  };
  EXPECT_EQ(answers(R"("prompt":"a","best_of":20,"n":2)"), 20);
  EXPECT_EQ(answers(R"("prompt":["a","b","c"],"n":2)"), 6);
  EXPECT_EQ(answers(R"("n":2,"prompt":[[1,2],[3]])"), 4);
  EXPECT_EQ(answers(R"("prompt":[1,2,3])"), 1) << "one prompt, as tokens";
  EXPECT_EQ(answers(R"("prompt":[])"), 1);
  EXPECT_EQ(answers(R"("prompt":["a","b"],"n":1e300)"), largest_count);
}

TEST(request, the_largest_max_field_counts) {
  struct {
    std::string member;
    std::optional<std::int64_t> amount;
  } const rows[] = {{R"("max_tokens":5,"max_completion_tokens":9)", 9},
                    {R"("max_completion_tokens":9,"max_tokens":5)", 9},
                    {R"("max_tokens":5,"max_output_tokens":100,"max_completion_tokens":null)", 100},
                    {R"("max_tokens":5,"n_predict":70)", 70},
                    {R"("max_tokens":0)", 0},
                    {R"("max_tokens":-1)", std::nullopt},
                    {R"("max_tokens":null)", std::nullopt},
                    {R"("max_tokens":1e999999999)", largest_count},
                    {R"("temperature":-0)", std::nullopt}};
  for (const auto& row : rows)
    EXPECT_EQ(facts_of(with(row.member)).max_tokens, row.amount) << row.member;
}

TEST(request, only_fields_that_engines_obey_bound_an_answer) {
  const auto obeyed = [](std::string_view member, endpoint at) {
    return facts_of(with(member), at).max_fields.front().obeyed;
  };
  EXPECT_TRUE(obeyed(R"("max_tokens":5)", endpoint::chat));
  EXPECT_TRUE(obeyed(R"("max_completion_tokens":5)", endpoint::chat));
  EXPECT_FALSE(obeyed(R"("max_output_tokens":5)", endpoint::chat));
  EXPECT_FALSE(obeyed(R"("n_predict":5)", endpoint::chat));
  EXPECT_FALSE(obeyed(R"("max_completion_tokens":5)", endpoint::completions));
  EXPECT_TRUE(obeyed(R"("max_output_tokens":5)", endpoint::responses));
  EXPECT_FALSE(obeyed(R"("max_tokens":5)", endpoint::responses));
}

// BC-117
TEST(request, what_is_no_object_is_refused) {
  for (const std::string_view body : {"\"\"", "null", "[]", "1", ""})
    EXPECT_EQ(refusal_of(body).code, "invalid_json") << body;
}

// BC-117
TEST(request, bombs_are_refused_or_harmless) {
  EXPECT_EQ(refusal_of(R"({"model":"small","messages":)" + std::string(100000, '[')).code,
            "invalid_json");
  std::string many = R"({"model":"small")";
  for (int i = 0; i < 5000; ++i) many += ",\"k" + std::to_string(i) + "\":1";
  EXPECT_NE(refusal_of(many + "}").message.find("4096"), std::string::npos);
  std::string nested = R"({"model":"small","metadata":{"k":0)";
  for (int i = 0; i < 20000; ++i) nested += ",\"k" + std::to_string(i) + "\":1";
  facts_of(nested + "}}");
  facts_of(with(R"("seed":)" + std::string(100, '7') + R"(,"x":1e999999999,"temperature":-0)"));
  facts_of(with(R"("note":")" + std::string(20'000'000, 'a') + "\""));
  facts_of(std::string(5'000'000, ' ') + R"({"model":"small"})");
}

}  // namespace
}  // namespace weir::wire
