// Refusals as each dialect tells them.
#include "wire/errors.hpp"

#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "wire/stream_event.hpp"

namespace weir::wire {
namespace {

using nlohmann::json;

refusal over_limit() {
  refusal why;
  why.status = 429;
  why.code = "rate_limit_exceeded";
  why.message = "over the limit";
  why.retry_after = 7;
  why.rule = "limits.user";
  why.scope = "user";
  why.limit = 10;
  why.used = 9;
  why.resets_at = "2026-12-01T12:00:30Z";
  why.tier = "FREE";
  why.model = "small";
  return why;
}

TEST(errors, openai_bodies_have_all_four_keys) {
  const json body = json::parse(error_body(over_limit(), dialect::openai));
  ASSERT_EQ(body.size(), 1U);
  const json& error = body["error"];
  EXPECT_EQ(error["message"], "over the limit");
  EXPECT_EQ(error["type"], "rate_limit_error");
  EXPECT_TRUE(error.contains("param"));
  EXPECT_TRUE(error["param"].is_null());
  EXPECT_EQ(error["code"], "rate_limit_exceeded");
  EXPECT_EQ(error["retry_after_seconds"], 7);
  EXPECT_EQ(error["rule"], "limits.user");
  EXPECT_EQ(error["scope"], "user");
  EXPECT_EQ(error["limit"], 10);
  EXPECT_EQ(error["used"], 9);
  EXPECT_EQ(error["resets_at"], "2026-12-01T12:00:30Z");
  refusal bad;
  bad.code = "invalid_value";
  bad.param = "model";
  EXPECT_EQ(json::parse(error_body(bad, dialect::responses))["error"]["param"], "model");
  EXPECT_FALSE(json::parse(error_body(bad, dialect::openai))["error"].contains("rule"));
}

TEST(errors, plain_bodies_are_flat) {
  const json limited = json::parse(error_body(over_limit(), dialect::plain));
  EXPECT_EQ(limited["status"], "error");
  EXPECT_EQ(limited["error"], "rate_limit_exceeded");
  EXPECT_EQ(limited["tier"], "FREE");
  EXPECT_EQ(limited["retry_after_seconds"], 7);
  EXPECT_EQ(limited["message"], "over the limit");
  EXPECT_FALSE(limited.contains("model"));
  refusal full = over_limit();
  full.code = "model_capacity_exceeded";
  const json capacity = json::parse(error_body(full, dialect::plain));
  EXPECT_EQ(capacity["model"], "small");
  EXPECT_FALSE(capacity.contains("tier"));
}

TEST(errors, types_follow_the_status) {
  const std::map<int, std::string_view> rows{{400, "invalid_request_error"},
                                             {401, "authentication_error"},
                                             {403, "permission_error"},
                                             {404, "invalid_request_error"},
                                             {413, "invalid_request_error"},
                                             {429, "rate_limit_error"},
                                             {500, "server_error"},
                                             {502, "server_error"},
                                             {503, "service_unavailable_error"},
                                             {504, "server_error"}};
  for (const auto& [status, type] : rows) EXPECT_EQ(error_type(status), type) << status;
}

TEST(errors, hostile_values_stay_values) {
  refusal why = over_limit();
  why.message = "a\"b\\c\n\r\n\r\ndata: x";
  why.model = std::string{"\xFF\0\x1b", 3};
  why.code = "model_capacity_exceeded";
  EXPECT_EQ(json::parse(error_body(why, dialect::openai))["error"]["message"], why.message);
  const std::string plain = error_body(why, dialect::plain);
  EXPECT_EQ(json::parse(plain)["message"], why.message);
  EXPECT_EQ(plain.find('\n'), plain.size() - 1) << "one line";
}

TEST(errors, headers_tell_when_to_come_back) {
  using fields = std::vector<std::pair<std::string_view, std::string>>;
  refusal why;
  EXPECT_EQ(error_headers(why), fields{});
  why.retry_after = 7;
  EXPECT_EQ(error_headers(why), (fields{{"Retry-After", "7"}}));
  why.retry_after = 0;
  why.should_retry = false;
  EXPECT_EQ(error_headers(why), (fields{{"Retry-After", "1"}, {"x-should-retry", "false"}}));
}

// BC-016: each dialect's clients must raise their error; the reader of streams must know it too
TEST(errors, a_stream_ends_with_an_error_event_in_its_dialect) {
  struct {
    dialect in;
    endpoint at;
    std::string_view begin;
  } const rows[] = {
      {dialect::openai, endpoint::chat, "data: {\"error\":{"},
      {dialect::responses, endpoint::responses, "event: error\ndata: {\"type\":\"error\","},
      {dialect::plain, endpoint::chat, "data: {\"status\":\"error\","}};
  for (const auto& row : rows) {
    const std::string text = error_event(over_limit(), row.in);
    EXPECT_TRUE(text.starts_with(row.begin)) << text;
    EXPECT_TRUE(text.ends_with("}\n\n")) << text;
    sse_scanner scanner;
    scanner.feed(text);
    sse_event event;
    std::size_t end = 0;
    ASSERT_TRUE(scanner.next(event, end));
    EXPECT_EQ(end, text.size());
    EXPECT_TRUE(json::accept(event.data));
    usage known;
    EXPECT_EQ(read_event(event, row.at, known).kind, event_kind::error);
  }
  const std::string response = error_event(over_limit(), dialect::responses);
  const json told = json::parse(response.substr(response.find('{')));
  EXPECT_EQ(told["code"], "rate_limit_exceeded");
  EXPECT_EQ(told["message"], "over the limit");
  EXPECT_EQ(told["error"]["code"], "rate_limit_exceeded") << "clients raise nothing without it";
}

}  // namespace
}  // namespace weir::wire
