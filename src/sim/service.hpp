// A running simulated engine: loop, log, engine and server put together. For run_sim() and for
// tests, which run it on a thread of their own.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "net/http_server.hpp"
#include "net/system_clock.hpp"
#include "observe/log.hpp"
#include "sim/handler.hpp"
#include "sim/simulator.hpp"

namespace weir::sim {

class sim_service {
 public:
  // Checks the options, opens the log and binds the port. Errors: what run_sim() says.
  static result<std::unique_ptr<sim_service>> start(const sim_options& options);

  // Serves on the calling thread until stop().
  void run() { loop_.run(); }
  // Ends every call and every connection; run() returns when they are gone. Thread-safe.
  void stop();

  [[nodiscard]] std::uint16_t port() const { return server_.port(); }
  [[nodiscard]] net::loop& loop() { return loop_; }

 private:
  explicit sim_service(const sim_options& options);
  void end();

  sim_options options_;
  net::system_clock time_;
  observe::logger log_;
  net::spawn_counters spawned_;
  net::loop loop_;
  token_log tokens_;
  simulator sim_;
  sim_handler handler_;
  net::http_server server_;
};

}  // namespace weir::sim
