// The admin plane: metrics, health, readiness, and the internal API behind a token. It has a thread
// and a listener of its own, so that it answers while the data plane is full.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gateway/worker.hpp"
#include "net/http_server.hpp"

namespace weir::admin {

// One worker as the admin plane sees it.
struct worker_handle {
  net::loop* loop;
  gateway::worker* worker;
  net::http_server* server;
};

// What the last load of the configuration came to. Shared with the thread that reloads.
struct reload_state {
  std::atomic<std::int64_t> good{0};
  std::atomic<std::int64_t> bad{0};
  std::atomic<bool> last_good{true};
};

class admin_api final : public net::http_handler {
 public:
  admin_api(net::loop& on, gateway::shared& with, std::vector<worker_handle> workers,
            reload_state& reloads, std::string token, wall_time started, std::string version);

  task<> handle(net::http_exchange& http) override;
  task<> refuse(net::http_exchange& http, const wire::http_error& error) override;

  // The book that new calls work by; set on this plane's thread.
  void adopt(std::shared_ptr<const gateway::book> plan) { plan_ = std::move(plan); }
  // Asks whoever reloads to do so now; may be called from this plane's thread only.
  std::function<void()> on_reload;

 private:
  struct answer {
    int status{200};
    std::string type{"application/json"};
    std::string body;
  };
  task<answer> metrics();
  answer ready() const;
  answer status() const;
  answer config() const;
  answer providers() const;
  answer drain_provider(std::string_view name, bool on);
  task<answer> internal(std::string_view method, std::string_view path);
  [[nodiscard]] bool authorised(const wire::request_head& head) const;
  task<observe::snapshot> collect();

  net::loop& on_;
  gateway::shared& with_;
  std::vector<worker_handle> workers_;
  reload_state& reloads_;
  std::string token_;
  wall_time started_;
  std::string version_;
  std::shared_ptr<const gateway::book> plan_;
};

}  // namespace weir::admin
