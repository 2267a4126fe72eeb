// Amounts as text.
#include "policy/money.hpp"

#include <gtest/gtest.h>

namespace weir::policy::test {
namespace {

TEST(money, is_read_exactly) {
  EXPECT_EQ(parse_money("10").value(), 10'000'000'000'000);
  EXPECT_EQ(parse_money("0.002").value(), 2'000'000'000);
  EXPECT_EQ(parse_money("12.50").value(), 12'500'000'000'000);
  EXPECT_EQ(parse_money("0.000000000001").value(), 1);
  EXPECT_EQ(parse_money("00000000000007").value(), 7'000'000'000'000);
  EXPECT_EQ(parse_money("4000000").value(), 4'000'000'000'000'000'000);
}

TEST(money, that_is_no_plain_decimal_is_refused) {
  for (const auto* text : {"", ".", "1.", ".5", "-1", "+1", "1e3", "1,5", "1 ", " 1", "0x1", "NaN",
                           "0.0000000000001", "1.2.3"}) {
    const auto read = parse_money(text);
    ASSERT_FALSE(read) << text;
    EXPECT_TRUE(read.error().message.starts_with("expected an amount such as")) << text;
  }
}

TEST(money, beyond_what_can_be_counted_is_refused) {
  for (const auto* text : {"4000000.000000000001", "4000001", "99999999999999999999"}) {
    const auto read = parse_money(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().message, "expected an amount of at most 4000000");
  }
}

TEST(money, is_written_as_the_shortest_decimal_with_two_places) {
  EXPECT_EQ(format_money(0), "0.00");
  EXPECT_EQ(format_money(10'000'000'000'000), "10.00");
  EXPECT_EQ(format_money(2'500'000'000), "0.0025");
  EXPECT_EQ(format_money(1), "0.000000000001");
  EXPECT_EQ(format_money(-1'500'000'000'000), "-1.50");
  EXPECT_EQ(format_money(std::numeric_limits<std::int64_t>::min()), "-9223372.036854775808");
}

}  // namespace
}  // namespace weir::policy::test
