// Names, lists and values of header fields, and the heads of answers.
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "wire/http.hpp"

namespace weir::wire {
namespace {

struct outcome {
  std::vector<char> bytes;  // what the head's views point into, exactly as long as it was given
  parse_status status{parse_status::need_more};
  response_head head;
  http_error error;
};

outcome parse(std::string_view bytes, bool to_head = false, const head_limits& limits = {}) {
  outcome out;
  out.bytes.assign(bytes.begin(), bytes.end());
  out.status = parse_response_head({out.bytes.data(), out.bytes.size()}, limits, to_head, out.head,
                                   out.error);
  return out;
}

TEST(header_names, are_recognised_in_any_case) {
  const std::pair<const char*, field> names[] = {
      {"Accept-Encoding", field::accept_encoding},
      {"Authorization", field::authorization},
      {"Connection", field::connection},
      {"Content-Encoding", field::content_encoding},
      {"Content-Length", field::content_length},
      {"Content-Type", field::content_type},
      {"Cookie", field::cookie},
      {"Expect", field::expect},
      {"Forwarded", field::forwarded},
      {"Host", field::host},
      {"Idempotency-Key", field::idempotency_key},
      {"Keep-Alive", field::keep_alive},
      {"Location", field::location},
      {"Origin", field::origin},
      {"Proxy-Authorization", field::proxy_authorization},
      {"Proxy-Connection", field::proxy_connection},
      {"Retry-After", field::retry_after},
      {"Set-Cookie", field::set_cookie},
      {"TE", field::te},
      {"Trailer", field::trailer},
      {"Transfer-Encoding", field::transfer_encoding},
      {"Upgrade", field::upgrade},
      {"X-Api-Key", field::x_api_key},
      {"X-Forwarded-For", field::x_forwarded_for},
      {"X-Request-Id", field::x_request_id},
  };
  for (const auto& [name, id] : names) {
    const bool number = id == field::content_length;
    const bool coding = id == field::transfer_encoding;
    const std::string value = number ? "5" : coding ? "chunked" : "v";
    std::string upper{name};
    for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    for (const std::string& spelled : {std::string{name}, upper}) {
      const auto got = parse("HTTP/1.1 200 OK\r\n" + spelled + ": " + value + "\r\n\r\n");
      ASSERT_EQ(got.status, parse_status::complete) << spelled;
      EXPECT_EQ(got.head.headers.at(0).known, id) << spelled;
      EXPECT_TRUE(got.head.has(id)) << spelled;
      EXPECT_EQ(got.head.get(id), value) << spelled;
    }
    const auto longer = parse("HTTP/1.1 200 OK\r\n" + std::string{name} + "x: 1\r\n\r\n");
    EXPECT_EQ(longer.head.headers.at(0).known, field::other) << name;
  }
}

TEST(header_names, are_looked_up_in_any_case_and_the_first_wins) {
  const auto got = parse("HTTP/1.1 200 OK\r\nX-Thing: one\r\nx-thing: two\r\n\r\n");
  EXPECT_EQ(got.head.get("X-THING"), "one");
  EXPECT_EQ(got.head.get("x-thin"), "");
}

TEST(iequals, ignores_case_of_ascii_only) {
  EXPECT_TRUE(iequals("Chunked", "cHUNKED"));
  EXPECT_TRUE(iequals("", ""));
  EXPECT_FALSE(iequals("chunked", "chunke"));
  EXPECT_FALSE(iequals("[", "{"));
  EXPECT_FALSE(iequals("\xc3\x84", "\xc3\xa4"));
  EXPECT_FALSE(iequals("@", "`"));
}

TEST(list_has, finds_whole_words_between_commas) {
  EXPECT_TRUE(list_has("close", "close"));
  EXPECT_TRUE(list_has("a, CLOSE ,b", "close"));
  EXPECT_TRUE(list_has("a,\tclose", "close"));
  EXPECT_TRUE(list_has(",,close", "close"));
  EXPECT_FALSE(list_has("closed", "close"));
  EXPECT_FALSE(list_has("a close", "close"));
  EXPECT_FALSE(list_has("", "close"));
}

TEST(header_values, hold_no_control_characters_wherever_they_stand) {
  EXPECT_TRUE(is_header_value(""));
  EXPECT_TRUE(is_header_value("plain text with a\ttab"));
  EXPECT_TRUE(is_header_value("\xf0\x9f\x8c\x8a wave"));
  for (int c = 0; c < 256; ++c) {
    const bool allowed = (c >= 0x20 && c != 0x7f) || c == '\t';
    for (std::size_t at = 0; at < 20; ++at) {
      std::string text(20, 'a');
      text[at] = static_cast<char>(c);
      EXPECT_EQ(is_header_value(text), allowed) << c << " at " << at;
    }
  }
}

TEST(answer_head, knows_status_reason_and_framing) {
  const auto got = parse("HTTP/1.1 404 Not There\r\nContent-Length: 12\r\n\r\nbody");
  ASSERT_EQ(got.status, parse_status::complete);
  EXPECT_EQ(got.head.status, 404);
  EXPECT_EQ(got.head.reason, "Not There");
  EXPECT_EQ(got.head.framing, body_framing::sized);
  EXPECT_EQ(got.head.content_length, 12U);
  EXPECT_EQ(got.head.size, 46U);
}

TEST(answer_head, without_framing_lasts_until_close) {
  EXPECT_EQ(parse("HTTP/1.1 200 OK\r\n\r\n").head.framing, body_framing::until_close);
  EXPECT_EQ(parse("HTTP/1.0 200 OK\r\n\r\n").head.framing, body_framing::until_close);
}

TEST(answer_head, has_no_body_where_there_cannot_be_one) {
  for (const char* status : {"100", "101", "103", "204", "304"}) {
    const std::string bytes = "HTTP/1.1 " + std::string{status} + " x\r\nContent-Length: 5\r\n\r\n";
    EXPECT_EQ(parse(bytes).head.framing, body_framing::none) << status;
  }
  EXPECT_EQ(parse("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", true).head.framing,
            body_framing::none);
  EXPECT_EQ(parse("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", true).head.framing,
            body_framing::none);
  EXPECT_EQ(parse("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").head.framing, body_framing::none);
}

TEST(answer_head, may_go_without_a_reason) {
  EXPECT_EQ(parse("HTTP/1.1 200 \r\n\r\n").head.status, 200);
  EXPECT_EQ(parse("HTTP/1.1 200\r\n\r\n").head.status, 200);
}

TEST(answer_head, that_is_none_is_refused) {
  for (const char* bytes :
       {"HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n", "HTTP/1.1 abc OK\r\n\r\n",
        "HTTP/1.1  200 OK\r\n\r\n", "HTTP/1.1 099 OK\r\n\r\n", "HTTP/2 200\r\n\r\n",
        "HTTP/1.1 200 OK\nA: b\n\n", "garbage garbage", "\r\nHTTP/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", "HTTP/1.1 200 a\x01\r\n\r\n"}) {
    EXPECT_EQ(parse(bytes).status, parse_status::bad) << bytes;
  }
}

TEST(answer_head, gets_the_same_answer_however_it_is_cut) {
  const std::string bytes =
      "HTTP/1.1 200 All is well\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\n";
  for (std::size_t size = 0; size < bytes.size(); ++size)
    ASSERT_EQ(parse(bytes.substr(0, size)).status, parse_status::need_more) << size;
  EXPECT_EQ(parse(bytes).status, parse_status::complete);
}

TEST(answer_head, has_limits_too) {
  head_limits limits;
  limits.max_bytes = 50;
  EXPECT_EQ(parse("HTTP/1.1 200 OK\r\nA: " + std::string(60, 'a'), false, limits).status,
            parse_status::bad);
  limits = {};
  limits.max_fields = 1;
  EXPECT_EQ(parse("HTTP/1.1 200 OK\r\nA: 1\r\n\r\n", false, limits).status, parse_status::complete);
  EXPECT_EQ(parse("HTTP/1.1 200 OK\r\nA: 1\r\nB: 2\r\n\r\n", false, limits).status,
            parse_status::bad);
}

TEST(reason_phrases, are_there_for_what_weir_answers) {
  for (const int status : {200, 202, 204, 400, 401, 403, 404, 405, 408, 409, 413,
                           415, 417, 422, 429, 431, 500, 501, 502, 503, 504, 505})
    EXPECT_NE(reason_phrase(status), "Status") << status;
  EXPECT_EQ(reason_phrase(299), "Status");
}

}  // namespace
}  // namespace weir::wire
