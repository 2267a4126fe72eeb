// Which header fields pass.
#include "gateway/headers.hpp"

#include <gtest/gtest.h>
#include <string>

namespace weir::gateway {
namespace {

wire::request_head parsed(const std::string& fields, std::string& storage) {
  storage = "POST / HTTP/1.1\r\nHost: h\r\n" + fields + "\r\n";
  wire::request_head head;
  wire::http_error error;
  EXPECT_EQ(wire::parse_request_head(storage, {}, head, error), wire::parse_status::complete);
  return head;
}

bool reaches_engine(const std::string& field) {
  std::string storage;
  const auto head = parsed(field + ": v\r\n", storage);
  return passes_to_engine(head.headers.back());
}

bool reaches_backend(const std::string& field) {
  std::string storage;
  const auto head = parsed(field + ": v\r\n", storage);
  return passes_to_backend(head.headers.back());
}

TEST(headers, no_credential_of_the_caller_reaches_an_engine) {
  for (const char* name : {"Authorization", "X-Api-Key", "api-key", "x-goog-api-key", "Cookie",
                           "X-Auth-Request", "OpenAI-Organization", "OpenAI-Project", "X-Secret"}) {
    EXPECT_FALSE(reaches_engine(name)) << name;
  }
}

TEST(headers, what_an_engine_needs_passes) {
  for (const char* name : {"Content-Type", "Accept", "traceparent", "Idempotency-Key",
                           "OpenAI-Beta", "X-Sim-Fault", "User-Agent"}) {
    EXPECT_TRUE(reaches_engine(name)) << name;
  }
}

TEST(headers, a_name_too_long_to_be_honest_does_not_pass) {
  EXPECT_FALSE(reaches_engine(std::string(65, 'x')));
}

TEST(headers, hop_by_hop_fields_reach_nobody) {
  for (const char* name : {"Connection", "Keep-Alive", "TE", "Upgrade", "Proxy-Authorization"}) {
    EXPECT_FALSE(reaches_engine(name)) << name;
    EXPECT_FALSE(reaches_backend(name)) << name;
  }
}

TEST(headers, a_backend_cannot_be_told_who_calls_by_the_caller) {
  for (const char* name : {"X-Weir-User", "X-Weir-Tier", "X-Forwarded-For", "Authorization"}) {
    EXPECT_FALSE(reaches_backend(name)) << name;
  }
  EXPECT_TRUE(reaches_backend("Cookie"));
}

TEST(headers, of_an_engines_answer_only_the_listed_fields_are_seen) {
  const std::string text =
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nAuthorization: Bearer S\r\n"
      "Set-Cookie: s=1\r\nX-Api-Key: S\r\nopenai-organization: o\r\nLocation: /x\r\n"
      "x-ratelimit-limit-requests: 7\r\nopenai-version: 1\r\n\r\n";
  wire::response_head from;
  wire::http_error error;
  ASSERT_EQ(wire::parse_response_head(text, {}, false, from, error), wire::parse_status::complete);
  net::response_head out{200};
  pass_from_engine(from, out);
  EXPECT_EQ(out.text(),
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
            "X-Provider-x-ratelimit-limit-requests: 7\r\nopenai-version: 1\r\n");
}

TEST(headers, a_request_id_is_taken_over_only_when_it_is_harmless) {
  EXPECT_TRUE(is_request_id("req_1-2.3"));
  EXPECT_FALSE(is_request_id(""));
  EXPECT_FALSE(is_request_id("a b"));
  EXPECT_FALSE(is_request_id("a\"b"));
  EXPECT_FALSE(is_request_id(std::string(129, 'a')));
}

}  // namespace
}  // namespace weir::gateway
