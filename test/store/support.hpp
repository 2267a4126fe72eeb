// Rules, keys and times for the tests of store.
#pragma once

#include <coroutine>
#include <cstdint>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "base/task.hpp"
#include "store/store.hpp"

namespace weir::store::test {

constexpr std::int64_t minute = 60'000'000;

// So many microseconds after a full civil minute.
inline instant at(std::int64_t us) {
  constexpr std::int64_t start = 29'934'720 * minute;  // 2026-12-01
  return {mono_time{microseconds{minute + us}}, wall_time{microseconds{start + us}}};
}

inline key128 key(std::uint64_t n) { return {n * 0x9e3779b97f4a7c15U, n * 0xc2b2ae3d27d4eb4fU}; }

inline policy::limit_rule rule(std::int64_t amount, policy::algorithm how,
                               policy::unit unit = policy::unit::requests,
                               microseconds window = std::chrono::minutes{1}) {
  policy::limit_spec spec;
  spec.amount = amount;
  spec.unit = how == policy::algorithm::concurrency ? policy::unit::concurrent : unit;
  spec.algorithm = how;
  spec.window = window;
  spec.period = policy::calendar_period::minute;
  return policy::limit_rule::make(spec).value();
}

inline const std::vector<policy::algorithm> all_algorithms{
    policy::algorithm::token_bucket, policy::algorithm::sliding_window, policy::algorithm::calendar,
    policy::algorithm::concurrency, policy::algorithm::total};

// A coroutine that runs at once; for tasks that end without waiting.
struct started {
  struct promise_type {
    started get_return_object() const noexcept { return {}; }
    [[nodiscard]] std::suspend_never initial_suspend() const noexcept { return {}; }
    [[nodiscard]] std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    void unhandled_exception() const noexcept { std::terminate(); }
  };
};

template <class T>
started keep_result(task<T>& work, std::optional<T>& out) {
  out.emplace(co_await std::move(work));
}

inline started note_end(task<void>& work, bool& ended) {
  co_await std::move(work);
  ended = true;
}

}  // namespace weir::store::test
