// What a limit is: how much of which unit, per which window, counted by which algorithm. Pure
// arithmetic on integers, no clock, no lock. A rule that makes no sense (0 per second, a window of
// nothing) cannot be constructed.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/result.hpp"
#include "base/time.hpp"
#include "policy/civil.hpp"

namespace weir::policy {

enum class unit : std::uint8_t {
  requests,    // one per call
  tokens,      // reserved before the call, settled with the real usage
  concurrent,  // held while the call runs
  money,       // pico-units of one currency, reserved and settled as tokens are
};

enum class algorithm : std::uint8_t {
  token_bucket,    // capacity = amount, refilled continuously at amount per window
  sliding_window,  // never more than amount in any span of one window
  calendar,        // resets at the civil boundary of the zone
  concurrency,     // unit::concurrent only: at most amount at once
  total,           // amount once and for all ("200 requests" of a session); never refilled
};

// Where a limit's window comes from, before it is checked.
struct limit_spec {
  std::int64_t amount{0};                                // at least 1
  policy::unit unit{unit::requests};                     // what is counted
  policy::algorithm algorithm{algorithm::token_bucket};  // how it is counted
  microseconds window{0};                        // token_bucket, sliding_window: at least 1 us;
                                                 // total: forgotten when unused for so long
  calendar_period period{calendar_period::day};  // calendar
  std::string zone{"UTC"};                       // calendar: IANA name
  std::int32_t reset_at{0};  // calendar, a day or longer: minutes after midnight
};

// A limit that passed its checks. Cheap to copy; immutable, so it may be read by any thread.
class limit_rule {
 public:
  // Errors: amount < 1 or > 2^50 (money: > 4e18, four million of a currency), money in a token
  // bucket, window < 1 us or > 400 days where one is needed, an unknown zone,
  // a unit that does not go with the algorithm. Reads the time zone database, once per zone.
  static result<limit_rule> make(const limit_spec& spec);

  [[nodiscard]] const limit_spec& spec() const { return spec_; }
  [[nodiscard]] std::int64_t amount() const { return spec_.amount; }
  [[nodiscard]] policy::unit unit() const { return spec_.unit; }
  [[nodiscard]] policy::algorithm algorithm() const { return spec_.algorithm; }
  [[nodiscard]] std::int64_t window() const { return spec_.window.count(); }

  // calendar: the period that holds t. Pure: no file is read.
  [[nodiscard]] civil_span span_at(wall_time t) const { return calendar_.span_at(t); }

  // calendar: a short name of period and zone, to notice that a reload changed them; else 0.
  [[nodiscard]] std::uint16_t calendar_mark() const { return calendar_mark_; }

 private:
  limit_rule(limit_spec spec, civil_calendar calendar, std::uint16_t mark)
      : spec_{std::move(spec)}, calendar_{calendar}, calendar_mark_{mark} {}

  limit_spec spec_;
  civil_calendar calendar_;
  std::uint16_t calendar_mark_{0};
};

}  // namespace weir::policy
