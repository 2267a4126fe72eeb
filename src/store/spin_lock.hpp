// A lock for work of nanoseconds: one byte, no system call while it is free.
#pragma once

#include <atomic>
#include <thread>

namespace weir::store {

// Never held across anything that may wait. A holder that was descheduled is waited for by
// yielding.
class spin_lock {
 public:
  void lock() noexcept {
    while (taken_.exchange(true, std::memory_order_acquire)) wait();
  }
  void unlock() noexcept { taken_.store(false, std::memory_order_release); }

 private:
  void wait() const noexcept {
    int spins = 0;
    while (taken_.load(std::memory_order_relaxed)) {
      if (++spins < patience) {
        pause();
      } else {
        std::this_thread::yield();
      }
    }
  }
  static void pause() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  static constexpr int patience = 100;  // a few hundred nanoseconds, longer than it is ever held
  std::atomic<bool> taken_{false};
};

}  // namespace weir::store
