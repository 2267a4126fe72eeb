// URLs and options: what is taken, what is refused, what is sent.
#include "sim/stress_target.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace weir::sim {
namespace {

TEST(stress_target, a_base_is_taken_with_or_without_v1) {
  for (const char* url : {"http://gate:8080", "http://gate:8080/", "http://gate:8080/v1",
                          "http://gate:8080/v1/", "http://gate:8080/v1/chat/completions"}) {
    const auto target = read_target(url);
    ASSERT_TRUE(target) << url;
    EXPECT_EQ(target->host, "gate");
    EXPECT_EQ(target->port, 8080);
    EXPECT_EQ(target->authority, "gate:8080");
    EXPECT_EQ(target->path, "/v1/chat/completions") << url;
    EXPECT_FALSE(target->https);
  }
}

TEST(stress_target, ports_prefixes_and_addresses_are_understood) {
  EXPECT_EQ(read_target("http://gate")->port, 80);
  EXPECT_EQ(read_target("https://gate")->port, 443);
  EXPECT_TRUE(read_target("https://gate")->https);
  EXPECT_EQ(read_target("https://gate/llm")->path, "/llm/v1/chat/completions");
  const auto six = read_target("http://[::1]:9000/v1");
  ASSERT_TRUE(six);
  EXPECT_EQ(six->host, "::1");
  EXPECT_EQ(six->port, 9000);
  EXPECT_EQ(six->authority, "[::1]:9000");
}

TEST(stress_target, what_is_no_base_is_refused_with_what_was_expected) {
  for (const char* url : {"", "gate:8080", "ftp://gate", "http://", "http://:80", "http://gate:0",
                          "http://gate:65536", "http://gate:8o80", "http://gate:", "http://a@gate",
                          "http://gate/v1?x=1", "http://gate/v1#x", "http://gate/a b",
                          "http://[::1", "http://gate/\r\nx: y"}) {
    const auto target = read_target(url);
    ASSERT_FALSE(target) << url;
    EXPECT_NE(target.error().message.find("expected http://HOST"), std::string::npos);
  }
}

stress_options usual() {
  stress_options o;
  o.url = "http://127.0.0.1:8080";
  return o;
}

TEST(stress_plan, bodies_are_json_that_asks_for_what_was_said) {
  stress_options o = usual();
  o.model = "a \"quoted\" model";
  o.max_tokens = 7;
  o.prompt_bytes = 100;
  const auto plan = make_plan(o, {});
  ASSERT_TRUE(plan) << plan.error().message;
  for (const bool streamed : {false, true}) {
    const std::string& tail = plan->tail[streamed ? 1 : 0];
    const auto blank = tail.find("\r\n\r\n");
    const auto body = nlohmann::json::parse(tail.substr(blank + 4));
    EXPECT_EQ(tail.substr(0, blank), "Content-Length: " + std::to_string(tail.size() - blank - 4));
    EXPECT_EQ(body["model"], o.model);
    EXPECT_EQ(body["max_tokens"], 7);
    EXPECT_EQ(body["messages"][0]["content"].get<std::string>().size(), 100U);
    EXPECT_EQ(body.value("stream", false), streamed);
    if (streamed) EXPECT_EQ(body["stream_options"]["include_usage"], true);
  }
  EXPECT_TRUE(plan->head.starts_with("POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:8080"));
}

TEST(stress_plan, with_a_secret_every_user_has_a_token_of_its_own) {
  stress_options o = usual();
  o.users = 3;
  o.secret = "0123456789abcdef0123456789abcdef";
  const auto plan = make_plan(o, {mono_time{1s}, wall_time{std::chrono::seconds{1'796'083'200}}});
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ(plan->authorization.size(), 3U);
  EXPECT_NE(plan->authorization[0], plan->authorization[1]);
  for (const auto& line : plan->authorization) {
    EXPECT_TRUE(line.starts_with("Authorization: Bearer ey"));
    EXPECT_TRUE(line.ends_with("\r\n"));
    EXPECT_EQ(line.find(o.secret), std::string::npos);
  }
  EXPECT_EQ(identity_of(*plan, 2), 2U);
}

TEST(stress_plan, tokens_are_shared_out_and_a_key_is_everybodys) {
  stress_options o = usual();
  o.users = 5;
  o.tokens = {"one", "two"};
  auto plan = make_plan(o, {});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->authorization.size(), 2U);
  EXPECT_EQ(identity_of(*plan, 4), 0U);
  o.tokens.clear();
  o.api_key = "sk-weir-x";
  plan = make_plan(o, {});
  EXPECT_EQ(plan->authorization, std::vector<std::string>{"Authorization: Bearer sk-weir-x\r\n"});
  o.api_key.clear();
  EXPECT_EQ(make_plan(o, {})->authorization, std::vector<std::string>{""});
}

// One option out of its range, and how the refusal begins.
struct mistake {
  const char* begins;
  void (*make)(stress_options&);
};

TEST(stress_plan, each_option_out_of_range_is_refused_by_name) {
  const mistake mistakes[] = {
      {"URL", [](stress_options& o) { o.url = "nowhere"; }},
      {"--users", [](stress_options& o) { o.users = 0; }},
      {"--users", [](stress_options& o) { o.users = 100'001; }},
      {"--rate", [](stress_options& o) { o.rate = 0; }},
      {"--rate", [](stress_options& o) { o.rate = std::numeric_limits<double>::quiet_NaN(); }},
      {"--users and --rate", [](stress_options& o) { o.users = 10'000, o.rate = 1000; }},
      {"--duration", [](stress_options& o) { o.duration = 0s; }},
      {"--duration", [](stress_options& o) { o.duration = 25h; }},
      {"--ramp", [](stress_options& o) { o.ramp = 61s; }},
      {"--jitter", [](stress_options& o) { o.jitter = 1.1; }},
      {"--stream", [](stress_options& o) { o.stream = -0.1; }},
      {"--model", [](stress_options& o) { o.model.clear(); }},
      {"--max-tokens", [](stress_options& o) { o.max_tokens = 0; }},
      {"--prompt-bytes", [](stress_options& o) { o.prompt_bytes = 0; }},
      {"--in-flight", [](stress_options& o) { o.in_flight = 0; }},
      {"--timeout", [](stress_options& o) { o.timeout = 0s; }},
      {"--limit", [](stress_options& o) { o.limit = -1; }},
      {"--pressure", [](stress_options& o) { o.pressure = -1; }},
      {"--max-variation", [](stress_options& o) { o.max_variation = 0; }},
      {"--key", [](stress_options& o) { o.api_key = "two words"; }},
      {"--key", [](stress_options& o) { o.api_key = "a\r\nX: y"; }},
      {"--secret", [](stress_options& o) { o.api_key = "k", o.secret = "s"; }},
  };
  for (const auto& one : mistakes) {
    stress_options o = usual();
    one.make(o);
    const auto plan = make_plan(o, {});
    ASSERT_FALSE(plan) << one.begins;
    EXPECT_TRUE(plan.error().message.starts_with(one.begins)) << plan.error().message;
  }
}

}  // namespace
}  // namespace weir::sim
