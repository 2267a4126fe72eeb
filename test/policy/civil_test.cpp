// Civil periods over daylight saving and odd midnights. Instants are written as seconds of UTC; the
// dates beside them are what `date -u -d @N` says.
#include "policy/civil.hpp"

#include <gtest/gtest.h>
#include <string>

#include "support.hpp"

namespace weir::policy::test {
namespace {

using std::chrono::hours;

wall_time utc(std::int64_t seconds) { return wall_time{std::chrono::seconds{seconds}}; }

civil_span span(calendar_period period, const std::string& zone, std::int64_t seconds) {
  return civil_calendar::make(period, zone).value().span_at(utc(seconds));
}

TEST(civil, a_utc_day_begins_and_ends_at_midnight) {
  const civil_span day = span(calendar_period::day, "UTC", 1'796'083'200 + 5);  // 2026-12-01
  EXPECT_EQ(day.begin, utc(1'796'083'200));
  EXPECT_EQ(day.end, utc(1'796'083'200 + 86'400));
}

TEST(civil, a_week_begins_on_monday) {
  const civil_span week = span(calendar_period::week, "UTC", 1'796'083'200);  // Tuesday
  EXPECT_EQ(week.begin, utc(1'796'083'200 - 86'400));
  EXPECT_EQ(week.end - week.begin, hours{7 * 24});
  EXPECT_EQ(span(calendar_period::week, "UTC", 1'796'083'200 - 86'400), week);
  EXPECT_EQ(span(calendar_period::week, "UTC", 1'796'083'200 - 86'401).end, week.begin);
}

TEST(civil, months_have_their_own_lengths) {
  EXPECT_EQ(span(calendar_period::month, "UTC", 1'796'083'200).begin, utc(1'796'083'200));
  const civil_span february = span(calendar_period::month, "UTC", 1'835'395'200);  // 2028-02-29
  EXPECT_EQ(february.end - february.begin, hours{29 * 24});
  EXPECT_EQ(february.begin, utc(1'832'976'000));  // 2028-02-01
}

TEST(civil, a_day_in_rome_is_23_hours_in_spring_and_25_in_autumn) {
  const civil_span spring = span(calendar_period::day, "Europe/Rome", 1'774'746'000);
  EXPECT_EQ(spring.begin, utc(1'774'738'800));  // 2026-03-28 23:00 UTC
  EXPECT_EQ(spring.end - spring.begin, hours{23});
  const civil_span autumn = span(calendar_period::day, "Europe/Rome", 1'792'900'000);
  EXPECT_EQ(autumn.begin, utc(1'792'879'200));  // 2026-10-24 22:00 UTC
  EXPECT_EQ(autumn.end - autumn.begin, hours{25});
}

TEST(civil, where_midnight_does_not_exist_the_day_begins_at_one) {
  // Beirut, 2022-03-27: 00:00 became 01:00 at 2022-03-26 22:00 UTC.
  const civil_span day = span(calendar_period::day, "Asia/Beirut", 1'648'378'800);
  EXPECT_EQ(day.begin, utc(1'648'332'000));
  EXPECT_EQ(day.end - day.begin, hours{23});
}

TEST(civil, where_midnight_happens_twice_the_day_begins_at_the_first) {
  // Havana, 2022-11-06: 01:00 became 00:00 at 05:00 UTC.
  const civil_span day = span(calendar_period::day, "America/Havana", 1'667'714'400);
  EXPECT_EQ(day.begin, utc(1'667'707'200));  // 04:00 UTC
  EXPECT_EQ(day.end - day.begin, hours{25});
}

TEST(civil, a_date_that_is_left_and_entered_again_has_ended) {
  // St. John's, 2010-11-07: 00:01 became 23:01 of the 6th at 02:31 UTC; midnight was at 02:30.
  const civil_span before = span(calendar_period::day, "America/St_Johns", 1'289'097'000 - 1);
  const civil_span again = span(calendar_period::day, "America/St_Johns", 1'289'097'000 + 1800);
  EXPECT_EQ(before.end, utc(1'289'097'000));
  EXPECT_EQ(again.begin, before.end);
  EXPECT_EQ(again.end - again.begin, hours{25});
}

TEST(civil, a_date_that_was_skipped_leaves_no_gap) {
  // Apia went from 2011-12-29 to 2011-12-31 at 10:00 UTC of the 30th.
  const civil_span last = span(calendar_period::day, "Pacific/Apia", 1'325'239'200 - 1);
  const civil_span next = span(calendar_period::day, "Pacific/Apia", 1'325'239'200);
  EXPECT_EQ(last.end, utc(1'325'239'200));
  EXPECT_EQ(next.begin, last.end);
  EXPECT_EQ(next.end - next.begin, hours{24});
}

TEST(civil, spans_follow_each_other_without_gap_or_overlap_in_any_zone) {
  const std::vector<calendar_period> periods{calendar_period::minute, calendar_period::hour,
                                             calendar_period::day, calendar_period::week,
                                             calendar_period::month};
  for (const char* zone : {"UTC", "Europe/Rome", "America/St_Johns", "Australia/Lord_Howe",
                           "America/Havana", "Asia/Kathmandu", "Africa/Casablanca"}) {
    for (const calendar_period period : periods) {
      const civil_calendar calendar = civil_calendar::make(period, zone).value();
      std::int64_t t = 1'262'304'000;  // 2010
      civil_span span = calendar.span_at(utc(t));
      for (int i = 0; i < 400; ++i) {
        const civil_span next = calendar.span_at(span.end);
        ASSERT_EQ(next.begin, span.end) << zone << ' ' << i;
        ASSERT_LT(next.begin, next.end) << zone << ' ' << i;
        ASSERT_EQ(calendar.span_at(next.end - microseconds{1}), next) << zone << ' ' << i;
        const wall_time inside = next.begin + (next.end - next.begin) / 3;
        ASSERT_EQ(calendar.span_at(inside), next) << zone << ' ' << i;
        span = next;
      }
    }
  }
}

TEST(civil, a_change_by_half_an_hour_cuts_the_clocks_hour) {
  // Lord Howe, 2010-04-04: 02:00 became 01:30 at 2010-04-03 15:00 UTC.
  const civil_span before = span(calendar_period::hour, "Australia/Lord_Howe", 1'270'306'800 - 1);
  const civil_span after = span(calendar_period::hour, "Australia/Lord_Howe", 1'270'306'800);
  EXPECT_EQ(before.end - before.begin, hours{1});
  EXPECT_EQ(after.begin, before.end);
  EXPECT_EQ(after.end - after.begin, std::chrono::minutes{30});
}

TEST(civil, an_unknown_zone_is_refused_with_what_was_expected) {
  const auto made = civil_calendar::make(calendar_period::day, "Europe/Rom");
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message.find("\"Europe/Rom\""), std::string::npos);
  EXPECT_NE(made.error().message.find("Europe/Rome"), std::string::npos);
}

// BC-093: a daily budget with a reset time is a calendar day, shifted.
TEST(civil, a_day_may_begin_at_another_time_of_day) {
  const auto at_six =
      civil_calendar::make(calendar_period::day, "Europe/Amsterdam", 6 * 60).value();
  const auto day = at_six.span_at(utc(1'796'083'200));   // 2026-12-01 00:00 UTC, 01:00 there
  EXPECT_EQ(day.begin, utc(1'796'083'200 - 19 * 3600));  // 2026-11-30 05:00 UTC
  EXPECT_EQ(day.end, utc(1'796'083'200 + 5 * 3600));
  EXPECT_EQ(at_six.span_at(day.end).begin, day.end);
}

TEST(civil, a_shifted_day_is_longer_when_clocks_go_back_within_it) {
  const auto at_one = civil_calendar::make(calendar_period::day, "Europe/Amsterdam", 60).value();
  const auto day = at_one.span_at(utc(1'792'893'600));  // 2026-10-25 02:00 UTC, after the change
  EXPECT_EQ(day.begin, utc(1'792'882'800));             // 2026-10-24 23:00 UTC, 01:00 there
  EXPECT_EQ(day.end - day.begin, hours{25});
}

TEST(civil, weeks_and_months_begin_at_the_reset_time_too) {
  const auto week = civil_calendar::make(calendar_period::week, "UTC", 90).value();
  const auto span_of_week = week.span_at(utc(1'796'083'200));
  EXPECT_EQ(span_of_week.begin, utc(1'796'083'200 - 86'400 + 90 * 60));
  const auto month = civil_calendar::make(calendar_period::month, "UTC", 90).value();
  const auto before = month.span_at(utc(1'796'083'200 + 60));  // 00:01 on the 1st: still November
  EXPECT_EQ(before.end, utc(1'796'083'200 + 90 * 60));
  EXPECT_EQ(before.end - before.begin, hours{30 * 24});
}

TEST(civil, a_reset_time_out_of_range_is_refused) {
  EXPECT_FALSE(civil_calendar::make(calendar_period::day, "UTC", 1440));
  EXPECT_FALSE(civil_calendar::make(calendar_period::day, "UTC", -1));
}

}  // namespace
}  // namespace weir::policy::test
