// Text in, settings out: parse, fill in the sections that were left out, walk, check what goes
// together.
#include "config/loader.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "config/cross_checks.hpp"
#include "config/report.hpp"
#include "config/walk.hpp"
#include "config/yaml_tree.hpp"

namespace weir::config {

namespace {

// FNV-1a, 64 bits (Fowler, Noll, Vo): tells versions apart, protects nothing.
std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1099511628211ULL;
  }
  return hash;
}

// The shipped sections that the file does not have.
node missing_sections(const node& root) {
  auto shipped = parse_yaml(defaults_text()).root;
  node missing{.shape = shape::mapping};
  for (std::size_t i = 0; i < shipped.names.size(); ++i) {
    if (std::ranges::find(root.names, shipped.names[i]) != root.names.end()) continue;
    missing.names.push_back(std::move(shipped.names[i]));
    missing.name_marks.push_back(shipped.name_marks[i]);
    missing.items.push_back(std::move(shipped.items[i]));
  }
  return missing;
}

void fill(settings& value, const node& root, const environment& variables, report& found) {
  if (root.shape == shape::mapping) {
    report shipped{"(defaults)"};  // a place in the defaults is no place in the file
    walk(missing_sections(root), value, {}, shipped);
  }
  walk(root, value, variables, found);
  if (root.shape != shape::mapping) return;
  check_callers(value, found);
  check_traffic(value, found);
  check_running(value, found);
}

}  // namespace

load_outcome load_text(std::string_view text, std::string_view file_name,
                       const environment& variables) {
  report found{file_name};
  auto parsed = parse_yaml(text);
  for (auto& mistake : parsed.mistakes) found.add(mistake.at, std::move(mistake.message));

  auto value = std::make_shared<settings>();
  value->source = file_name;
  value->version = fmt::format("{:016x}", fnv1a(text));
  if (parsed.complete) fill(*value, parsed.root, variables, found);
  if (found.count() == 0) return {std::move(value), {}};
  return {nullptr, found.take()};
}

}  // namespace weir::config
