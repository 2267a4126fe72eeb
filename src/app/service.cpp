// Starting, reloading, draining.
#include "app/service.hpp"

#include <csignal>
#include <fmt/format.h>
#include <future>
#include <random>

#include "app/secret_file.hpp"
#include "config/loader.hpp"

namespace weir::app {
namespace {

constexpr microseconds housekeeping_every{200ms};
constexpr microseconds abort_patience{
    3s};  // after the time to drain, for answers to be cut off in order
constexpr std::size_t sweep_budget = 4096;  // limit entries looked at each time
constexpr std::int64_t failed_logins_per_minute = 60;

std::uint64_t random_word() {
  std::random_device source;
  return (std::uint64_t{source()} << 32) | source();
}

policy::limit_rule failed_login_rule() {
  policy::limit_spec spec;
  spec.amount = failed_logins_per_minute;
  spec.window = microseconds{60s};
  return policy::limit_rule::make(spec).value();
}

net::http_server_options server_options(const config::server_settings& settings) {
  net::http_server_options options;
  options.head.max_bytes = static_cast<std::size_t>(settings.max_header);
  options.header_timeout = settings.header_timeout;
  options.idle_timeout = settings.idle_timeout;
  options.write_timeout = settings.write_timeout;
  options.max_connections_per_address = settings.max_connections_per_address;
  return options;
}

std::size_t worker_count(int asked, const config::server_settings& settings) {
  if (asked > 0) return static_cast<std::size_t>(asked);
  if (settings.threads > 0) return static_cast<std::size_t>(settings.threads);
  return std::max(1U, std::thread::hardware_concurrency());
}

struct signal_awaiter {
  boost::asio::signal_set& on;
  boost::system::error_code ec;
  int number{0};
  [[nodiscard]] bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> h) {
    on.async_wait([this, h](const boost::system::error_code& e, int n) {
      ec = e;
      number = n;
      h.resume();
    });
  }
  void await_resume() const {}
};

}  // namespace

service::service(std::string config_path, std::shared_ptr<const config::settings> settings,
                 const clock& time, observe::logger& log)
    : config_path_{std::move(config_path)},
      time_{time},
      log_{log},
      shared_{time,
              log,
              spawned_,
              limits_,
              lasting_,
              {},
              random_word(),
              failed_login_rule(),
              lasting_.hasher.value("failed logins")},
      settings_{std::move(settings)},
      admin_loop_{time},
      signals_{admin_loop_.io(), SIGTERM, SIGINT, SIGHUP},
      started_{time.now().wall} {}

service::~service() {
  for (auto& seat : seats_) {
    seat->loop.stop();
    if (seat->thread.joinable()) seat->thread.join();
  }
}

result<std::string> service::admin_token() const {
  if (!settings_->admin.token.empty()) return settings_->admin.token;
  return read_or_make_secret(settings_->data_dir, "admin-token");
}

result<void> service::start(int threads) {
  auto made = gateway::book::make(settings_, lasting_, time_.now(), nullptr);
  if (!made) return made.error();
  plan_ = std::move(*made);
  const auto token = admin_token();
  if (!token) return token.error();
  const std::size_t count = worker_count(threads, settings_->server);
  const auto* tls = plan_->server_tls() ? &*plan_->server_tls() : nullptr;
  std::vector<admin::worker_handle> handles;
  for (std::size_t i = 0; i < count; ++i) {
    auto one = std::make_unique<seat>(time_);
    one->worker =
        std::make_unique<gateway::worker>(shared_, one->loop, plan_, static_cast<std::uint32_t>(i));
    one->server = std::make_unique<net::http_server>(
        one->loop, *one->worker, server_options(settings_->server), log_, spawned_, tls);
    const std::uint16_t port =
        i == 0 ? settings_->server.listen.port : seats_.front()->server->port();
    if (const auto bound =
            one->server->listen(settings_->server.listen.host, port,
                                i == 0 ? net::port_use::first_of_all : net::port_use::with_others);
        !bound) {
      return fail("server.listen: " + bound.error().message);
    }
    handles.push_back({&one->loop, one->worker.get(), one->server.get()});
    seats_.push_back(std::move(one));
  }
  admin_ = std::make_unique<admin::admin_api>(admin_loop_, shared_, handles, reloads_, *token,
                                              started_, WEIR_VERSION);
  admin_->adopt(plan_);
  admin_->on_reload = [this] { reload_wanted_ = true; };
  admin_server_ = std::make_unique<net::http_server>(
      admin_loop_, *admin_, net::http_server_options{}, log_, spawned_, nullptr);
  const auto& at = settings_->admin.listen;
  if (const auto bound = admin_server_->listen(at.host, at.port); !bound) {
    return fail("admin.listen: " + bound.error().message);
  }
  for (auto& seat : seats_) {
    seat->thread = std::thread{[&loop = seat->loop] { loop.run(); }};
  }
  say_started(count);
  return {};
}

void service::say_started(std::size_t threads) const {
  const auto& host = settings_->server.listen.host;
  log_.info("weir serves; limits are enforced per process: other weir processes do not share them",
            {{"listen", fmt::format("{}:{}", host, seats_.front()->server->port())},
             {"admin", fmt::format("{}:{}", settings_->admin.listen.host, admin_server_->port())},
             {"config", settings_->source},
             {"config_version", settings_->version},
             {"threads", threads},
             {"version", WEIR_VERSION}});
  for (const auto& warning : plan_->authenticator().warnings()) log_.warn(warning);
  log_.flush();
}

