// vLLM's endpoints as a client sees them, over a raw socket.
#include <gtest/gtest.h>

#include "running_sim.hpp"
#include "sim/answer_text.hpp"

namespace weir::sim {
namespace {

using nlohmann::json;

TEST(endpoints, a_whole_chat_answer_has_its_text_its_end_and_its_usage) {
  const running_sim sim;
  const auto reply = sim.chat(5, "", "X-Request-Id: req-1\r\n");
  ASSERT_EQ(reply.status, 200);
  EXPECT_EQ(reply.headers.at("content-type"), "application/json");
  EXPECT_EQ(reply.headers.at("x-request-id"), "req-1");
  const auto body = reply.json();
  EXPECT_EQ(body["object"], "chat.completion");
  EXPECT_EQ(body["id"], "chatcmpl-req-1");
  EXPECT_EQ(body["model"], "small");
  ASSERT_EQ(body["choices"].size(), 1U);
  const auto& choice = body["choices"][0];
  EXPECT_EQ(choice["finish_reason"], "length");
  EXPECT_EQ(count_tokens(choice["message"]["content"].get<std::string>()), 5);
  EXPECT_EQ(body["usage"]["prompt_tokens"], 8);
  EXPECT_EQ(body["usage"]["completion_tokens"], 5);
  EXPECT_EQ(body["usage"]["total_tokens"], 13);
}

TEST(endpoints, a_stream_is_one_event_per_token_in_a_chunk_of_its_own) {
  const running_sim sim;
  const auto reply = sim.stream(4);
  ASSERT_EQ(reply.status, 200);
  EXPECT_EQ(reply.headers.at("content-type"), "text/event-stream; charset=utf-8");
  EXPECT_TRUE(reply.complete);
  const auto events = events_of(reply);
  EXPECT_EQ(reply.chunks.size(), events.size());
  ASSERT_EQ(events.size(), 7U);  // role, four tokens, usage, [DONE]
  EXPECT_EQ(json::parse(events[0])["choices"][0]["delta"]["role"], "assistant");
  EXPECT_FALSE(json::parse(events[1]).contains("usage"));
  EXPECT_TRUE(json::parse(events[3])["choices"][0]["finish_reason"].is_null());
  EXPECT_EQ(json::parse(events[4])["choices"][0]["finish_reason"], "length");
  const auto usage = json::parse(events[5]);
  EXPECT_TRUE(usage["choices"].empty());
  EXPECT_EQ(usage["usage"]["completion_tokens"], 4);
  EXPECT_EQ(events[6], "[DONE]");
}

TEST(endpoints, usage_comes_only_when_asked_for_and_in_every_chunk_when_asked_for_that) {
  const running_sim sim;
  const auto silent = sim.chat(2, R"("stream":true)");
  EXPECT_EQ(silent.body.find("\"usage\""), std::string::npos);
  const auto running = events_of(sim.chat(
      3, R"("stream":true,"stream_options":{"include_usage":true,"continuous_usage_stats":true})"));
  ASSERT_EQ(running.size(), 6U);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(json::parse(running[i])["usage"]["completion_tokens"], i) << running[i];
}

TEST(endpoints, several_choices_come_side_by_side_and_are_all_counted) {
  const running_sim sim;
  const auto whole = sim.chat(3, R"("n":3)").json();
  EXPECT_EQ(whole["choices"].size(), 3U);
  EXPECT_EQ(whole["choices"][2]["index"], 2);
  EXPECT_EQ(whole["usage"]["completion_tokens"], 9);
  const auto stream = sim.chat(3, R"("n":2,"stream":true)");
  EXPECT_EQ(content_events(stream), 6);
}

TEST(endpoints, legacy_completions_take_lists_of_prompts) {
  const running_sim sim;
  const auto body =
      sim.post("/v1/completions", R"({"model":"small","prompt":["a b","c"],"max_tokens":2})")
          .json();
  EXPECT_EQ(body["object"], "text_completion");
  ASSERT_EQ(body["choices"].size(), 2U);
  EXPECT_LE(count_tokens(body["choices"][1]["text"].get<std::string>()), 2);
  EXPECT_EQ(body["usage"]["prompt_tokens"], 3);
  const auto stream =
      sim.post("/v1/completions", R"({"model":"small","prompt":"a","stream":true,"max_tokens":2})");
  EXPECT_EQ(json::parse(events_of(stream)[0])["object"], "text_completion");
}

TEST(endpoints, embeddings_come_as_floats_and_as_base64) {
  const running_sim sim;
  const auto floats =
      sim.post("/v1/embeddings", R"({"model":"small","input":["a","b c"],"dimensions":5})").json();
  ASSERT_EQ(floats["data"].size(), 2U);
  EXPECT_EQ(floats["data"][1]["embedding"].size(), 5U);
  EXPECT_EQ(floats["usage"]["prompt_tokens"], 3);
  const auto coded =
      sim.post("/v1/embeddings", R"({"model":"small","input":"a","encoding_format":"base64"})")
          .json();
  EXPECT_EQ(coded["data"][0]["embedding"].get<std::string>().size(), (64 * 4 + 2) / 3 * 4);
}

TEST(endpoints, a_response_streams_numbered_events_and_its_usage_in_the_last) {
  const running_sim sim;
  const auto reply = sim.post(
      "/v1/responses", R"({"model":"small","input":"hi","stream":true,"max_output_tokens":3})");
  EXPECT_TRUE(reply.complete);
  EXPECT_EQ(reply.body.find("[DONE]"), std::string::npos);
  const auto events = events_of(reply);
  for (std::size_t i = 0; i < events.size(); ++i) {
    const auto event = json::parse(events[i]);
    EXPECT_EQ(event["sequence_number"], i);
    EXPECT_NE(reply.body.find("event: " + event["type"].get<std::string>() + "\n"),
              std::string::npos);
  }
  EXPECT_EQ(json::parse(events.front())["type"], "response.created");
  const auto last = json::parse(events.back());
  const bool cut = last["type"] == "response.incomplete";
  EXPECT_TRUE(cut || last["type"] == "response.completed") << events.back();
  const auto produced = last["response"]["usage"]["output_tokens"].get<std::int64_t>();
  EXPECT_LE(produced, 3);
  EXPECT_EQ(count_tokens(last["response"]["output"][0]["content"][0]["text"].get<std::string>()),
            produced);
}

TEST(endpoints, a_whole_response_is_an_object_with_one_message) {
  const running_sim sim;
  const auto body =
      sim.post("/v1/responses", R"({"model":"small","input":"hi","max_output_tokens":1})").json();
  EXPECT_EQ(body["object"], "response");
  EXPECT_EQ(body["output"][0]["role"], "assistant");
  EXPECT_EQ(body["usage"]["output_tokens"], 1);
}

TEST(endpoints, mistakes_are_answered_as_vllm_answers_them) {
  const running_sim sim;
  const auto unknown =
      sim.post("/v1/chat/completions", R"({"model":"other","messages":[{"role":"user"}]})");
  EXPECT_EQ(unknown.status, 404);
  EXPECT_EQ(unknown.json()["error"]["code"], 404);
  EXPECT_EQ(sim.post("/v1/chat/completions", "{").status, 400);
  EXPECT_EQ(sim.post("/v1/chat/completions", R"({"model":"small"})").json()["error"]["param"],
            "messages");
  const auto too_long = sim.chat(1'000'000);
  EXPECT_EQ(too_long.status, 400);
  EXPECT_NE(too_long.error_message().find("maximum context length"), std::string::npos);
  EXPECT_EQ(sim.get("/v1/chat/completions").status, 405);
  EXPECT_EQ(sim.get("/nowhere").status, 404);
}

TEST(endpoints, a_star_takes_any_model) {
  auto options = quick_options();
  options.models = {"small", "*"};
  const running_sim sim{options};
  const auto reply = sim.post("/v1/completions", R"({"model":"org/other","prompt":"a"})");
  EXPECT_EQ(reply.json()["model"], "org/other");
  EXPECT_EQ(sim.get("/v1/models").json()["data"].size(), 1U);
}

TEST(endpoints, a_full_queue_is_a_503) {
  auto options = quick_options();
  options.engine.max_num_seqs = 1;
  options.engine.max_num_queued_reqs = 1;
  options.engine.step_base = 20s;
  const running_sim sim{options};
  caller first{sim.port()};
  first.post("/v1/chat/completions", running_sim::chat_body(9));
  ASSERT_TRUE(sim.wait_for("running", 1));
  caller second{sim.port()};
  second.post("/v1/chat/completions", running_sim::chat_body(9));
  ASSERT_TRUE(sim.wait_for("waiting", 1));
  const auto refused = sim.chat(9);
  EXPECT_EQ(refused.status, 503);
  EXPECT_NE(sim.get("/metrics").body.find(R"(reason="max_num_queued_reqs"} 1.0)"),
            std::string::npos);
}

TEST(endpoints, probes_models_tokenize_load_and_metrics_answer) {
  const running_sim sim;
  EXPECT_EQ(sim.get("/health").status, 200);
  EXPECT_EQ(sim.get("/ping").status, 200);
  EXPECT_EQ(sim.post("/ping", "").status, 200);
  EXPECT_EQ(sim.get("/version").json()["version"], "0.32.0");
  EXPECT_EQ(sim.get("/load").json()["server_load"], 0);
  const auto models = sim.get("/v1/models").json();
  EXPECT_EQ(models["data"][1]["id"], "large");
  EXPECT_EQ(models["data"][1]["max_model_len"], 32768);
  const auto tokens = sim.post("/tokenize", R"({"model":"small","prompt":"one two three"})").json();
  EXPECT_EQ(tokens["count"], 3);
  EXPECT_EQ(tokens["tokens"].size(), 3U);
  const auto metrics = sim.get("/metrics");
  EXPECT_EQ(metrics.headers.at("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_NE(metrics.body.find("vllm:num_requests_running{"), std::string::npos);
  EXPECT_NE(sim.get("/gpu/metrics").body.find("DCGM_FI_DEV_GPU_UTIL{"), std::string::npos);
}

TEST(endpoints, a_head_request_gets_no_body_and_a_broken_one_a_400) {
  const running_sim sim;
  caller c{sim.port()};
  c.send("HEAD /version HTTP/1.1\r\nHost: sim\r\n\r\nGET /load HTTP/1.1\r\nHost: sim\r\n\r\n");
  EXPECT_TRUE(c.read_until("\r\n\r\nHTTP/1.1 200"));
  caller broken{sim.port()};
  broken.send("GET / HTTP/1.1\r\nHost sim\r\n\r\n");
  EXPECT_EQ(broken.read().status, 400);
}

TEST(endpoints, the_same_seed_and_order_give_the_same_answers) {
  const auto texts = [] {
    const running_sim sim;
    std::vector<std::string> out;
    for (int i = 0; i < 4; ++i)
      out.push_back(sim.post("/v1/completions", R"({"model":"small","prompt":"a"})")
                        .json()["choices"][0]["text"]);
    return out;
  };
  const auto first = texts();
  EXPECT_EQ(first, texts());
  EXPECT_NE(first[0], first[1]);
}

TEST(endpoints, a_request_with_a_seed_of_its_own_gets_the_same_answer_again) {
  const running_sim sim;
  const auto ask = [&] {
    return sim.chat(6, R"("seed":42)").json()["choices"][0]["message"]["content"];
  };
  EXPECT_EQ(ask(), ask());
}

}  // namespace
}  // namespace weir::sim
