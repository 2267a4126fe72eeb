// Whole configurations: what ships, what is told apart, all mistakes at once, and the shared
// example.
#include "config/loader.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>

#include "config/dump.hpp"

namespace weir::config {
namespace {

using policy::algorithm;

std::filesystem::path tree() {
  return std::filesystem::path{__FILE__}.parent_path().parent_path().parent_path();
}

void expect_limit(const std::vector<limit_settings>& limits, std::size_t at, std::int64_t amount,
                  policy::unit unit, algorithm how) {
  ASSERT_GT(limits.size(), at);
  const auto& spec = limits[at].rule.spec();
  EXPECT_EQ(spec.amount, amount) << limits[at].where;
  EXPECT_EQ(spec.unit, unit) << limits[at].where;
  EXPECT_EQ(spec.algorithm, how) << limits[at].where;
  EXPECT_EQ(spec.window, microseconds{1min}) << limits[at].where;
}

TEST(without_a_file, the_limits_of_the_contract_hold) {
  const auto value = defaults();
  const auto requests = policy::unit::requests;
  expect_limit(value.tiers.at("FREE").limits, 0, 10, requests, algorithm::token_bucket);
  expect_limit(value.tiers.at("PRO").limits, 0, 60, requests, algorithm::token_bucket);
  expect_limit(value.tiers.at("ENTERPRISE").limits, 0, 300, requests, algorithm::token_bucket);
  expect_limit(value.tiers.at("AGENT").limits, 0, 20, requests, algorithm::sliding_window);
  expect_limit(value.tiers.at("AGENT").limits, 1, 60000, policy::unit::tokens,
               algorithm::sliding_window);
  expect_limit(value.models.at("llama3.1:70b").limits, 0, 5, requests, algorithm::token_bucket);
  expect_limit(value.models.at("llama3.1:8b").limits, 0, 200, requests, algorithm::token_bucket);
  expect_limit(value.models.at("mistral:7b").limits, 0, 150, requests, algorithm::token_bucket);
  expect_limit(value.models.at("*").limits, 0, 50, requests, algorithm::token_bucket);
  EXPECT_TRUE(value.tiers.at("FREE").limits[0].per.user);
  EXPECT_FALSE(value.tiers.at("FREE").limits[0].per.model);
  EXPECT_TRUE(value.models.at("*").limits[0].per.model);
  EXPECT_FALSE(value.models.at("*").limits[0].per.user);
}

TEST(without_a_file, calls_go_to_an_engine_on_this_machine) {
  const auto value = defaults();
  ASSERT_EQ(value.providers.size(), 1U);
  const auto& provider = value.providers.begin()->second;
  EXPECT_EQ(provider.url.host, "127.0.0.1");
  EXPECT_EQ(provider.url.port, 8000);
  EXPECT_EQ(provider.engine, engine::vllm);
  for (const auto& [name, model] : value.models) {
    ASSERT_EQ(model.targets.size(), 1U) << name;
    EXPECT_EQ(model.targets.front().provider, provider.name);
  }
  ASSERT_EQ(value.routes.size(), 2U);
  EXPECT_EQ(value.routes[0].prefix, "/api/v1/ai/");
  EXPECT_EQ(value.routes[0].dialect, api::plain);
  EXPECT_EQ(value.routes[1].prefix, "/v1/");
  EXPECT_EQ(value.routes[1].dialect, api::openai);
  EXPECT_EQ(value.source, "(defaults)");
}

TEST(a_configuration, is_told_from_another_by_its_version) {
  const auto one = load_text("log: { level: info }\n", "f", {}).value;
  const auto again = load_text("log: { level: info }\n", "g", {}).value;
  const auto other = load_text("log: { level: warn }\n", "f", {}).value;
  EXPECT_EQ(one->version.size(), 16U);
  EXPECT_EQ(one->version, again->version);
  EXPECT_NE(one->version, other->version);
  EXPECT_EQ(load_text("{}", "f", {}).value->version, "08f44b07b5901a25");
}

TEST(a_configuration, names_its_limits_by_where_they_stand) {
  const auto value = load_text(
                         "tiers: { free: { limits: [1 requests/min, 2 requests/h] } }\n"
                         "sessions: { limits: [5 requests] }\n",
                         "f", {})
                         .value;
  ASSERT_NE(value, nullptr);
  EXPECT_EQ(value->tiers.at("FREE").limits[1].where, "tiers.FREE.limits[1]");
  EXPECT_EQ(value->tiers.at("FREE").limits[1].text, "2 requests/h");
  EXPECT_EQ(value->sessions.limits[0].where, "sessions.limits[0]");
}

TEST(mistakes, are_told_all_at_once_with_their_places) {
  const auto outcome =
      load_text("server:\n  lissen: x\nlog: { level: loud }\ncolour: red\n", "dir/weir.yaml", {});
  EXPECT_EQ(outcome.value, nullptr);
  ASSERT_EQ(outcome.mistakes.size(), 3U);
  EXPECT_EQ(to_text(outcome.mistakes[0]),
            "dir/weir.yaml:2:3: unknown option 'lissen'; did you mean 'listen'?");
  EXPECT_EQ(outcome.mistakes[1].line, 3);
  EXPECT_EQ(outcome.mistakes[1].column, 15);
  EXPECT_EQ(outcome.mistakes[2].line, 4);
}

TEST(mistakes, never_show_a_secret) {
  const environment variables{{"KEY", "sk-secret"}, {"LINES", "two\nsecret lines"}};
  const auto outcome = load_text(
      "admin: { token: \"line\\nsecret\" }\n"
      "server: { listen: \"${KEY}\", threads: \"${KEY}\", trusted_proxies: [\"${KEY}\"],\n"
      "  heartbeat: \"${KEY}\", max_body: \"${KEY}\", cors: { origins: [\"${KEY}\"] } }\n"
      "providers:\n"
      "  p: { url: \"http://u:secret@h/\", key: \"${LINES}\" }\n"
      "  q: { url: \"${KEY}\", cloud: \"${KEY}\", engine: \"${KEY}\" }\n"
      "tiers: { FREE: { limits: [\"${KEY}\", { limit: \"${KEY}\" }, \"1 ${KEY}/min\"] } }\n"
      "log: { level: \"${KEY}\" }\n"
      "identity: { default_tier: \"${LINES}\", jwt: { algorithms: [\"${KEY}\"], secret: x } }\n",
      "f", variables);
  EXPECT_EQ(outcome.mistakes.size(), 18U);
  for (const auto& mistake : outcome.mistakes) {
    EXPECT_EQ(mistake.message.find("secret"), std::string::npos) << mistake.message;
  }
}

TEST(the_example, loads_with_nothing_set) {
  const auto outcome = load_file((tree() / "examples" / "weir.yaml").string(), {});
  for (const auto& mistake : outcome.mistakes) ADD_FAILURE() << to_text(mistake);
  ASSERT_NE(outcome.value, nullptr);
  EXPECT_FALSE(outcome.value->identity.jwt.enabled);
}

TEST(the_shared_example, has_no_mistake_but_what_is_not_built_yet) {
  const auto* shared = std::getenv("WEIR_SHARED");
  if (shared == nullptr) GTEST_SKIP() << "WEIR_SHARED is not set";
  const auto path = std::filesystem::path{shared} / "weir.yaml";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no weir.yaml in WEIR_SHARED";
  const auto outcome = load_file(path.string(), {});
  for (const auto& mistake : outcome.mistakes) {
    EXPECT_NE(mistake.message.find("this version does not have it yet"), std::string::npos)
        << to_text(mistake);
  }
}

}  // namespace
}  // namespace weir::config
