// Wiring, and the command line's entry.
#include "sim/service.hpp"

#include <algorithm>
#include <boost/asio/signal_set.hpp>
#include <charconv>
#include <cstdio>
#include <fmt/format.h>
#include <sys/resource.h>

namespace weir::sim {
namespace {

net::http_server_options server_options(const sim_options& options) {
  net::http_server_options out;
  out.idle_timeout = options.keep_alive;
  return out;
}

observe::log_options warnings_only() {
  observe::log_options out;
  out.level = observe::log_level::warn;
  out.fd = 2;
  return out;
}

struct place {
  std::string host;
  std::uint16_t port{0};
};

result<place> read_listen(const std::string& text) {
  const auto colon = text.rfind(':');
  place out;
  bool right = colon != std::string::npos;
  if (right) {
    out.host = text.substr(0, colon);
    if (out.host.size() > 2 && out.host.front() == '[' && out.host.back() == ']')
      out.host = out.host.substr(1, out.host.size() - 2);
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data() + colon + 1, end, out.port);
    right = read.ec == std::errc{} && read.ptr == end;
  }
  if (!right)
    return fail(fmt::format("--listen '{}': expected ADDRESS:PORT, such as 127.0.0.1:8000", text));
  return out;
}

result<void> check(const sim_options& options) {
  auto engine_ok = check_engine(options.engine);
  if (!engine_ok) return engine_ok;
  if (options.models.empty() || std::ranges::any_of(options.models, &std::string::empty))
    return fail("--model: expected at least one name; * takes any");
  if (options.fast_tokens < 1 || options.fast_burst < 1 || options.fast_tokens > 1'000'000)
    return fail("--fast-tokens and --fast-burst: expected at least 1, at most 1000000");
  return {};
}

// Thousands of slow streams need as many descriptors; more than the hard limit is not to be had.
void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

sim_service::sim_service(const sim_options& options)
    : options_{options},
      log_{warnings_only(), time_},
      loop_{time_},
      sim_{loop_, options_, tokens_},
      handler_{sim_},
      server_{loop_, handler_, server_options(options_), log_, spawned_, nullptr} {}

result<std::unique_ptr<sim_service>> sim_service::start(const sim_options& options) {
  const auto right = check(options);
  if (!right) return right.error();
  const auto where = read_listen(options.listen);
  if (!where) return where.error();
  auto faults = read_faults(options.faults);
  if (!faults) return fail("--faults: " + faults.error().message);
  std::unique_ptr<sim_service> made{new sim_service{options}};
  if (!options.faults.empty())
    made->sim_.faults().set(options.faults, std::move(*faults), std::nullopt);
  const auto opened = made->tokens_.open(options.log);
  if (!opened) return opened.error();
  const auto bound = made->server_.listen(where->host, where->port);
  if (!bound) return bound.error();
  return made;
}

void sim_service::stop() {
  loop_.post([this] { end(); });
}

void sim_service::end() {
  server_.drain();
  sim_.stop();
  server_.abort_all();
  loop_.deadlines().stop();
}

int run_sim(const sim_options& options) {
  raise_descriptor_limit();
  const auto started = sim_service::start(options);
  if (!started) {
    fmt::print(stderr, "weir sim: {}\n", started.error().message);
    return 1;
  }
  sim_service& service = **started;
  boost::asio::signal_set signals{service.loop().io(), SIGINT, SIGTERM};
  signals.async_wait([&service](const boost::system::error_code& failed, int) {
    if (!failed) service.stop();
  });
  fmt::print("weir sim: a simulated engine for {} on port {}\n", fmt::join(options.models, ", "),
             service.port());
  std::fflush(stdout);
  service.run();
  return 0;
}

}  // namespace weir::sim
