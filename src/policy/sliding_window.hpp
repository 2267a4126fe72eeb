// Sliding window: never more than the amount in any span of one window. A log of what was taken
// when; for amounts above 1024 a log of sub-windows. No clock, no lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "policy/decision.hpp"

namespace weir::policy {

// Exact up to exact_amount. Above it, what was taken in one sub-window (1/60 of the window, rounded
// up) is remembered as if taken at the sub-window's end: so it never admits too much, and gives
// back up to 1/60 of the window late. Memory: at most twice as many records as the amount, or 128.
class sliding_window {
 public:
  static constexpr std::int64_t exact_amount = 1024;
  static constexpr std::int64_t sub_windows = 60;

  sliding_window(std::int64_t window, std::int64_t now);

  [[nodiscard]] std::int64_t window() const { return window_; }

  // A changed window holds for what is remembered, too; the log's facts stay.
  void set_window(std::int64_t window) { window_ = window; }

  // What a take of n >= 0 would be answered at max(now, the last taking). Changes nothing.
  [[nodiscard]] decision check(std::int64_t amount, std::int64_t n, std::int64_t now) const;

  // Takes n >= 0, whether it fits or not. Returns the stamp under which it is remembered.
  std::int64_t charge(std::int64_t amount, std::int64_t n, std::int64_t now);

  // Changes what was taken under a stamp by `delta`; what has left the window stays as it was.
  void correct(std::int64_t stamp, std::int64_t delta, std::int64_t now);

  // Until nothing of what was taken is left in the window.
  [[nodiscard]] microseconds reset(std::int64_t now) const;

  // Nothing taken is left in the window.
  [[nodiscard]] bool idle(std::int64_t now) const;

 private:
  struct record {
    std::int64_t stamp;
    std::int64_t amount;
  };
  // Records in order of time, in a ring whose size is a power of two.
  struct log {
    std::int64_t used{0};  // sum of all records
    std::int64_t last{0};  // latest time seen by a change
    std::size_t head{0};
    std::size_t count{0};
    std::vector<record> ring;

    [[nodiscard]] record& at(std::size_t i) { return ring[(head + i) & (ring.size() - 1)]; }
    [[nodiscard]] const record& at(std::size_t i) const {
      return ring[(head + i) & (ring.size() - 1)];
    }
    void push(record r);
    void make_room();
  };

  void forget_expired(std::int64_t now);

  std::int64_t window_;
  std::unique_ptr<log> log_;
};

}  // namespace weir::policy
