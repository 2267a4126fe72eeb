// Spans of time as headers say them, in every shape that was seen.
#include "wire/durations.hpp"

#include <gtest/gtest.h>
#include <optional>
#include <string_view>

namespace weir::wire {
namespace {

constexpr wall_time now{std::chrono::seconds{1796126400}};  // 2026-12-01T12:00:00Z

// BC-039
TEST(durations, retry_after_in_all_its_shapes) {
  struct {
    std::string_view text;
    std::optional<microseconds> wait;
  } const rows[] = {{"2", 2s},
                    {"0", 0s},
                    {"1.5", 1500ms},
                    {"0.4", 400ms},
                    {"3600", 3600s},
                    {"-3", std::nullopt},
                    {"Tue, 01 Dec 2026 12:00:05 GMT", 5s},
                    {"Tuesday, 01-Dec-26 12:00:05 GMT", 5s},
                    {"Tue Dec  1 12:00:05 2026", 5s},
                    {"Tue, 01 Dec 2026 11:59:00 GMT", std::nullopt},
                    {"Tue, 01 Dec 2026 12:00:05", std::nullopt},
                    {"Tue, 01 Dec 2026 12:00:05 GMT x", std::nullopt},
                    {"inf", std::nullopt},
                    {"nan", std::nullopt},
                    {"1e309", std::nullopt},
                    {"1e3", std::nullopt},
                    {"99999999999999999999", std::nullopt},
                    {"", std::nullopt},
                    {"soon", std::nullopt},
                    {"2, 7", std::nullopt},
                    {"2s", std::nullopt},
                    {"0x10", std::nullopt}};
  for (const auto& row : rows) EXPECT_EQ(parse_retry_after(row.text, now), row.wait) << row.text;
}

// BC-039
TEST(durations, retry_after_in_milliseconds) {
  EXPECT_EQ(parse_retry_after_ms("250.5"), microseconds{250500});
  EXPECT_EQ(parse_retry_after_ms("0"), 0s);
  for (const std::string_view junk : {"", "-1", "soon", "inf", "250ms", "1e9999"})
    EXPECT_EQ(parse_retry_after_ms(junk), std::nullopt) << junk;
}

// BC-043
TEST(durations, reset_values_are_durations_or_instants) {
  struct {
    std::string_view text;
    std::optional<microseconds> wait;
  } const rows[] = {{"12ms", 12ms},
                    {"6m0s", 360s},
                    {"1h2m3.5s", 3723500ms},
                    {"1s", 1s},
                    {"45", 45s},
                    {"0", 0s},
                    {"2026-12-01T12:00:30Z", 30s},
                    {"2026-12-01T12:00:30.25Z", 30250ms},
                    {"2026-12-01T14:00:30+02:00", 30s},
                    {"2026-12-01T11:30:30-00:30", 30s},
                    {"2026-12-01T11:00:00Z", 0s},
                    {"2026-12-01T12:00:30", std::nullopt},
                    {"2026-12-01T12:00:30+xx:yy", std::nullopt},
                    {"-1", std::nullopt},
                    {"", std::nullopt},
                    {"s", std::nullopt},
                    {"6m0", std::nullopt},
                    {"0s45", std::nullopt},
                    {"6 m", std::nullopt},
                    {"1d", std::nullopt},
                    {"999999999h", std::nullopt},
                    {"nan", std::nullopt}};
  for (const auto& row : rows) EXPECT_EQ(parse_reset(row.text, now), row.wait) << row.text;
}

TEST(durations, resets_are_written_as_openai_writes_them) {
  struct {
    microseconds span;
    std::string_view text;
  } const rows[] = {{0s, "0s"},     {-1s, "0s"},           {1us, "1ms"},
                    {12ms, "12ms"}, {999ms, "999ms"},      {999001us, "1s"},
                    {1s, "1s"},     {1001ms, "2s"},        {60s, "1m0s"},
                    {360s, "6m0s"}, {3599001ms, "1h0m0s"}, {3723s, "1h2m3s"}};
  for (const auto& row : rows) {
    EXPECT_EQ(format_reset(row.span), row.text);
    EXPECT_GE(parse_reset(row.text, now).value(), row.span) << "never early";
  }
}

TEST(durations, retry_after_is_rounded_up_and_never_zero) {
  EXPECT_EQ(retry_after_seconds(0s), 1);
  EXPECT_EQ(retry_after_seconds(-5s), 1);
  EXPECT_EQ(retry_after_seconds(1us), 1);
  EXPECT_EQ(retry_after_seconds(1s), 1);
  EXPECT_EQ(retry_after_seconds(1000001us), 2);
}

}  // namespace
}  // namespace weir::wire
