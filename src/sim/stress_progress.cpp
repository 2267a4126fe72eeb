// Drawing the line.
#include "sim/stress_progress.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace weir::sim {
namespace {

constexpr std::size_t bar_width = 20;

std::string share(const stress_tally& tally, int status, std::string_view colour) {
  const auto all = std::max<std::int64_t>(1, tally.sent);
  const double percent =
      100 * static_cast<double>(tally.with_status(status)) / static_cast<double>(all);
  const std::string text = fmt::format("{} {:.1f} %", status, percent);
  return colour.empty() ? text : fmt::format("\x1b[{}m{}\x1b[0m", colour, text);
}

}  // namespace

std::string progress_line(const stress_tally& tally, const progress& now) {
  const auto whole = std::max<std::int64_t>(1, now.duration.count());
  const auto done = std::clamp<std::int64_t>(now.elapsed.count(), 0, whole);
  const auto filled = static_cast<std::size_t>(
      static_cast<double>(bar_width) * static_cast<double>(done) / static_cast<double>(whole));
  const auto paint = [&now](std::string_view code) {
    return now.colour ? code : std::string_view{};
  };
  return fmt::format("[{}{}] {} of {} s  {} sent  {}  {}  {}  {} open", std::string(filled, '#'),
                     std::string(bar_width - filled, '.'), done / 1'000'000, whole / 1'000'000,
                     tally.sent, share(tally, 200, paint("32")), share(tally, 429, paint("33")),
                     share(tally, 503, paint("31")), now.in_flight);
}

}  // namespace weir::sim
