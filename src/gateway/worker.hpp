// One worker thread's gateway: its loop, its connections to the engines, its metrics, and the book
// it works by. Belongs to its thread; what is shared between workers is in `shared`.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <unordered_map>

#include "gateway/book.hpp"
#include "net/http_client.hpp"
#include "net/http_server.hpp"
#include "observe/log.hpp"
#include "observe/metrics.hpp"
#include "store/embedded.hpp"

namespace weir::gateway {

// What all workers share; made in main, outlives them.
struct shared {
  const clock& time;
  observe::logger& log;
  net::spawn_counters& spawned;
  store::embedded& limits;
  lasting_state& lasting;
  std::atomic<bool> draining{false};  // readiness is off, new calls are refused
  std::uint64_t boot{0};              // random; begins the request ids of this process
  policy::limit_rule failed_logins;   // per address: how many bad credentials are answered with 401
  key128 failed_logins_name{};
};

class worker final : public net::http_handler {
 public:
  worker(shared& with, net::loop& on, std::shared_ptr<const book> plan, std::uint32_t number);

  // On the worker's thread: the pipeline for one request.
  task<> handle(net::http_exchange& http) override;
  task<> refuse(net::http_exchange& http, const wire::http_error& error) override;

  // Works by another book from the next request on. On the worker's thread.
  void adopt(std::shared_ptr<const book> plan);
  // Fetches the JWKS if that is due; returns when no fetch is in flight any more, or after a few
  // seconds.
  task<> refresh_keys(std::shared_ptr<const book> plan);
  // Regular work, on the thread of the first worker: key sets that are due, providers that were
  // ejected.
  void look_after();
  // Closes the idle engine connections.
  void close_pools() { pools_.clear(); }

  [[nodiscard]] shared& with() { return with_; }
  [[nodiscard]] net::loop& on() { return on_; }
  [[nodiscard]] observe::metrics& metrics() { return metrics_; }
  [[nodiscard]] const std::shared_ptr<const book>& plan() const { return plan_; }
  // Calls hold on to their pool: a reload makes new ones.
  [[nodiscard]] std::shared_ptr<net::connection_pool> pool(const book_provider& provider);
  // The named limits of an API key.
  [[nodiscard]] const std::vector<book_limit>& key_limits(
      const std::shared_ptr<const std::vector<config::limit_settings>>& limits);
  [[nodiscard]] std::string next_request_id();
  // Turns with each call, so that equally loaded targets share alike.
  [[nodiscard]] std::uint32_t turn() { return turn_++; }
  [[nodiscard]] std::int64_t calls_running() const { return running_; }
  [[nodiscard]] store::admission& admission() { return admission_; }
  // Sets the gauges that are known only when asked for.
  void refresh_gauges(const net::http_server_counters& edge);
  void call_begins() { ++running_; }
  void call_ends() { --running_; }

 private:
  struct named_limits {
    std::shared_ptr<const std::vector<config::limit_settings>> source;
    std::vector<book_limit> limits;
  };

  struct probe_state {
    mono_time due{};
    bool running{false};
  };
  task<std::string> fetch_keys(std::string source);
  task<> probe(std::shared_ptr<const book> plan, const book_provider& provider);
  task<> refresh_in_background(std::shared_ptr<const book> plan);

  shared& with_;
  net::loop& on_;
  std::shared_ptr<const book> plan_;
  observe::metrics metrics_;
  store::admission admission_;
  std::unordered_map<std::string, std::shared_ptr<net::connection_pool>> pools_;
  std::unordered_map<const void*, named_limits> key_limits_;
  std::unordered_map<std::string, probe_state> probes_;
  mono_time next_refresh_{};
  bool refreshing_{false};
  std::uint32_t number_;
  std::uint32_t turn_{0};
  std::uint64_t sequence_{0};
  std::int64_t running_{0};
};

// Makes the series known from the book exist as 0: a counter born at 1 shows no increase.
void declare_series(observe::metrics& metrics, const book& plan);

}  // namespace weir::gateway
