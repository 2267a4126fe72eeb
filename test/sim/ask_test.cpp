// Bodies of requests.
#include "sim/ask.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace weir::sim {
namespace {

ask read(sim_api api, std::string_view body) {
  ask out;
  sim_error error;
  EXPECT_TRUE(read_ask(api, body, out, error)) << error.message;
  return out;
}

sim_error refused(sim_api api, std::string_view body) {
  ask out;
  sim_error error;
  EXPECT_FALSE(read_ask(api, body, out, error)) << body;
  EXPECT_EQ(error.status, 400);
  return error;
}

TEST(ask, a_chat_request_is_read_with_everything_that_bounds_it) {
  const auto a =
      read(sim_api::chat,
           R"({"model":"m","messages":[{"role":"user","content":"one two"}],"stream":true,
      "stream_options":{"include_usage":true,"continuous_usage_stats":true},"max_tokens":9,"n":2,
      "max_completion_tokens":7,"ignore_eos":true,"min_tokens":3,"seed":-5,"unknown":{}})");
  EXPECT_EQ(a.model, "m");
  EXPECT_TRUE(a.stream && a.include_usage && a.continuous_usage && a.ignore_eos);
  EXPECT_EQ(a.max_tokens, 7);
  EXPECT_EQ(a.n, 2);
  EXPECT_EQ(a.min_tokens, 3);
  EXPECT_TRUE(a.seed);
  EXPECT_EQ(a.prompts, (std::vector<std::int64_t>{2 + 4 + 3}));
}

TEST(ask, null_is_no_bound_and_a_legacy_completion_has_sixteen) {
  EXPECT_FALSE(read(sim_api::chat, R"({"messages":[{}],"max_tokens":null})").max_tokens);
  EXPECT_EQ(read(sim_api::completions, R"({"prompt":"a"})").max_tokens, 16);
}

TEST(ask, prompts_come_as_text_lists_and_token_numbers) {
  const auto prompts = [](std::string_view body) {
    return read(sim_api::completions, body).prompts;
  };
  EXPECT_EQ(prompts(R"({"prompt":"a b c"})"), (std::vector<std::int64_t>{3}));
  EXPECT_EQ(prompts(R"({"prompt":["a","b c"]})"), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(prompts(R"({"prompt":[1,2,3,4]})"), (std::vector<std::int64_t>{4}));
  EXPECT_EQ(prompts(R"({"prompt":[[1,2],[3]]})"), (std::vector<std::int64_t>{2, 1}));
  EXPECT_EQ(prompts(R"({"prompt":""})"), (std::vector<std::int64_t>{1}));
}

TEST(ask, pictures_cost_a_fixed_number_of_tokens) {
  const auto a = read(sim_api::chat, R"({"messages":[{"role":"user","content":[
      {"type":"text","text":"what is this"},
      {"type":"image_url","image_url":{"url":"data:..."}}]}]})");
  EXPECT_EQ(a.prompts.front(), 3 + 256 + 4 + 3);
}

TEST(ask, mistakes_name_the_field) {
  EXPECT_EQ(refused(sim_api::chat, "{").param, "");
  EXPECT_EQ(refused(sim_api::chat, "[]").param, "");
  EXPECT_EQ(refused(sim_api::chat, R"({"messages":[]})").param, "messages");
  EXPECT_EQ(refused(sim_api::chat, R"({"messages":[{}],"max_tokens":0})").param, "max_tokens");
  EXPECT_EQ(refused(sim_api::chat, R"({"messages":[{}],"max_tokens":1.5})").param, "max_tokens");
  EXPECT_EQ(refused(sim_api::chat, R"({"messages":[{}],"n":1000})").param, "n");
  EXPECT_EQ(refused(sim_api::chat, R"({"messages":[{}],"model":7})").param, "model");
  EXPECT_EQ(refused(sim_api::embeddings, R"({"input":[]})").param, "input");
  EXPECT_EQ(refused(sim_api::responses, R"({"input":7})").param, "input");
}

TEST(ask, an_error_is_told_as_vllm_tells_it) {
  const auto body =
      nlohmann::json::parse(error_json({404, "NotFoundError", "no \"such\" model", "model"}));
  EXPECT_EQ(body["error"]["message"], "no \"such\" model");
  EXPECT_EQ(body["error"]["type"], "NotFoundError");
  EXPECT_EQ(body["error"]["param"], "model");
  EXPECT_EQ(body["error"]["code"], 404);
  EXPECT_TRUE(nlohmann::json::parse(error_json({}))["error"]["param"].is_null());
}

}  // namespace
}  // namespace weir::sim
