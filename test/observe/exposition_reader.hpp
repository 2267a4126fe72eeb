// Reads an exposition back, strictly enough for the tests: each sample by its name and labels.
#pragma once

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "observe/support.hpp"

namespace weir::observe {

// "name{labels}" to the value as written. A sample that stands twice is a failure.
inline std::map<std::string, std::string> samples_of(const std::string& exposition) {
  std::map<std::string, std::string> samples;
  for (const auto& line : lines_of(exposition)) {
    if (line.starts_with('#')) continue;
    const auto space = line.rfind(' ');
    EXPECT_TRUE(samples.emplace(line.substr(0, space), line.substr(space + 1)).second) << line;
  }
  return samples;
}

// As Prometheus' histogram_quantile: linear within the bucket that holds the rank.
inline double histogram_quantile(double q, const std::string& exposition, const std::string& name) {
  std::vector<std::pair<double, double>> buckets;  // upper bound, cumulative count
  for (const auto& line : lines_of(exposition)) {
    const auto le = line.find("le=\"");
    if (!line.starts_with(name + "_bucket{") || le == std::string::npos) continue;
    const auto bound = line.substr(le + 4, line.find('"', le + 4) - le - 4);
    buckets.emplace_back(
        bound == "+Inf" ? std::numeric_limits<double>::infinity() : std::stod(bound),
        std::stod(line.substr(line.rfind(' ') + 1)));
  }
  const double rank = q * buckets.back().second;
  double lower = 0;
  double before = 0;
  for (const auto& [upper, count] : buckets) {
    if (count >= rank) {
      return std::isinf(upper) ? lower
                               : lower + (upper - lower) * (rank - before) / (count - before);
    }
    lower = upper;
    before = count;
  }
  return lower;
}

}  // namespace weir::observe
