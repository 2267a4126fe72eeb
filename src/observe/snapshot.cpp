// Merging what threads counted apart.
#include "observe/snapshot.hpp"

#include <algorithm>

#include "observe/exposition.hpp"
#include "observe/families.hpp"

namespace weir::observe {
namespace {

void merge_into(std::int64_t& mine, std::int64_t theirs, across_threads how) {
  switch (how) {
    case across_threads::add:
      mine += theirs;
      break;
    case across_threads::greatest:
      mine = std::max(mine, theirs);
      break;
    case across_threads::least:
      mine = std::min(mine, theirs);
      break;
  }
}

void merge_family(series_table& mine, const series_table& theirs, across_threads how) {
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    const auto values = theirs.values(i);
    const auto from = theirs.row(i);
    const std::size_t known = mine.size();
    const std::size_t cell = mine.find_or_add(values);
    const auto into = mine.at(cell);
    if (mine.size() > known) {
      std::ranges::copy(from, into.begin());
      continue;
    }
    for (std::size_t k = 0; k < from.size(); ++k) merge_into(into[k], from[k], how);
  }
}

}  // namespace

void snapshot::merge(const snapshot& other) {
  for (std::size_t row = 0; row < families_.size(); ++row) {
    merge_family(families_[row], other.families_[row], family_table[row].merge);
  }
}

std::string snapshot::exposition() const {
  std::string out;
  for (std::size_t row = 0; row < families_.size(); ++row) {
    append_family(out, family_table[row], families_[row]);
  }
  return out;
}

}  // namespace weir::observe
