// Heads of requests and answers: what is taken, what is refused, and that it never depends on how
// the bytes were cut.
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "wire/http.hpp"

namespace weir::wire {
namespace {

struct outcome {
  std::vector<char> bytes;  // what the head's views point into, exactly as long as it was given
  parse_status status{parse_status::need_more};
  request_head head;
  http_error error;
};

outcome parse(std::string_view bytes, const head_limits& limits = {}) {
  outcome out;
  out.bytes.assign(bytes.begin(), bytes.end());
  out.status =
      parse_request_head({out.bytes.data(), out.bytes.size()}, limits, out.head, out.error);
  return out;
}

std::string post(std::string_view fields) {
  return "POST /v1/chat/completions HTTP/1.1\r\nHost: weir\r\n" + std::string{fields} + "\r\n";
}

struct row {
  const char* name;
  std::string bytes;
  int status;  // 0: taken
};

void PrintTo(const row& r, std::ostream* out) { *out << r.name; }

class request_rows : public testing::TestWithParam<row> {};

TEST_P(request_rows, is_taken_or_refused_with_its_status) {
  const auto& [name, bytes, status] = GetParam();
  const outcome got = parse(bytes);
  ASSERT_EQ(got.status, status == 0 ? parse_status::complete : parse_status::bad) << name;
  if (status != 0) {
    EXPECT_EQ(got.error.status, status);
    EXPECT_FALSE(got.error.message.empty());
  } else {
    EXPECT_LE(got.head.size, bytes.size());
  }
}

// Every prefix is either undecided or already refused; once refused, always refused.
TEST_P(request_rows, gets_the_same_answer_however_it_is_cut) {
  const auto& [name, bytes, status] = GetParam();
  bool refused = false;
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    const outcome got = parse(std::string_view{bytes}.substr(0, size));
    if (refused) ASSERT_EQ(got.status, parse_status::bad) << name << " after " << size;
    refused = got.status == parse_status::bad;
    if (status == 0) ASSERT_FALSE(refused) << name << " after " << size << got.error.message;
    if (got.status == parse_status::complete) ASSERT_GE(size, got.head.size);
  }
  EXPECT_EQ(refused, status != 0) << name;
}

INSTANTIATE_TEST_SUITE_P(
    smuggling, request_rows,
    testing::Values(
        row{"both_framings", post("Content-Length: 6\r\nTransfer-Encoding: chunked\r\n"), 400},
        row{"both_framings_the_other_way",
            post("Transfer-Encoding: chunked\r\nContent-Length: 6\r\n"), 400},
        row{"two_lengths", post("Content-Length: 5\r\nContent-Length: 6\r\n"), 400},
        row{"two_equal_lengths", post("Content-Length: 5\r\nContent-Length: 5\r\n"), 400},
        row{"length_with_plus", post("Content-Length: +5\r\n"), 400},
        row{"length_with_minus", post("Content-Length: -5\r\n"), 400},
        row{"list_of_lengths", post("Content-Length: 5, 5\r\n"), 400},
        row{"hexadecimal_length", post("Content-Length: 0x5\r\n"), 400},
        row{"empty_length", post("Content-Length:\r\n"), 400},
        row{"length_with_blank_inside", post("Content-Length: 5 5\r\n"), 400},
        row{"length_beyond_64_bits", post("Content-Length: 18446744073709551621\r\n"), 400},
        row{"unknown_coding", post("Transfer-Encoding: xchunked\r\n"), 400},
        row{"chunked_then_identity", post("Transfer-Encoding: chunked, identity\r\n"), 400},
        row{"gzip_then_chunked", post("Transfer-Encoding: gzip, chunked\r\n"), 400},
        row{"chunked_twice", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
            400},
        row{"chunked_with_tail", post("Transfer-Encoding: chunked;x\r\n"), 400},
        row{"quoted_chunked", post("Transfer-Encoding: \"chunked\"\r\n"), 400},
        row{"empty_coding", post("Transfer-Encoding:\r\n"), 400},
        row{"blank_before_colon", post("Transfer-Encoding : chunked\r\n"), 400},
        row{"tab_before_colon", post("Transfer-Encoding\t: chunked\r\n"), 400},
        row{"vertical_tab_before_value",
            post("Transfer-Encoding: \x0b"
                 "chunked\r\n"),
            400},
        row{"folded_line", post("X-A: 1\r\n more\r\n"), 400},
        row{"folded_first_line", post(" X-A: 1\r\n"), 400},
        row{"folded_coding", post("Transfer-Encoding:\r\n chunked\r\n"), 400},
        row{"nul_in_value", post(std::string{"X-A: a\0b\r\n", 10}), 400},
        row{"nul_in_name", post(std::string{"X\0A: ab\r\n", 9}), 400},
        row{"delete_in_value", post("X-A: a\x7f\r\n"), 400},
        row{"bare_line_feeds", "POST / HTTP/1.1\nHost: weir\nContent-Length: 5\n\nhello", 400},
        row{"bare_line_feed_after_length", post("Content-Length: 5\n"), 400},
        row{"bare_line_feed_at_the_end", "GET / HTTP/1.1\r\nHost: weir\r\n\n", 400},
        row{"bare_carriage_return_in_value", post("X-A: a\rb\r\n"), 400},
        row{"two_carriage_returns", post("X-A: a\r\r\n"), 400},
        row{"chunked_in_http_1_0",
            "POST / HTTP/1.0\r\nHost: weir\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
        row{"target_names_another_host", "GET http://evil/v1/models HTTP/1.1\r\nHost: weir\r\n\r\n",
            400},
        row{"no_host", "GET / HTTP/1.1\r\n\r\n", 400},
        row{"two_hosts", "GET / HTTP/1.1\r\nHost: weir\r\nHost: weir\r\n\r\n", 400},
        row{"host_of_two_words", "GET / HTTP/1.1\r\nHost: weir evil\r\n\r\n", 400},
        row{"list_of_hosts", "GET / HTTP/1.1\r\nHost: weir, evil\r\n\r\n", 400},
        row{"host_with_a_path", "GET / HTTP/1.1\r\nHost: weir/evil\r\n\r\n", 400},
        row{"host_with_a_user", "GET / HTTP/1.1\r\nHost: me@weir\r\n\r\n", 400},
        row{"empty_name", post(": value\r\n"), 400},
        row{"line_without_colon", post("chunked\r\n"), 400},
        row{"name_with_brackets", post("X[0]: 1\r\n"), 400}),
    [](const auto& info) { return std::string{info.param.name}; });

INSTANTIATE_TEST_SUITE_P(
    request_lines, request_rows,
    testing::Values(row{"two_blanks", "GET  / HTTP/1.1\r\nHost: weir\r\n\r\n", 400},
                    row{"tab_instead_of_blank", "GET\t/ HTTP/1.1\r\nHost: weir\r\n\r\n", 400},
                    row{"blank_at_the_end", "GET / HTTP/1.1 \r\nHost: weir\r\n\r\n", 400},
                    row{"blank_in_front", " GET / HTTP/1.1\r\nHost: weir\r\n\r\n", 400},
                    row{"no_version", "GET /\r\nHost: weir\r\n\r\n", 400},
                    row{"method_with_colon", "GE:T / HTTP/1.1\r\nHost: weir\r\n\r\n", 400},
                    row{"method_without_end",
                        std::string(64, 'A') + " / HTTP/1.1\r\nHost: weir\r\n\r\n", 400},
                    row{"relative_target", "GET v1 HTTP/1.1\r\nHost: weir\r\n\r\n", 400},
                    row{"fragment", "GET /v1#x HTTP/1.1\r\nHost: weir\r\n\r\n", 400},
                    row{"tunnel", "CONNECT weir:80 HTTP/1.1\r\nHost: weir:80\r\n\r\n", 400},
                    row{"other_scheme", "GET ftp://weir/ HTTP/1.1\r\nHost: weir\r\n\r\n", 400},
                    row{"control_character", "GET /\x01 HTTP/1.1\r\nHost: weir\r\n\r\n", 400},
                    row{"bytes_beyond_ascii", "GET /\xc3\xa9 HTTP/1.1\r\nHost: weir\r\n\r\n", 400},
                    row{"http_0_9", "GET / HTTP/0.9\r\nHost: weir\r\n\r\n", 505},
                    row{"http_2", "GET / HTTP/2.0\r\nHost: weir\r\n\r\n", 505},
                    row{"http_1_2", "GET / HTTP/1.2\r\nHost: weir\r\n\r\n", 505},
                    row{"http_1_10", "GET / HTTP/1.10\r\nHost: weir\r\n\r\n", 400},
                    row{"lower_case_http", "GET / http/1.1\r\nHost: weir\r\n\r\n", 400},
                    row{"preface_of_http_2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
                    row{"two_empty_lines", "\r\n\r\nGET / HTTP/1.1\r\nHost: weir\r\n\r\n", 400},
                    row{"empty_line_of_lf", "\nGET / HTTP/1.1\r\nHost: weir\r\n\r\n", 400},
                    row{"lonely_carriage_return", "\rGET / HTTP/1.1\r\nHost: weir\r\n\r\n", 400},
                    row{"tls_hello", std::string{"\x16\x03\x01\x02\x00", 5}, 400},
                    row{"expects_something_else", post("Expect: the-moon\r\n"), 417}),
    [](const auto& info) { return std::string{info.param.name}; });

INSTANTIATE_TEST_SUITE_P(
    good, request_rows,
    testing::Values(
        row{"sized", post("Content-Length: 5\r\n"), 0},
        row{"zero_length", post("Content-Length: 0\r\n"), 0},
        row{"chunked", post("Transfer-Encoding: chunked\r\n"), 0},
        row{"chunked_in_capitals", post("TRANSFER-ENCODING: CHUNKED\r\n"), 0},
        row{"no_blank_after_colon", post("Content-Length:5\r\n"), 0},
        row{"blanks_around_value", post("Content-Length: \t 5 \t \r\n"), 0},
        row{"empty_value", post("X-A:\r\n"), 0},
        row{"utf8_in_value", post("X-A: gr\xc3\xbc\xc3\x9f\r\n"), 0},
        row{"tab_in_value", post("X-A: a\tb\r\n"), 0},
        row{"http_1_0_without_host", "GET / HTTP/1.0\r\n\r\n", 0},
        row{"http_1_0_post", "POST / HTTP/1.0\r\nContent-Length: 69\r\n\r\n", 0},
        row{"get_with_a_body", "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\n", 0},
        row{"empty_line_in_front", "\r\nGET / HTTP/1.1\r\nHost: weir\r\n\r\n", 0},
        row{"absolute_target", "GET http://weir/x HTTP/1.1\r\nHost: WEIR\r\n\r\n", 0},
        row{"address_of_ipv6", "GET / HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n", 0},
        row{"options_of_everything", "OPTIONS * HTTP/1.1\r\nHost: weir\r\n\r\n", 0},
        row{"expects_continue", post("Expect: 100-Continue\r\n"), 0},
        row{"http_1_0_expects_what_it_likes", "GET / HTTP/1.0\r\nExpect: x\r\n\r\n", 0}),
    [](const auto& info) { return std::string{info.param.name}; });

TEST(request_head, knows_its_framing) {
  EXPECT_EQ(parse(post("")).head.framing, body_framing::none);
  const auto whole = parse(post("Content-Length: 123456789012\r\n"));
  const auto& sized = whole.head;
  EXPECT_EQ(sized.framing, body_framing::sized);
  EXPECT_EQ(sized.content_length, 123456789012U);
  EXPECT_EQ(parse(post("Content-Length: 0\r\n")).head.framing, body_framing::none);
  EXPECT_EQ(parse(post("transfer-encoding: Chunked\r\n")).head.framing, body_framing::chunked);
  EXPECT_EQ(parse("GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\n").head.framing,
            body_framing::sized);
}

TEST(request_head, splits_target_into_path_and_query) {
  const auto got = parse("GET /a/b?c=d?e HTTP/1.1\r\nHost: weir\r\n\r\n");
  const auto& head = got.head;
  EXPECT_EQ(head.method, "GET");
  EXPECT_EQ(head.target, "/a/b?c=d?e");
  EXPECT_EQ(head.path, "/a/b");
  EXPECT_EQ(head.query, "c=d?e");
  const auto other = parse("GET http://weir/x?y HTTP/1.1\r\nHost: weir\r\n\r\n");
  const auto& absolute = other.head;
  EXPECT_EQ(absolute.path, "/x");
  EXPECT_EQ(absolute.query, "y");
  EXPECT_EQ(parse("GET http://weir HTTP/1.1\r\nHost: weir\r\n\r\n").head.path, "/");
}

TEST(request_head, ends_where_the_body_begins) {
  const std::string head = post("Content-Length: 4\r\n");
  const auto got = parse(head + "bodyGET /admin HTTP/1.1\r\n\r\n");
  ASSERT_EQ(got.status, parse_status::complete);
  EXPECT_EQ(got.head.size, head.size());
  EXPECT_EQ(got.head.content_length, 4U);
}

TEST(request_head, keeps_the_connection_by_version_and_wish) {
  const auto kept = [](std::string_view version, std::string_view fields) {
    return parse("GET / " + std::string{version} + "\r\nHost: h\r\n" + std::string{fields} + "\r\n")
        .head.keep_alive;
  };
  EXPECT_TRUE(kept("HTTP/1.1", ""));
  EXPECT_FALSE(kept("HTTP/1.0", ""));
  EXPECT_FALSE(kept("HTTP/1.1", "Connection: Close\r\n"));
  EXPECT_FALSE(kept("HTTP/1.1", "Connection: foo, close\r\n"));
  EXPECT_FALSE(kept("HTTP/1.1", "Connection: keep-alive\r\nConnection: close\r\n"));
  EXPECT_FALSE(kept("HTTP/1.0", "Connection: keep-alive, close\r\n"));
  EXPECT_TRUE(kept("HTTP/1.0", "Connection: Keep-Alive\r\n"));
  EXPECT_TRUE(kept("HTTP/1.1", "Connection: closed\r\n"));
}

TEST(request_head, asks_to_continue_only_in_http_1_1) {
  EXPECT_TRUE(parse(post("Expect: 100-continue\r\n")).head.expect_continue);
  EXPECT_FALSE(parse(post("")).head.expect_continue);
  EXPECT_FALSE(parse("GET / HTTP/1.0\r\nExpect: 100-continue\r\n\r\n").head.expect_continue);
}

TEST(request_head, may_be_exactly_as_long_as_the_limit) {
  const std::string bytes = post("X-A: " + std::string(100, 'a') + "\r\n");
  head_limits limits;
  limits.max_bytes = bytes.size();
  EXPECT_EQ(parse(bytes, limits).status, parse_status::complete);
  EXPECT_EQ(parse(bytes + "the next", limits).status, parse_status::complete);
  limits.max_bytes = bytes.size() - 1;
  const auto got = parse(bytes, limits);
  EXPECT_EQ(got.status, parse_status::bad);
  EXPECT_EQ(got.error.status, 431);
}

TEST(request_head, is_refused_as_soon_as_it_reaches_the_limit_without_an_end) {
  head_limits limits;
  limits.max_bytes = 1000;
  const std::string endless = "GET / HTTP/1.1\r\nHost: weir\r\nX-A: " + std::string(2000, 'a');
  EXPECT_EQ(parse(endless.substr(0, 999), limits).status, parse_status::need_more);
  const auto got = parse(endless.substr(0, 1000), limits);
  EXPECT_EQ(got.status, parse_status::bad);
  EXPECT_EQ(got.error.status, 431);
  EXPECT_EQ(got.error.code, "header_too_large");
}

TEST(request_head, has_a_limit_of_fields) {
  std::string fields;
  for (int i = 0; i < 127; ++i) fields += "X-A: 1\r\n";
  EXPECT_EQ(parse(post(fields)).status, parse_status::complete);  // with Host 128
  const auto got = parse(post(fields + "X-A: 1\r\n"));
  EXPECT_EQ(got.status, parse_status::bad);
  EXPECT_EQ(got.error.status, 431);
}

TEST(request_head, that_is_refused_early_shows_nothing_of_the_one_before) {
  request_head head;
  http_error error;
  ASSERT_EQ(
      parse_request_head("HEAD /old?q HTTP/1.0\r\nContent-Length: 7\r\n\r\n", {}, head, error),
      parse_status::complete);
  ASSERT_EQ(parse_request_head("\rX", {}, head, error), parse_status::bad);
  EXPECT_TRUE(head.method.empty());
  EXPECT_TRUE(head.path.empty());
  EXPECT_TRUE(head.query.empty());
  EXPECT_TRUE(head.headers.empty());
  EXPECT_EQ(head.size, 0U);
  EXPECT_EQ(head.minor_version, 1);
  EXPECT_EQ(head.framing, body_framing::none);
}

TEST(request_head, moves_with_its_bytes) {
  auto got = parse("GET http://weir/a?b HTTP/1.1\r\nHost: weir\r\nX-A: value\r\n\r\n");
  const std::vector<char> copy = got.bytes;
  got.head.rebase_all(got.bytes.data(), copy.data());
  got.bytes.assign(got.bytes.size(), '!');
  EXPECT_EQ(got.head.method, "GET");
  EXPECT_EQ(got.head.path, "/a");
  EXPECT_EQ(got.head.query, "b");
  EXPECT_EQ(got.head.get("x-a"), "value");
  EXPECT_EQ(got.head.get(field::host), "weir");
}

}  // namespace
}  // namespace weir::wire
