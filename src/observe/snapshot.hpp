// The values of one thread's metrics, or of several merged, at one moment. A plain value: copy it
// to another thread, merge it there, print it. Not live.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "observe/series_table.hpp"

namespace weir::observe {

class snapshot {
 public:
  // Adds what another thread counted; gauges as their row of family_table says. No more series per
  // family than this snapshot may hold; the rest is folded into "other".
  void merge(const snapshot& other);

  // Prometheus' text format 0.0.4 (content type exposition_type), ending with a newline. Families
  // in the order of the table, series sorted; a label without a value is left out, as it means the
  // same. Sums and counts are exact decimals, not rounded.
  [[nodiscard]] std::string exposition() const;

 private:
  friend class metrics;
  explicit snapshot(std::vector<series_table> families) : families_{std::move(families)} {}

  std::vector<series_table> families_;  // one per row of family_table
};

inline constexpr std::string_view exposition_type = "text/plain; version=0.0.4; charset=utf-8";

}  // namespace weir::observe
