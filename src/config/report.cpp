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
  for (auto found = places_.find(path); !path.empty(); found = places_.find(path)) {
    if (found != places_.end()) return add(found->second, std::move(message));
    const auto end = path.find_last_of(".[");
    path = path.substr(0, end == std::string_view::npos ? 0 : end);
  }
  add({}, std::move(message));
}

std::vector<diagnostic> report::take() {
  std::ranges::sort(mistakes_, {}, [](const diagnostic& one) {
    return std::tie(one.line, one.column, one.message);
  });
  return std::move(mistakes_);
}

}  // namespace weir::config
