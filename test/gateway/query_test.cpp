// Query strings, percent-encoding and gzip.
#include "gateway/query.hpp"

#include <gtest/gtest.h>
#include <string>
#include <zlib.h>

#include "gateway/gzip.hpp"

namespace weir::gateway {
namespace {

TEST(query, percent_escapes_are_resolved_and_broken_ones_stay) {
  EXPECT_EQ(percent_decode("hf.co%2Forg%2FName%3AQ4"), "hf.co/org/Name:Q4");
  EXPECT_EQ(percent_decode("100%"), "100%");
  EXPECT_EQ(percent_decode("%zz%4"), "%zz%4");
}

TEST(query, the_first_parameter_of_a_name_counts) {
  EXPECT_EQ(query_value("a=1&model=x%20y&model=z", "model"), "x y");
  EXPECT_EQ(query_value("models=1", "model"), "");
  EXPECT_EQ(query_value("model", "model"), "");
  EXPECT_EQ(query_value("", "model"), "");
}

std::string gzipped(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(::deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(::deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(::deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(out.size() - stream.avail_out);
  ::deflateEnd(&stream);
  return out;
}

TEST(gzip, a_coded_body_is_decoded_whole) {
  const std::string text(100'000, 'x');
  std::string out;
  ASSERT_TRUE(gunzip(gzipped(text), 1'000'000, out));
  EXPECT_EQ(out, text);
}

TEST(gzip, a_bomb_a_torn_body_and_plain_text_are_refused) {
  std::string out;
  EXPECT_FALSE(gunzip(gzipped(std::string(1'000'000, 'x')), 10'000, out));
  EXPECT_LT(out.size(), 64'000U);
  out.clear();
  const std::string whole = gzipped("hello");
  EXPECT_FALSE(gunzip(whole.substr(0, whole.size() - 4), 1000, out));
  out.clear();
  EXPECT_FALSE(gunzip("hello", 1000, out));
}

}  // namespace
}  // namespace weir::gateway
