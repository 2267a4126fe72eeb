// `weir stress` at the terminal: descriptors, the progress line, the report, the exit status.
#include "sim/stress.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include "net/system_clock.hpp"
#include "sim/stress_progress.hpp"
#include "sim/stress_run.hpp"

namespace weir::sim {
namespace {

constexpr std::size_t spare_descriptors = 64;  // for everything but calls

// Raises the soft limit on descriptors as far as is allowed; how many calls may then be open.
std::size_t calls_by_descriptors() {
  rlimit now{};
  if (::getrlimit(RLIMIT_NOFILE, &now) != 0) return SIZE_MAX;
  now.rlim_cur = now.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &now);
  ::getrlimit(RLIMIT_NOFILE, &now);
  const std::size_t all = now.rlim_cur;
  return all > 2 * spare_descriptors ? all - spare_descriptors : spare_descriptors;
}

bool colour_on(int fd) {
  const char* no_colour = std::getenv("NO_COLOR");
  return ::isatty(fd) == 1 && (no_colour == nullptr || *no_colour == '\0');
}

class terminal_line final : public stress_viewer {
 public:
  explicit terminal_line(microseconds duration)
      : duration_{duration}, colour_{colour_on(STDERR_FILENO)} {}
  ~terminal_line() override { draw({}); }

  void look(const stress_tally& tally, microseconds elapsed, std::size_t in_flight) override {
    draw(progress_line(tally, {elapsed, duration_, in_flight, colour_}));
  }

 private:
  // Over what stands there; an empty line leaves nothing.
  static void draw(const std::string& line) {
    fmt::print(stderr, "\r{}\x1b[K", line);
    std::fflush(stderr);
  }

  microseconds duration_;
  bool colour_;
};

int complain(const error& what) {
  fmt::print(stderr, "weir stress: {}\n", what.message);
  return 2;
}

}  // namespace

int run_stress(const stress_options& asked) {
  const net::system_clock time;
  stress_options options = asked;
  options.in_flight = std::min(options.in_flight, calls_by_descriptors());
  const auto plan = make_plan(options, time.now());
  if (!plan) return complain(plan.error());
  observe::log_options logging;
  logging.fd = STDERR_FILENO;
  logging.json = false;
  observe::logger log{logging, time};
  const auto ran = [&]() -> result<stress_result> {
    if (options.quiet || ::isatty(STDERR_FILENO) != 1)
      return run_plan(*plan, options, time, log, nullptr);
    terminal_line line{options.duration};
    return run_plan(*plan, options, time, log, &line);
  }();
  if (!ran) return complain(ran.error());
  const stress_report report = make_report(options, *ran);
  if (options.json) {
    fmt::print("{}\n", to_json(report));
  } else {
    fmt::print("{}", to_text(report, colour_on(STDOUT_FILENO)));
  }
  std::fflush(stdout);
  return passed(report.checks) ? 0 : 1;
}

}  // namespace weir::sim
