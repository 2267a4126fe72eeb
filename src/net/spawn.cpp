// The detached coroutine and its end.
#include "net/spawn.hpp"

#include <exception>

#include "observe/log.hpp"

namespace weir::net {
namespace {

struct detached {
  struct promise_type {
    detached get_return_object() noexcept { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::terminate(); }
  };
};

detached run(task<> work, std::string_view name, observe::logger& log, spawn_counters& counters) {
  counters.running.fetch_add(1, std::memory_order_relaxed);
  try {
    co_await std::move(work);
  } catch (const std::exception& e) {
    counters.failed.fetch_add(1, std::memory_order_relaxed);
    log.error("a coroutine ended by an exception", {{"coroutine", name}, {"what", e.what()}});
  }
  counters.running.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace

void spawn(task<> work, std::string_view name, observe::logger& log, spawn_counters& counters) {
  run(std::move(work), name, log, counters);
}

}  // namespace weir::net
