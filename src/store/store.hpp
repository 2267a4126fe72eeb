// Shared state of the limits: all claims of a call are decided at once, all or nothing, and settled
// once. Thread-safety: any thread may call anything. Implementations: embedded.hpp.
#pragma once

#include <array>
#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/task.hpp"
#include "base/time.hpp"
#include "base/units.hpp"
#include "policy/decision.hpp"
#include "policy/limit.hpp"

namespace weir::store {

inline constexpr std::size_t max_claims = 32;  // of one call; more is a bug (std::logic_error)

inline constexpr std::size_t max_currencies = 4;

// What becomes of a call that a limit would refuse.
enum class manner : std::uint8_t {
  enforce,  // it is refused
  observe,  // it is reported and goes on; what would have been refused takes nothing from the limit
  soft,     // it is reported and goes on; everything is counted, also beyond the limit
};

// What a limit says while a store outside of this process cannot be reached.
enum class unreachable : std::uint8_t {
  local,   // this process counts for itself, against its share
  open,    // everything passes
  closed,  // nothing passes
};

// One limit that a call asks something of.
struct claim {
  const policy::limit_rule* rule;  // read during admit only: it may be gone when the call settles
  key128 key;                      // names rule and subject: store/keys.hpp
  std::int64_t amount;  // in the rule's unit, for a call without any answer; negative is refused,
                        // never
  store::manner manner{store::manner::enforce};
  bool shrinks{false};         // enforced: rather bounds the answer than refuses the call
  std::uint8_t currency{0};    // unit::money: which of usage::money settles it
  std::int64_t per_output{0};  // on top for each token of the answer; >= 0
  std::string_view name{};     // rule and subject in words, for stores that keep words: encoded, at
                               // most 300 bytes, such as "bucket:user:u-1:tiers.FREE.limits[0]"
  store::unreachable unreachable{store::unreachable::local};
};

// How long an answer may be, in tokens; the store grants as much of it as every enforced claim that
// `shrinks` still affords. 0 <= least <= most. A call that does not afford `least` is refused.
struct output_range {
  std::int64_t least{0};
  std::int64_t most{0};
};

using verdict = policy::decision;

// What a call really used.
struct usage {
  std::int64_t requests{1};                          // 1: the call counts; 0: it is given back
  std::int64_t tokens{0};                            // prompt and answer; negative counts as 0
  std::array<std::int64_t, max_currencies> money{};  // pico-units; negative counts as 0
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
    std::uint8_t currency;  // unit::money: which of usage::money
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
      none};               // the enforced claim to tell the caller: never before the longest wait
  instant at{};            // the store's time of the decision
  grant held;              // empty when refused
  std::int64_t output{0};  // tokens that the answer may have, of the range asked for
  boost::container::small_vector<verdict, 8> verdicts;  // one per claim, in their order. In a
                                                        // refused call, what remains is untouched
};

class embedded;

class store {
 public:
  virtual ~store() = default;

  // Decides all claims together: none takes anything unless every enforced one allows it. Each
  // takes amount + per_output x the granted output.
  virtual task<admission> admit(std::vector<claim> claims, output_range output, instant now) = 0;

  // Tokens and money become the real ones (what is given back is at most what was taken; more is a
  // debt that counts), concurrent slots are freed. Idempotent: a settled or empty grant holds
  // nothing. What was taken from a calendar or sliding window that is over by now stays with that
  // window.
  virtual task<void> settle(grant held, usage real, instant now) = 0;

  // The in-process store, whose calls never wait, or null: the hot path uses it without a
  // coroutine.
  [[nodiscard]] virtual embedded* immediate() noexcept { return nullptr; }
};

}  // namespace weir::store
