// The store in this process's memory: sharded tables, held for nanoseconds, no I/O and no waiting.
// Nothing survives the process. Thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <span>

#include "store/store.hpp"

namespace weir::store {

// What is in the tables; all but entries are 0 when no call runs.
struct embedded_totals {
  std::size_t entries{0};    // keys that are remembered
  std::int64_t open{0};      // claims taken and not yet settled
  std::int64_t held{0};      // concurrent slots held
  std::int64_t reserved{0};  // tokens and pico-units reserved by open claims
};

class embedded final : public store {
 public:
  embedded();
  ~embedded() override;
  embedded(const embedded&) = delete;
  embedded& operator=(const embedded&) = delete;

  // As store::admit, at once. `out` is overwritten; an unsettled grant in it is a bug. At most
  // max_claims claims; the same key may occur twice.
  void admit_now(std::span<const claim> claims, output_range output, instant now, admission& out);

  // As store::settle, at once; `held` is empty afterwards.
  void settle_now(grant& held, usage real, instant now);

  // Settle with nothing used: everything is given back.
  void release_now(grant& held, instant now) { settle_now(held, usage{0, 0}, now); }

  // What admit would answer to this claim alone; takes nothing and remembers nothing.
  [[nodiscard]] verdict peek(const claim& asked, instant now) const;

  // Drops entries that have been whole for one window (a minute, for concurrency), looking at no
  // more than `budget` of them; call it now and then (each new key also looks at a few). Returns
  // how many were dropped.
  std::size_t sweep(instant now, std::size_t budget);

  // Exact when nothing else runs; walks the tables, so for tests and metrics only.
  [[nodiscard]] embedded_totals totals() const;

  task<admission> admit(std::vector<claim> claims, output_range output, instant now) override;
  task<void> settle(grant held, usage real, instant now) override;
  [[nodiscard]] embedded* immediate() noexcept override { return this; }

 private:
  struct shard;
  struct candidate;
  using candidates = std::array<candidate, max_claims>;

  std::uint64_t find(std::span<const claim> claims, instant now, candidates& all);
  static std::int64_t affordable(std::span<const claim> claims, output_range output, instant now,
                                 const candidates& all);
  static std::size_t evaluate(std::span<const claim> claims, instant now, candidates& all,
                              admission& out);
  void commit(std::span<const claim> claims, instant now, const candidates& all, admission& out);

  std::unique_ptr<shard[]> shards_;
  std::atomic<std::size_t> next_swept_{0};
};

}  // namespace weir::store