void service::run() {
  net::spawn(listen_to_signals(), "signals", log_, spawned_);
  net::spawn(housekeeping(), "housekeeping", log_, spawned_);
  admin_loop_.run();
  for (auto& seat : seats_) {
    if (seat->thread.joinable()) seat->thread.join();
  }
  log_.info("weir has stopped");
  log_.flush();
}

task<> service::listen_to_signals() {
  while (!stopping_) {
    signal_awaiter next{signals_, {}, 0};
    co_await next;
    if (next.ec) co_return;
    if (next.number == SIGHUP) {
      reload_wanted_ = true;
      continue;
    }
    stopping_ = true;
    net::spawn(drain(), "drain", log_, spawned_);
  }
}

// Small regular work. A reload is done here, so that a storm of signals makes one reload per round.
task<> service::housekeeping() {
  while (!stopping_) {
    co_await admin_loop_.sleep_until(time_.mono() + housekeeping_every);
    log_.flush();
    limits_.sweep(time_.now(), sweep_budget);
    if (std::exchange(reload_wanted_, false)) reload();
    auto& first = *seats_.front();
    first.loop.post([&first] { first.worker->look_after(); });
  }
}

void service::reload() {
  const auto refused = [this](std::string_view file, int line, int column,
                              std::string_view message) {
    log_.error("the new configuration is refused; the old one stays in force",
               {{"file", file}, {"line", line}, {"column", column}, {"mistake", message}});
  };
  reloads_.last_good = false;
  if (config_path_.empty()) {
    refused("", 0, 0, "weir was started without a configuration file");
    ++reloads_.bad;
    return;
  }
  const auto loaded = config::load_file(config_path_, config::process_environment());
  for (const auto& mistake : loaded.mistakes)
    refused(mistake.file, mistake.line, mistake.column, mistake.message);
  if (!loaded.value) {
    ++reloads_.bad;
    return;
  }
  auto made = gateway::book::make(loaded.value, lasting_, time_.now(), plan_.get());
  if (!made) {
    refused(config_path_, 0, 0, made.error().message);
    ++reloads_.bad;
    return;
  }
  report_restart_needed(*loaded.value);
  plan_ = std::move(*made);
  settings_ = loaded.value;
  for (auto& seat : seats_) {
    seat->loop.post([&one = *seat, plan = plan_] {
      one.worker->adopt(plan);
      one.server->set_options(server_options(plan->settings().server));
    });
  }
  admin_->adopt(plan_);
  reloads_.last_good = true;
  ++reloads_.good;
  log_.info("the configuration was reloaded", {{"version", settings_->version}});
}

void service::report_restart_needed(const config::settings& next) const {
  const auto differs = [this](bool on, std::string_view option) {
    if (on) log_.warn("this option changes only with a restart", {{"option", option}});
  };
  const auto& now = *settings_;
  differs(now.server.listen.host != next.server.listen.host ||
              now.server.listen.port != next.server.listen.port,
          "server.listen");
  differs(now.server.threads != next.server.threads, "server.threads");
  differs(now.server.tls.cert != next.server.tls.cert || now.server.tls.key != next.server.tls.key,
          "server.tls");
  differs(now.admin.listen.host != next.admin.listen.host ||
              now.admin.listen.port != next.admin.listen.port,
          "admin.listen");
  differs(now.admin.token != next.admin.token, "admin.token");
  differs(now.data_dir != next.data_dir, "data_dir");
}

std::int64_t service::calls_running() {
  std::int64_t sum = 0;
  for (auto& seat : seats_) {
    std::promise<std::int64_t> promise;
    auto answer = promise.get_future();
    seat->loop.post([&seat, &promise] { promise.set_value(seat->worker->calls_running()); });
    sum += answer.get();
  }
  return sum;
}

// Readiness goes off at once; running answers may go on until the time is over, then they are ended
// in order.
task<> service::drain() {
  log_.info("weir drains: no new calls, running answers go on");
  log_.flush();
  shared_.draining = true;
  for (auto& seat : seats_) seat->loop.post([&server = *seat->server] { server.drain(); });
  const mono_time until = time_.mono() + settings_->server.drain_timeout;
  while (calls_running() > 0 && time_.mono() < until)
    co_await admin_loop_.sleep_until(time_.mono() + 20ms);
  const auto cut = calls_running();
  if (cut > 0) {
    log_.warn("the time to drain is over; running answers are cut", {{"calls", cut}});
    for (auto& seat : seats_) seat->loop.post([&server = *seat->server] { server.abort_all(); });
    const mono_time last = time_.mono() + abort_patience;
    while (calls_running() > 0 && time_.mono() < last)
      co_await admin_loop_.sleep_until(time_.mono() + 20ms);
  }
  for (auto& seat : seats_) {
    seat->loop.post([&one = *seat] {
      one.worker->close_pools();
      one.loop.post([&one] { one.loop.stop(); });
    });
  }
  boost::system::error_code ignored;
  signals_.cancel(ignored);
  admin_server_->drain();
  admin_loop_.post([this] { admin_loop_.stop(); });
}

}  // namespace weir::app
