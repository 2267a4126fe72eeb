// Starts a coroutine that nobody awaits: the only way to do so. It is named, counted, and an
// exception that ends it is logged. Call it on the thread of the loop that the coroutine will run
// on.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "base/task.hpp"

namespace weir::observe {
class logger;
}

namespace weir::net {

// How many coroutines are running and how many ended by an exception, over all threads.
struct spawn_counters {
  std::atomic<std::int64_t> running{0};
  std::atomic<std::int64_t> failed{0};
};

// `name` must outlive the program (a literal); `log` and `counters` must outlive the coroutine.
void spawn(task<> work, std::string_view name, observe::logger& log, spawn_counters& counters);

}  // namespace weir::net
