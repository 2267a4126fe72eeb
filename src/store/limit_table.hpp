// Keys and their limit states: an index of 8 bytes per cell over slots of one cache line that never
// move. Not thread-safe: a shard of the embedded store locks it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/time.hpp"
#include "base/units.hpp"
#include "policy/limit_state.hpp"

namespace weir::store {

// Keys are hashes. Those with the same high word (one user's) lie side by side, so that a call's
// keys share a line or two of the index. Memory per key is 64 bytes and 12 to 24 of index, plus the
// log of a sliding window; what is freed is reused, not returned.
class limit_table {
 public:
  struct alignas(64) slot {
    key128 key;
    policy::limit_state state;
  };
  static_assert(sizeof(slot) == 64);

  using place = std::uint32_t;  // names a slot as long as it is not dropped
  static constexpr place nowhere = 0xffffffff;

  limit_table();
  ~limit_table();
  limit_table(const limit_table&) = delete;
  limit_table& operator=(const limit_table&) = delete;

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] slot& at(place p) const {
    return reinterpret_cast<slot*>(chunks_[p / chunk_slots]->bytes)[p % chunk_slots];
  }

  // Finding a key in three steps, so that the memory of several keys is waited for together: load
  // the index; guess by the index alone, which loads the slot; make sure.
  void prefetch(key128 key) const { __builtin_prefetch(&cells_[home(tag_of(key))]); }
  [[nodiscard]] place guess(key128 key) const {
    const place p = probe(tag_of(key), home(tag_of(key)));
    if (p != nowhere) __builtin_prefetch(&at(p));
    return p;
  }
  [[nodiscard]] place find(key128 key, place guessed) const {
    if (guessed == nowhere || at(guessed).key == key) [[likely]]
      return guessed;
    return find(key);
  }

  [[nodiscard]] place find(key128 key) const;

  // A new key, not there before.
  place insert(key128 key, const policy::limit_rule& rule, instant now);

  // Drops idle keys among the next `budget` cells, going round. Returns how many were dropped.
  std::size_t sweep(instant now, std::size_t budget);

 private:
  static constexpr std::size_t chunk_slots = 64;
  static constexpr std::size_t first_cells = 16;

  struct cell {
    std::uint32_t tag{0};
    place where{nowhere};
  };
  struct chunk {
    alignas(64) std::byte bytes[chunk_slots * sizeof(slot)];
  };

  // 20 bits of the high word and 12 of the low one. The uppermost bits chose the shard.
  static std::uint32_t tag_of(key128 key) {
    return static_cast<std::uint32_t>(key.high >> 26U & 0xfffff000U) |
           static_cast<std::uint32_t>(key.low & 0xfffU);
  }

  // A group of 8 cells by the high word, a cell in it by the low one.
  [[nodiscard]] std::size_t home(std::uint32_t tag) const {
    return (std::size_t{tag >> 12U} << 3U | (tag & 7U)) & mask_;
  }

  // The first place with this tag from cell i on.
  [[nodiscard]] place probe(std::uint32_t tag, std::size_t i) const {
    while (cells_[i].where != nowhere && cells_[i].tag != tag) i = (i + 1) & mask_;
    return cells_[i].where;
  }

  void grow();
  void link(cell c);
  void drop(std::size_t i);
  place free_slot();

  std::vector<cell> cells_;  // linear probing, at most 2/3 full
  std::size_t mask_;
  std::size_t size_{0};
  std::size_t hand_{0};  // where the next sweep looks
  std::vector<std::unique_ptr<chunk>> chunks_;
  std::vector<place> free_;
};

}  // namespace weir::store
