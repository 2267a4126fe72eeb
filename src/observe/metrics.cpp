// One table of series per family, and what goes into a histogram.
#include "observe/metrics.hpp"

#include <algorithm>
#include <array>

namespace weir::observe {

metrics::metrics(std::size_t most_series) {
  families_.reserve(family_table.size());
  for (const family_row& row : family_table) {
    series_table& table = families_.emplace_back(row.label_count(), row.width(),
                                                 std::max<std::size_t>(1, most_series));
    if (row.label_count() == 0 && row.type != kind::gauge) table.find_or_add({});
  }
}

void metrics::record(std::size_t row, std::size_t cell, std::int64_t value) {
  value = std::max<std::int64_t>(0, value);
  const auto bounds = family_table[row].buckets;
  const auto bucket = std::ranges::lower_bound(bounds, value) - bounds.begin();
  const auto cells = families_[row].at(cell);
  ++cells[static_cast<std::size_t>(bucket)];
  cells.back() += value;
}

snapshot metrics::copy() const { return snapshot{families_}; }

std::string_view status_label(int status) {
  static constexpr auto digits = [] {
    std::array<char, 500 * 3> text{};
    for (std::size_t i = 0; i < 500; ++i) {
      text[3 * i] = static_cast<char>('1' + i / 100);
      text[3 * i + 1] = static_cast<char>('0' + i / 10 % 10);
      text[3 * i + 2] = static_cast<char>('0' + i % 10);
    }
    return text;
  }();
  if (status < 100 || status > 599) return "other";
  return {&digits[3 * (static_cast<std::size_t>(status) - 100)], 3};
}

}  // namespace weir::observe
