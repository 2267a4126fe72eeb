// Shared state of the limits: all claims of a call are decided at once, all or nothing, and settled
// once. Thread-safety: any thread may call anything. Implementations: embedded.hpp.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/task.hpp"
#include "base/time.hpp"
#include "base/units.hpp"
#include "policy/decision.hpp"
#include "policy/limit.hpp"

namespace weir::store {

inline constexpr std::size_t max_claims = 32;  // of one call; more is a bug (std::logic_error)

// One limit that a call asks something of.
struct claim {
  const policy::limit_rule* rule;  // read during admit only: it may be gone when the call settles
  key128 key;                      // names rule and subject: store/keys.hpp
  std::int64_t amount;             // requests, reserved tokens or slots; negative is refused, never
  bool observe{false};             // report, but never refuse. Counted as if it were enforced: what
                                   // it would have refused takes nothing from it
};

using verdict = policy::decision;

// What a call really used.
struct usage {
  std::int64_t requests{1};  // 1: the call counts; 0: it is given back
  std::int64_t tokens{0};    // prompt and answer; negative counts as 0
};

// What an admitted call holds, until it is settled. Move-only, two words and one block of exactly
// the size needed. Dropping it unsettled leaves its reservations held: the caller guards against
// that.
class grant {
 public:
  struct item {
    std::uint64_t place;    // the store's own name of the entry
    std::int64_t taken;     // how much was taken
    std::int64_t stamp;     // which window it was taken from
    policy::algorithm how;  // by which kernel
    policy::unit unit;      // of what
  };

  grant() = default;
  explicit grant(std::size_t count) : items_{new item[count]}, count_{count} {}
  grant(grant&& other) noexcept
      : items_{std::move(other.items_)}, count_{std::exchange(other.count_, 0)} {}
  grant& operator=(grant&& other) noexcept {
    items_ = std::move(other.items_);
    count_ = std::exchange(other.count_, 0);
    return *this;
  }

  [[nodiscard]] bool empty() const { return count_ == 0; }  // nothing held, or settled
  [[nodiscard]] std::span<item> items() { return {items_.get(), count_}; }
  [[nodiscard]] std::span<const item> items() const { return {items_.get(), count_}; }

 private:
  std::unique_ptr<item[]> items_;
  std::size_t count_{0};
};

// The answer to all claims of a call. May be reused from call to call.
struct admission {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  bool allowed{false};  // every enforced claim allowed it; otherwise nothing was taken
  std::size_t refused{
      none};     // the enforced claim to tell the caller: never before the longest wait
  instant at{};  // the store's time of the decision
  grant held;    // empty when refused
  boost::container::small_vector<verdict, 8> verdicts;  // one per claim, in their order. In a
                                                        // refused call, what remains is untouched
};

class embedded;

class store {
 public:
  virtual ~store() = default;

  // Decides all claims together: none takes anything unless every enforced one allows it.
  virtual task<admission> admit(std::vector<claim> claims, instant now) = 0;

  // Tokens become the real ones (what is given back is at most what was taken; more is a debt that
  // counts), concurrent slots are freed. Idempotent: a settled or empty grant holds nothing. What
  // was taken from a calendar or sliding window that is over by now stays with that window.
  virtual task<void> settle(grant held, usage real, instant now) = 0;

  // The in-process store, whose calls never wait, or null: the hot path uses it without a
  // coroutine.
  [[nodiscard]] virtual embedded* immediate() noexcept { return nullptr; }
};

}  // namespace weir::store
