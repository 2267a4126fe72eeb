// Sliding window: never more than the amount in any span of one window. A log of what was taken
// when; for amounts above 1024 a log of sub-windows. No clock, no lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "policy/decision.hpp"

namespace weir::policy {

// Exact up to exact_amount. Above it, what was taken in one sub-window (1/60 of the window, rounded
// up) is remembered as if taken at the sub-window's end: so it never admits too much, and gives
// back up to 1/60 of the window late. Memory: at most twice as many records as the amount, or 128.
class sliding_window {
 public:
  static constexpr std::int64_t exact_amount = 1024;
  static constexpr std::int64_t sub_windows = 60;

  sliding_window(std::int64_t window, std::int64_t now) : window_{window}, last_{now} {}

  // Starts to load the memory that check() will read.
  void prefetch() const { __builtin_prefetch(ring_.get()); }

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

  // Nothing taken was left for a whole window: forgetting it loses nothing, and it is not in steady
  // use.
  [[nodiscard]] bool idle(std::int64_t now) const;

 private:
  static constexpr std::uint32_t first_size = 4;

  struct record {
    std::int64_t stamp;
    std::int64_t amount;
  };
  // Records in order of time, in a ring whose size is a power of two: one block with its records.
  struct alignas(record) ring {
    std::uint32_t size;
    std::uint32_t head{0};
    std::uint32_t count{0};

    [[nodiscard]] record& at(std::uint32_t i) {
      return reinterpret_cast<record*>(this + 1)[(head + i) & (size - 1)];
    }
  };
  struct release {
    void operator()(ring* r) const { ::operator delete(r); }
  };
  using owned_ring = std::unique_ptr<ring, release>;
  static owned_ring make_ring(std::uint32_t size);

  [[nodiscard]] std::uint32_t count() const { return ring_ ? ring_->count : 0; }
  [[nodiscard]] std::int64_t latest(std::int64_t now) const { return now > last_ ? now : last_; }
  [[nodiscard]] std::uint32_t lower_bound(std::int64_t stamp) const;
  void forget_expired(std::int64_t now);
  void push(record r);
  void make_room();

  std::int64_t window_;
  std::int64_t used_{0};  // sum of all records
  std::int64_t last_;     // latest time seen by a change
  owned_ring ring_;
};

}  // namespace weir::policy
