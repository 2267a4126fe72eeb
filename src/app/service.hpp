// The running gateway: workers with their threads, the admin plane, signals, reload and drain. Made
// by serve().
#pragma once

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/signal_set.hpp>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "admin/admin.hpp"
#include "base/result.hpp"
#include "gateway/worker.hpp"
#include "net/http_server.hpp"
#include "net/loop.hpp"

namespace weir::app {

class service {
 public:
  service(std::string config_path, std::shared_ptr<const config::settings> settings,
          const clock& time, observe::logger& log);
  ~service();

  // Binds everything; nothing is served before all of it is bound. `threads` 0: as configured.
  result<void> start(int threads);
  // Runs the admin plane on this thread until the service has drained and stopped.
  void run();

 private:
  struct seat {
    explicit seat(const clock& time) : loop{time}, working{loop.io().get_executor()} {}
    net::loop loop;
    // An idle worker goes on waiting: its loop ends by stop() only.
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> working;
    std::unique_ptr<gateway::worker> worker;
    std::unique_ptr<net::http_server> server;
    std::thread thread;
  };

  result<std::string> admin_token() const;
  task<> listen_to_signals();
  task<> housekeeping();
  task<> drain();
  void reload();
  void report_restart_needed(const config::settings& next) const;
  [[nodiscard]] std::int64_t calls_running();
  void say_started(std::size_t threads) const;

  std::string config_path_;
  const clock& time_;
  observe::logger& log_;
  net::spawn_counters spawned_;
  store::embedded limits_;
  gateway::lasting_state lasting_;
  gateway::shared shared_;
  std::shared_ptr<const config::settings> settings_;
  std::shared_ptr<const gateway::book> plan_;
  std::vector<std::unique_ptr<seat>> seats_;
  net::loop admin_loop_;
  admin::reload_state reloads_;
  std::unique_ptr<admin::admin_api> admin_;
  std::unique_ptr<net::http_server> admin_server_;
  boost::asio::signal_set signals_;
  wall_time started_;
  bool reload_wanted_{false};
  bool stopping_{false};
};

}  // namespace weir::app
