// See limit_table.hpp.
#include "store/limit_table.hpp"

#include <algorithm>
#include <utility>

namespace weir::store {

limit_table::limit_table() : cells_(first_cells), mask_{first_cells - 1} {}

limit_table::~limit_table() {
  for (const cell& c : cells_) {
    if (c.where != nowhere) std::destroy_at(&at(c.where));
  }
}

limit_table::place limit_table::find(key128 key) const {
  const std::uint32_t tag = tag_of(key);
  for (std::size_t i = home(tag); cells_[i].where != nowhere; i = (i + 1) & mask_) {
    if (cells_[i].tag == tag && at(cells_[i].where).key == key) return cells_[i].where;
  }
  return nowhere;
}

limit_table::place limit_table::insert(key128 key, const policy::limit_rule& rule, instant now) {
  if ((size_ + 1) * 3 > cells_.size() * 2) grow();
  const place where = free_slot();
  std::construct_at(&at(where), slot{key, policy::limit_state{rule, now}});
  free_.pop_back();
  link({tag_of(key), where});
  ++size_;
  return where;
}

// The last of free_ afterwards is free; it stays there until it is in use, whatever throws.
limit_table::place limit_table::free_slot() {
  if (free_.empty()) {
    const std::size_t first = chunks_.size() * chunk_slots;
    free_.reserve(first + chunk_slots);  // so that drop() never allocates
    chunks_.push_back(std::make_unique<chunk>());
    for (std::size_t i = chunk_slots; i > 0; --i) {
      free_.push_back(static_cast<place>(first + i - 1));
    }
  }
  return free_.back();
}

void limit_table::link(cell c) {
  std::size_t i = home(c.tag);
  while (cells_[i].where != nowhere) i = (i + 1) & mask_;
  cells_[i] = c;
}

void limit_table::grow() {
  std::vector<cell> old(cells_.size() * 2);
  old.swap(cells_);
  mask_ = cells_.size() - 1;
  for (const cell& c : old) {
    if (c.where != nowhere) link(c);
  }
}

// Empties cell i and moves later ones of its run back, so that no search stops too early.
void limit_table::drop(std::size_t i) {
  std::destroy_at(&at(cells_[i].where));
  free_.push_back(cells_[i].where);
  --size_;
  for (std::size_t next = (i + 1) & mask_; cells_[next].where != nowhere;
       next = (next + 1) & mask_) {
    const std::size_t from_home = (next - home(cells_[next].tag)) & mask_;
    const std::size_t from_hole = (next - i) & mask_;
    if (from_home < from_hole) continue;
    cells_[i] = cells_[next];
    i = next;
  }
  cells_[i] = cell{};
}

std::size_t limit_table::sweep(instant now, std::size_t budget) {
  std::size_t dropped = 0;
  budget = std::min(budget, cells_.size());
  for (; budget > 0; --budget) {
    hand_ &= mask_;
    const place where = cells_[hand_].where;
    if (where != nowhere && at(where).state.idle(now)) {
      drop(hand_);  // and look at the one that moved here
      ++dropped;
    } else {
      ++hand_;
    }
  }
  return dropped;
}

}  // namespace weir::store
