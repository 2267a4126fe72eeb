// Collecting and ordering mistakes.
#include "config/report.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace weir::config {

void report::add(mark at, std::string message) {
  mistakes_.push_back({file_, at.line, at.column, std::move(message)});
}

void report::add_at(std::string_view path, std::string message) {
  auto found = places_.find(path);
  while (found == places_.end() && !path.empty()) {
    const auto end = path.find_last_of(".[");
    path = path.substr(0, end == std::string_view::npos ? 0 : end);
    found = places_.find(path);
  }
  const bool placed = found != places_.end();
  const auto at = placed ? found->second : mark{};
  const bool follows = std::ranges::any_of(mistakes_, [&](const diagnostic& one) {
    return one.line == at.line && one.column == at.column && (placed || one.message == message);
  });
  if (!follows) add(at, std::move(message));
}

std::vector<diagnostic> report::take() {
  std::ranges::sort(mistakes_, {}, [](const diagnostic& one) {
    return std::tie(one.line, one.column, one.message);
  });
  return std::move(mistakes_);
}

}  // namespace weir::config
