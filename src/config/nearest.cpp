// Edit distance over three rows of the usual table.
#include "config/nearest.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace weir::config {

namespace {

constexpr std::size_t longest = 64;  // longer names are nobody's typing error

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two_ago(b.size() + 1);
  std::vector<std::size_t> previous(b.size() + 1);
  std::vector<std::size_t> current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      current[j] =
          std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                           lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) current[j] = std::min(current[j], two_ago[j - 2] + 1);
    }
    std::swap(two_ago, previous);
    std::swap(previous, current);
  }
  return previous[b.size()];
}

}  // namespace

std::string_view nearest(std::string_view written, std::span<const std::string_view> names) {
  std::string_view best;
  if (written.size() > longest) return best;
  std::size_t best_distance = std::clamp<std::size_t>(written.size() / 3, 1, 3) + 1;
  for (const auto name : names) {
    if (name.size() > longest) continue;
    const auto edits = distance(written, name);
    if (edits < best_distance) {
      best = name;
      best_distance = edits;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view written, std::span<const std::string_view> names) {
  const auto name = nearest(written, names);
  return name.empty() ? std::string{} : fmt::format("; did you mean '{}'?", name);
}

}  // namespace weir::config
