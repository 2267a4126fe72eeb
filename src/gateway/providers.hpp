// The engines behind weir as they are right now: in flight, draining, ejected. One state per
// provider for the whole process; it outlives reloads. All members are atomics: read and written by
// every worker.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/time.hpp"

namespace weir::gateway {

class provider_state {
 public:
  // Calls that were sent and have not ended, over all workers.
  [[nodiscard]] std::int64_t in_flight() const {
    return in_flight_.load(std::memory_order_relaxed);
  }
  void begin() { in_flight_.fetch_add(1, std::memory_order_relaxed); }
  void end() { in_flight_.fetch_sub(1, std::memory_order_relaxed); }

  // A draining provider gets no new calls while another target exists.
  [[nodiscard]] bool draining() const { return draining_.load(std::memory_order_relaxed); }
  void set_draining(bool on) { draining_.store(on, std::memory_order_relaxed); }

  // A provider that could not be reached is passed over until a health probe reaches it.
  [[nodiscard]] bool ejected() const { return ejected_.load(std::memory_order_relaxed); }
  // True when this call changed the state.
  bool set_ejected(bool on) { return ejected_.exchange(on, std::memory_order_relaxed) != on; }

 private:
  std::atomic<std::int64_t> in_flight_{0};
  std::atomic<bool> draining_{false};
  std::atomic<bool> ejected_{false};
};

// Finds or makes the state of a provider by name. Thread-safe; not for the hot path.
class provider_directory {
 public:
  std::shared_ptr<provider_state> of(const std::string& name) {
    const std::lock_guard lock{mutex_};
    auto& state = states_[name];
    if (!state) state = std::make_shared<provider_state>();
    return state;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<provider_state>> states_;
};

}  // namespace weir::gateway
