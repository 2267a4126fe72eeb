// Durations, sizes, numbers, and what is told from what.
#include "config/values.hpp"

#include <gtest/gtest.h>

namespace weir::config {
namespace {

TEST(durations, are_read_with_every_unit) {
  EXPECT_EQ(*parse_duration("7us"), 7us);
  EXPECT_EQ(*parse_duration("500ms"), 500ms);
  EXPECT_EQ(*parse_duration("30s"), 30s);
  EXPECT_EQ(*parse_duration("2m"), 2min);
  EXPECT_EQ(*parse_duration("2min"), 2min);
  EXPECT_EQ(*parse_duration("24h"), 24h);
  EXPECT_EQ(*parse_duration("3d"), 72h);
  EXPECT_EQ(*parse_duration("10 s"), 10s);
  EXPECT_EQ(*parse_duration("0"), 0s);
}

TEST(durations, without_a_unit_are_refused_with_a_proposal) {
  const auto bare = parse_duration("30");
  ASSERT_FALSE(bare);
  EXPECT_NE(bare.error().message.find("30s"), std::string::npos);
}

TEST(durations, that_are_none_are_refused) {
  for (const auto* text : {"", "s", "-1s", "1.5s", "1h30m", "1 fortnight", " 1s", "1s ", "1  s",
                           "+1s", "1S", "99999999999999999999s", "4000d", "9223372036854775807d"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(sizes, count_in_1024_and_in_1000) {
  EXPECT_EQ(*parse_size("64KiB"), 65536);
  EXPECT_EQ(*parse_size("20MiB"), 20 * 1024 * 1024);
  EXPECT_EQ(*parse_size("1GiB"), 1 << 30);
  EXPECT_EQ(*parse_size("64kB"), 64000);
  EXPECT_EQ(*parse_size("5MB"), 5'000'000);
  EXPECT_EQ(*parse_size("17"), 17);
  EXPECT_EQ(*parse_size("17B"), 17);
}

TEST(sizes, that_are_none_are_refused) {
  for (const auto* text : {"", "20M", "20mib", "-1", "1.5MiB", "MiB", "9999999999GiB"}) {
    EXPECT_FALSE(parse_size(text)) << text;
  }
}

TEST(whole_numbers, have_digits_only) {
  EXPECT_EQ(*parse_integer("0"), 0);
  EXPECT_EQ(*parse_integer("42"), 42);
  for (const auto* text : {"", "-1", "+1", "1.0", "1e3", "0x10", "1_000", "1 ", " 1",
                           "9007199254740993", "99999999999999999999"}) {
    EXPECT_FALSE(parse_integer(text)) << text;
  }
}

TEST(flags, are_true_or_false_and_nothing_else) {
  EXPECT_TRUE(*parse_flag("true"));
  EXPECT_FALSE(*parse_flag("false"));
  for (const auto* text : {"yes", "no", "True", "1", "on", ""}) {
    EXPECT_FALSE(parse_flag(text)) << text;
  }
}

TEST(values_written_out, are_read_back_as_the_same) {
  for (const microseconds length : {microseconds{0}, microseconds{1}, microseconds{1500},
                                    microseconds{90s}, microseconds{2min}, microseconds{36h}}) {
    EXPECT_EQ(*parse_duration(format_duration(length)), length);
  }
  for (const std::int64_t bytes : {0LL, 1LL, 1023LL, 1024LL, 1536LL, 20LL << 20, 3LL << 30}) {
    EXPECT_EQ(*parse_size(format_size(bytes)), bytes);
  }
  EXPECT_EQ(format_duration(90s), "90s");
  EXPECT_EQ(format_size(20LL << 20), "20MiB");
}

}  // namespace
}  // namespace weir::config
