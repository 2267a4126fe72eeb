// Which window and algorithm a limit has.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>

#include "config/diagnostic.hpp"
#include "config/limit_words.hpp"
#include "config/nearest.hpp"
#include "config/values.hpp"

namespace weir::config {

namespace {

using policy::algorithm;
using policy::calendar_period;

// A window with a name. `length` is 0 where it has none that is fixed, `period` absent where no
// calendar has it.
struct named_window {
  std::string_view name;
  microseconds length{0};
  std::optional<calendar_period> period;
  algorithm usual{algorithm::token_bucket};
};

const std::array<named_window, 10> named_windows{{
    {"s", 1s, std::nullopt, algorithm::token_bucket},
    {"sec", 1s, std::nullopt, algorithm::token_bucket},
    {"second", 1s, std::nullopt, algorithm::token_bucket},
    {"min", 1min, calendar_period::minute, algorithm::token_bucket},
    {"minute", 1min, calendar_period::minute, algorithm::token_bucket},
    {"h", 1h, calendar_period::hour, algorithm::token_bucket},
    {"hour", 1h, calendar_period::hour, algorithm::token_bucket},
    {"day", 24h, calendar_period::day, algorithm::calendar},
    {"week", 24h * 7, calendar_period::week, algorithm::calendar},
    {"month", 0s, calendar_period::month, algorithm::calendar},
}};

result<std::optional<algorithm>> parse_algorithm(std::string_view word) {
  if (word.empty()) return std::optional<algorithm>{};
  if (word == "token_bucket") return std::optional{algorithm::token_bucket};
  if (word == "sliding_window") return std::optional{algorithm::sliding_window};
  if (word == "calendar") return std::optional{algorithm::calendar};
  constexpr std::array<std::string_view, 3> names{"token_bucket", "sliding_window", "calendar"};
  return fail(fmt::format("expected token_bucket, sliding_window or calendar, found {}{}",
                          quoted(word), did_you_mean(word, names)));
}

result<named_window> parse_window(std::string_view word) {
  const auto* const known = std::ranges::find(named_windows, word, &named_window::name);
  if (known != named_windows.end()) return *known;
  if (word == "m") return fail("'/m' may be a minute or a month; write /min or /month");
  const bool number = word.front() >= '0' && word.front() <= '9';
  const auto length = parse_duration(word);
  if (!number || !length || *length == microseconds{0}) {
    return fail(
        fmt::format("expected /s, /min, /h, /day, /week, /month or a length such as /30s, /90m or "
                    "/24h, found {}",
                    quoted(word)));
  }
  return named_window{word, *length, std::nullopt, algorithm::token_bucket};
}

result<void> set_rate(policy::limit_spec& spec, const named_window& window, algorithm chosen) {
  if (chosen == algorithm::calendar) {
    if (!window.period) {
      return fail(
          fmt::format("/{} is no calendar window; expected /min, /h, /day, /week or /month, or "
                      "leave out 'calendar'",
                      window.name));
    }
    spec.period = *window.period;
  } else if (window.length == microseconds{0}) {
    return fail("a month has no fixed length for this algorithm; write /30d, or calendar");
  } else {
    spec.window = window.length;
  }
  spec.algorithm = chosen;
  return {};
}

}  // namespace

result<void> set_window(policy::limit_spec& spec, std::string_view window,
                        std::string_view algorithm_name, bool for_life) {
  if (spec.unit == policy::unit::concurrent) {
    if (!window.empty() || !algorithm_name.empty()) {
      return fail("concurrent calls have no window and no algorithm; write '4 concurrent'");
    }
    spec.algorithm = algorithm::concurrency;
    return {};
  }
  const auto said = parse_algorithm(algorithm_name);
  if (!said) return said.error();
  if (window.empty() && !for_life) {
    return fail("the window is missing; write for example '10 requests/min'");
  }
  if (window.empty() && *said) {
    return fail("an algorithm needs a window; write '/min' or leave the algorithm out");
  }
  if (window.empty()) {
    spec.algorithm = algorithm::total;
    spec.window = session_life;
    return {};
  }
  const auto known = parse_window(window);
  if (!known) return known.error();
  return set_rate(spec, *known, said->value_or(known->usual));
}

}  // namespace weir::config
