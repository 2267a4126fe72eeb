// The report as text.
#include <fmt/format.h>

#include "sim/stress_report.hpp"
#include "sim/stress_words.hpp"

namespace weir::sim {
namespace {

double seconds(microseconds t) { return static_cast<double>(t.count()) / 1e6; }

double percent(std::int64_t part, std::int64_t of) {
  return of == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(of);
}

std::string time_text(microseconds t) {
  const auto us = static_cast<double>(t.count());
  if (us < 1e4) return fmt::format("{:.2f} ms", us / 1e3);
  return us < 1e6 ? fmt::format("{:.0f} ms", us / 1e3) : fmt::format("{:.2f} s", us / 1e6);
}

std::string times(std::string_view label, const duration_histogram& of) {
  if (of.count() == 0) return {};
  std::string line = fmt::format("  {:<22}", label);
  for (const auto& one : shown_percentiles)
    line += fmt::format(" {} {:<9}", one.name, time_text(of.percentile(one.percent)));
  return line + fmt::format(" max {}\n", time_text(of.max()));
}

std::string share(std::string_view label, std::int64_t count, std::int64_t of) {
  return fmt::format("  {:<22} {:>9}  {:>6.2f} %\n", label, count, percent(count, of));
}

std::string shares(const stress_report& r) {
  const stress_tally& t = r.tally;
  std::string out = share("200 admitted", t.with_status(200), t.sent) +
                    share("429 refused", t.with_status(429), t.sent) +
                    share("503 shed", t.with_status(503), t.sent);
  for (const auto& [status, count] : t.statuses)
    if (status != 200 && status != 429 && status != 503)
      out += share(fmt::format("{} other", status), count, t.sent);
  for (std::size_t i = 1; i < t.ends.size(); ++i) {
    const auto end = static_cast<call_end>(i);
    if (t.ends[i] > 0 && end != call_end::abandoned)
      out += share(fmt::format("no answer: {}", name_of(end)), t.ends[i], t.sent);
  }
  return out;
}

std::string retry_line(std::string_view label, const retry_after_tally& seen) {
  if (seen.good + seen.absent + seen.bad == 0) return {};
  std::string out = fmt::format("  {:<22}", label);
  if (seen.good > 0) out += fmt::format(" {} to {} s,", seen.min_s, seen.max_s);
  return out + fmt::format(" {} without, {} that are no whole seconds\n", seen.absent, seen.bad);
}

std::string flow(const stress_report& r) {
  const steadiness& s = r.steady;
  std::string out = fmt::format("  {:<22} {}", "tokens received", r.tally.tokens);
  if (r.tally.without_usage > 0)
    out += fmt::format(", and {} answers without usage", r.tally.without_usage);
  out += fmt::format("\n  {:<22} {} in seconds {} to {}, variation {:.2f} per second",
                     "200s after the burst", s.ok, s.from_s, s.to_s, s.per_second_cv);
  if (s.window_s > 1 && s.windows > 0)
    out += fmt::format(", {:.2f} per {} s", s.window_cv, s.window_s);
  return out + "\n";
}

std::string verdict(const stress_report& r, bool colour) {
  const auto paint = [colour](std::string_view code, std::string_view text) {
    return colour ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string{text};
  };
  std::string out;
  for (const auto& one : r.checks) {
    const std::string mark = one.state == check_state::pass   ? paint("32", "pass")
                             : one.state == check_state::fail ? paint("31", "FAIL")
                                                              : paint("33", "  - ");
    out += fmt::format("  {}  {:<12} {}\n", mark, one.name, one.reason);
  }
  const bool good = passed(r.checks);
  return out + fmt::format("VERDICT: {}\n", good ? paint("1;32", "PASS") : paint("1;31", "FAIL"));
}

}  // namespace

std::string to_text(const stress_report& r, bool colour) {
  const stress_tally& t = r.tally;
  std::string out =
      fmt::format("{} users, {} calls a second each, {:.1f} s{}\n", r.asked.users, r.asked.rate,
                  seconds(r.elapsed), r.ended_early ? ", ended early" : "");
  out += fmt::format("  {:<22} {:>9}\n", "sent", t.sent);
  out += shares(r);
  if (t.unsent > 0)
    out += fmt::format("  {:<22} {:>9}  {} calls were open\n", "not sent", t.unsent,
                       r.asked.in_flight);
  const auto abandoned = t.ends[static_cast<std::size_t>(call_end::abandoned)];
  if (abandoned > 0) out += fmt::format("  {:<22} {:>9}\n", "abandoned at the end", abandoned);
  out += times("time to first token", t.first_token);
  out += times("whole answer", t.latency);
  out += times("refusal", t.refusal);
  out += times("sent late by", t.send_lag);
  out += flow(r);
  out += retry_line("Retry-After of 429s", t.retry_429);
  out += retry_line("Retry-After of 503s", t.retry_503);
  return out + verdict(r, colour);
}

}  // namespace weir::sim
