// See civil.hpp. Boundaries are computed from the zone's rules at each call; nothing is cached.
#include "policy/civil.hpp"

#include <algorithm>
#include <date/date.h>
#include <date/tz.h>
#include <exception>

namespace weir::policy {

namespace {

using std::chrono::seconds;

// date's own UTC seconds are std::chrono's.
date::sys_seconds whole_seconds(wall_time t) { return date::floor<seconds>(t); }

// A clock's minute or hour. A change of the clock's offset in its middle cuts it, so that spans
// follow each other also where clocks move by half an hour.
civil_span clock_span(seconds length, seconds offset, wall_time range_begin, wall_time range_end,
                      wall_time t) {
  const auto local = (t + offset).time_since_epoch();
  const auto into = local - date::floor<seconds>(local) + (date::floor<seconds>(local) % length);
  const auto wrapped = into < microseconds{0} ? into + length : into;
  const wall_time begin = t - wrapped;
  return {std::max(begin, range_begin), std::min<wall_time>(begin + length, range_end)};
}

// The first date of the period that holds `day`.
date::local_days first_date(calendar_period period, date::local_days day) {
  if (period == calendar_period::week) return day - (date::weekday{day} - date::Monday);
  if (period == calendar_period::month) {
    const date::year_month_day ymd{day};
    return date::local_days{ymd.year() / ymd.month() / 1};
  }
  return day;
}

date::local_days next_date(calendar_period period, date::local_days first) {
  if (period == calendar_period::week) return first + date::days{7};
  if (period == calendar_period::month) {
    const date::year_month_day ymd{first};
    return date::local_days{(ymd.year() / ymd.month() + date::months{1}) / 1};
  }
  return first + date::days{1};
}

// When a date begins, so many minutes after its midnight: the earlier of two such times, or the end
// of the gap that holds it.
wall_time first_instant(const date::time_zone* zone, date::local_days day, std::int32_t reset_at) {
  const std::chrono::minutes after{reset_at};
  if (zone == nullptr) return wall_time{date::sys_days{day.time_since_epoch()} + after};
  return zone->to_sys(day + after + seconds{0}, date::choose::earliest);
}

}  // namespace

result<civil_calendar> civil_calendar::make(calendar_period period, const std::string& zone,
                                            std::int32_t reset_at) {
  if (reset_at < 0 || reset_at >= 24 * 60) return fail("expected a reset time from 00:00 to 23:59");
  if (zone == "UTC") return civil_calendar{period, reset_at, nullptr};
  try {
    const date::time_zone* found = date::locate_zone(zone);
    (void)found->get_info(date::sys_seconds{});  // reads the zone's file now, not at a first call
    return civil_calendar{period, reset_at, found};
  } catch (const std::exception&) {
    return fail("unknown time zone \"" + zone +
                "\": expected an IANA name such as UTC or Europe/Rome, known to this machine's "
                "time zone database (package tzdata)");
  }
}

civil_span civil_calendar::span_at(wall_time t) const {
  seconds offset{0};
  wall_time range_begin = wall_time::min();
  wall_time range_end = wall_time::max();
  if (zone_ != nullptr) {
    const date::sys_info info = zone_->get_info(whole_seconds(t));
    offset = info.offset;
    if (info.begin > whole_seconds(wall_time::min())) range_begin = info.begin;
    if (info.end < whole_seconds(wall_time::max())) range_end = info.end;
  }
  if (period_ == calendar_period::minute || period_ == calendar_period::hour) {
    const seconds length = period_ == calendar_period::minute ? seconds{60} : seconds{3600};
    return clock_span(length, offset, range_begin, range_end, t);
  }
  const auto today =
      date::floor<date::days>(date::local_seconds{(whole_seconds(t) + offset).time_since_epoch()});
  date::local_days first = first_date(period_, today);
  date::local_days next = next_date(period_, first);
  civil_span span{first_instant(zone_, first, reset_at_), first_instant(zone_, next, reset_at_)};
  // Before its reset time a date still belongs to the period of the day before.
  if (t < span.begin && reset_at_ > 0) {
    next = first;
    first = first_date(period_, first - date::days{1});
    span = {first_instant(zone_, first, reset_at_), span.begin};
  }
  // Where clocks go back across midnight a date is left and entered again: it ended the first time.
  while (t >= span.end) {
    next = next_date(period_, next);
    span = {span.end, first_instant(zone_, next, reset_at_)};
  }
  return span;
}

}  // namespace weir::policy
