// What is remembered of one limit and one subject: the kernels behind one interface, in 48 bytes.
// (rule, state, amount, now) -> new state + decision. No clock, no lock: the caller serialises.
#pragma once

#include <cstdint>

#include "policy/calendar_window.hpp"
#include "policy/counter.hpp"
#include "policy/decision.hpp"
#include "policy/limit.hpp"
#include "policy/sliding_window.hpp"
#include "policy/token_bucket.hpp"

namespace weir::policy {

// What a charge answers.
struct charged {
  std::int64_t stamp{0};  // names the window it was taken from, for limit_state::settle
  microseconds reset{0};  // until the limit is whole again if nothing more is taken
};

// Time never goes back for a state: an earlier `now` counts as the latest it has seen. Keeps no
// reference to a rule, so that what an old configuration admitted can be settled under a new one.
class limit_state {
 public:
  // Nothing used yet.
  limit_state(const limit_rule& rule, instant now);
  limit_state(limit_state&& other) noexcept;
  limit_state& operator=(limit_state&&) = delete;
  ~limit_state();

  // Brings the state to this rule and this time; before check() and charge(). A changed rule never
  // resets: a larger amount adds the difference; a smaller one leaves a bucket what it had, as far
  // as it fits, and counts what a window has used against it; a changed bucket window keeps the
  // fraction used; another algorithm starts with what was used.
  void prepare(const limit_rule& rule, instant now);

  // What a take of n would be answered. Changes nothing, so it is the peek, too. Negative n: never.
  [[nodiscard]] decision check(std::int64_t n, instant now) const;

  // Takes n >= 0 (whether it fits or not: check first) and counts one more open admission.
  charged charge(std::int64_t n, instant now);

  // check() and, if allowed, charge(): for one limit alone. `remaining` is what is left afterwards.
  decision take(const limit_rule& rule, std::int64_t n, instant now, std::int64_t* stamp = nullptr);

  // Ends one open admission that took `taken`: gives back taken - real, or charges real - taken as
  // a debt. Concurrent slots are freed whatever `real` is. `how`: the algorithm at admission; a
  // state that has changed it since ignores the amounts.
  void settle(algorithm how, std::int64_t taken, std::int64_t real, std::int64_t stamp,
              instant now);

  [[nodiscard]] policy::algorithm how() const { return algorithm_; }
  [[nodiscard]] std::int64_t amount() const { return amount_; }
  [[nodiscard]] std::uint32_t open() const { return open_; }

  // No admission is open and nothing is used: forgetting it loses nothing.
  [[nodiscard]] bool idle(instant now) const;

 private:
  void build(const limit_rule& rule, instant now);
  void destroy();
  void change_algorithm(const limit_rule& rule, instant now);
  [[nodiscard]] std::int64_t used(instant now) const;

  std::int64_t amount_;
  union {
    token_bucket bucket_;
    sliding_window sliding_;
    calendar_window calendar_;
    concurrency_counter concurrency_;
    total_counter total_;
  };
  std::uint32_t open_{0};
  std::uint16_t calendar_mark_{0};
  policy::algorithm algorithm_;
};

static_assert(sizeof(limit_state) == 48);

}  // namespace weir::policy
