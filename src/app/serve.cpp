// weir serve.
#include "app/serve.hpp"

#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include "app/service.hpp"
#include "config/loader.hpp"
#include "net/system_clock.hpp"
#include "observe/log.hpp"

namespace weir::app {
namespace {

// Two descriptors per call: the soft limit of a login shell is far too small for a gateway.
void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

observe::log_options log_options(const config::log_settings& settings) {
  observe::log_options options;
  options.level = static_cast<observe::log_level>(settings.level);
  options.json = settings.json;
  options.fd = STDERR_FILENO;
  return options;
}

}  // namespace

int serve(const serve_options& options) {
  std::signal(SIGPIPE, SIG_IGN);
  raise_descriptor_limit();
  std::shared_ptr<const config::settings> settings;
  if (options.config.empty()) {
    settings = std::make_shared<const config::settings>(config::defaults());
  } else {
    const auto loaded = config::load_file(options.config, config::process_environment());
    for (const auto& one : loaded.mistakes) {
      fmt::print(stderr, "{}:{}:{}: {}\n", one.file, one.line, one.column, one.message);
    }
    if (!loaded.value) return 1;
    settings = loaded.value;
  }
  const net::system_clock time;
  observe::logger log{log_options(settings->log), time};
  service running{options.config, settings, time, log};
  if (const auto started = running.start(options.threads); !started) {
    fmt::print(stderr, "weir: {}\n", started.error().message);
    return 1;
  }
  running.run();
  return 0;
}

}  // namespace weir::app
