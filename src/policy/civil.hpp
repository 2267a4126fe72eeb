// Civil periods (minute, hour, day, week from Monday, month) of a time zone as spans of UTC. Right
// over daylight saving: days of 23 and 25 hours, midnights that do not exist or happen twice.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"
#include "base/time.hpp"

namespace date {
class time_zone;
}

namespace weir::policy {

enum class calendar_period : std::uint8_t {
  minute,  // the clock's minute
  hour,    // the clock's hour; one that is cut by a change of the clock is shorter
  day,     // from the first instant of a date, or its reset time, to that of the next: 23 to 25 h
  week,    // from Monday
  month,   // from the 1st
};

// begin <= t < end. The spans of one calendar follow each other without gap or overlap.
struct civil_span {
  wall_time begin{};  // first instant
  wall_time end{};    // first instant of the next one
  friend bool operator==(const civil_span&, const civil_span&) = default;
};

class civil_calendar {
 public:
  // `reset_at`: minutes after midnight, 0 to 1439, at which days, weeks and months begin. Errors:
  // an unknown zone, a reset time out of range. "UTC" needs no time zone database.
  static result<civil_calendar> make(calendar_period period, const std::string& zone,
                                     std::int32_t reset_at = 0);

  // Pure and thread-safe.
  [[nodiscard]] civil_span span_at(wall_time t) const;

 private:
  civil_calendar(calendar_period period, std::int32_t reset_at, const date::time_zone* zone)
      : period_{period}, reset_at_{reset_at}, zone_{zone} {}

  calendar_period period_;
  std::int32_t reset_at_;
  const date::time_zone* zone_;  // null: UTC
};

}  // namespace weir::policy
