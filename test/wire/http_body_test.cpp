// Bodies: what is payload, where they end, what is no body at all, and that it never depends on how
// the bytes were cut.
#include <gtest/gtest.h>
#include <string>

#include "wire/http_chunked.hpp"

namespace weir::wire {
namespace {

struct outcome {
  body_step last{body_step::need_more};
  std::string payload;
  std::size_t left{0};  // bytes behind the end
  bool operator==(const outcome&) const = default;
};

// Feeds the bytes in two parts.
outcome decode(body_decoder decoder, std::string_view bytes, std::size_t cut) {
  outcome out;
  for (const std::string& part :
       {std::string{bytes.substr(0, cut)}, std::string{bytes.substr(cut)}}) {
    std::string_view input = part;
    for (;;) {
      std::string_view piece;
      out.last = decoder.next(input, piece);
      if (out.last != body_step::data) break;
      out.payload += piece;
    }
    out.left += input.size();
    if (out.last == body_step::bad) return {body_step::bad, {}, 0};
  }
  return out;
}

outcome decode(const body_decoder& decoder, std::string_view bytes) {
  const outcome whole = decode(decoder, bytes, bytes.size());
  for (std::size_t cut = 0; cut < bytes.size(); ++cut)
    EXPECT_EQ(decode(decoder, bytes, cut), whole) << "cut at " << cut << " of " << bytes;
  return whole;
}

outcome chunked(std::string_view bytes) { return decode({body_framing::chunked, 0}, bytes); }

TEST(chunked_body, yields_its_payload) {
  const outcome got = chunked("5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n");
  EXPECT_EQ(got.last, body_step::done);
  EXPECT_EQ(got.payload, "hello world");
  EXPECT_EQ(got.left, 0U);
}

TEST(chunked_body, leaves_the_next_message_alone) {
  const outcome got = chunked("1\r\nx\r\n0\r\n\r\nGET /admin HTTP/1.1\r\n\r\n");
  EXPECT_EQ(got.last, body_step::done);
  EXPECT_EQ(got.payload, "x");
  EXPECT_EQ(got.left, 23U);
}

TEST(chunked_body, may_carry_extensions_and_trailers) {
  const outcome got =
      chunked("5;ext\r\nhello\r\n1;a=\"b\"\r\n!\r\n0;last\r\nX-Sum: 1\r\nX-More: 2\r\n\r\n");
  EXPECT_EQ(got.last, body_step::done);
  EXPECT_EQ(got.payload, "hello!");
}

TEST(chunked_body, reads_sizes_in_any_case_and_with_zeros) {
  EXPECT_EQ(chunked("A\r\n0123456789\r\n00\r\n\r\n").payload, "0123456789");
  EXPECT_EQ(chunked("00a\r\n0123456789\r\n0\r\n\r\n").payload, "0123456789");
}

TEST(chunked_body, is_not_over_before_its_last_line) {
  const std::string bytes = "5\r\nhello\r\n0\r\nX: 1\r\n\r\n";
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_EQ(chunked(bytes.substr(0, size)).last, body_step::need_more) << size;
}

TEST(chunked_body, with_odd_sizes_is_refused) {
  for (const char* bytes :
       {"0x5\r\nhello\r\n", "-1\r\nhello\r\n", "+5\r\nhello\r\n", "ffffffffffffffffff\r\nhello",
        "5 \r\nhello\r\n", " 5\r\nhello\r\n", "5\nhello\r\n", "5\r\r\nhello\r\n", "\r\nhello",
        ";ext\r\nhello", "g\r\n", "5\thello", "0000000000000005\r\nhello\r\n"})
    EXPECT_EQ(chunked(bytes).last, body_step::bad) << bytes;
}

TEST(chunked_body, with_broken_line_ends_is_refused) {
  for (const char* bytes :
       {"5\r\nhello0\r\n\r\n", "5\r\nhello\n0\r\n\r\n", "5\r\nhello\rX", "5\r\nhelloo\r\n0\r\n\r\n",
        "5;a\nhello\r\n", "5;a\rb\r\nhello", "0\r\n\n", "0\r\n\rX", "0\r\nX: 1\n\r\n",
        "0\r\nX: \x01\r\n\r\n", "5;\x7f\r\nhello\r\n"})
    EXPECT_EQ(chunked(bytes).last, body_step::bad) << bytes;
}

TEST(chunked_body, that_was_refused_stays_refused) {
  body_decoder decoder{body_framing::chunked, 0};
  std::string_view piece;
  std::string_view bad = "zz";
  ASSERT_EQ(decoder.next(bad, piece), body_step::bad);
  std::string_view good = "0\r\n\r\n";
  EXPECT_EQ(decoder.next(good, piece), body_step::bad);
  EXPECT_FALSE(decoder.done());
  EXPECT_FALSE(decoder.may_end_here());
}

// What is not payload is bounded, or a caller could send for ever within a limit on the payload.
TEST(chunked_body, carries_a_bounded_amount_of_extensions_and_trailers) {
  const auto feed = [](std::string_view start, std::string_view again) {
    body_decoder decoder{body_framing::chunked, 0};
    std::string_view piece;
    std::string_view input = start;
    while (decoder.next(input, piece) == body_step::data) continue;
    for (std::size_t fed = 0; fed < 64 * 1024; fed += again.size()) {
      input = again;
      body_step step = body_step::data;
      while (step == body_step::data) step = decoder.next(input, piece);
      if (step == body_step::bad) return true;
    }
    return false;
  };
  EXPECT_TRUE(feed("5;", "aaaaaaaa"));
  EXPECT_TRUE(feed("0\r\n", "X: aaaaaaaa\r\n"));
  EXPECT_TRUE(feed("", "1;aaaaaaaa\r\nx\r\n"));
}

// An endless body has no size of its own: whoever reads counts what comes out and stops.
TEST(chunked_body, without_an_end_goes_on_yielding_and_keeps_nothing) {
  body_decoder decoder{body_framing::chunked, 0};
  const std::string chunk = "10000\r\n" + std::string(0x10000, ' ') + "\r\n";
  std::size_t payload = 0;
  for (int i = 0; i < 100; ++i) {
    std::string_view input = chunk;
    std::string_view piece;
    while (decoder.next(input, piece) == body_step::data) {
      payload += piece.size();
      EXPECT_GE(piece.data(), chunk.data());
      EXPECT_LE(piece.data() + piece.size(), chunk.data() + chunk.size());
    }
  }
  EXPECT_EQ(payload, 100U * 0x10000);
  EXPECT_FALSE(decoder.done());
}

TEST(sized_body, ends_after_its_length) {
  const outcome got = decode({body_framing::sized, 5}, "helloGET /");
  EXPECT_EQ(got.last, body_step::done);
  EXPECT_EQ(got.payload, "hello");
  EXPECT_EQ(got.left, 5U);
  EXPECT_EQ(decode({body_framing::sized, 5}, "hell").last, body_step::need_more);
}

TEST(sized_body, must_not_end_early) {
  body_decoder decoder{body_framing::sized, 5};
  std::string_view input = "hell";
  std::string_view piece;
  ASSERT_EQ(decoder.next(input, piece), body_step::data);
  EXPECT_FALSE(decoder.may_end_here());
  input = "o";
  ASSERT_EQ(decoder.next(input, piece), body_step::data);
  EXPECT_TRUE(decoder.may_end_here());
  EXPECT_TRUE(decoder.done());
}

TEST(sized_body, of_no_bytes_is_over_at_once) {
  EXPECT_TRUE((body_decoder{body_framing::sized, 0}.done()));
  EXPECT_TRUE((body_decoder{body_framing::none, 0}.done()));
  EXPECT_TRUE(body_decoder{}.done());
}

TEST(body_until_close, is_all_payload_and_may_end_anywhere) {
  body_decoder decoder{body_framing::until_close, 0};
  EXPECT_TRUE(decoder.may_end_here());
  EXPECT_EQ(decode(decoder, "0\r\n\r\nwhatever").payload, "0\r\n\r\nwhatever");
  EXPECT_FALSE(decoder.done());
}

}  // namespace
}  // namespace weir::wire
