// The option table as a tree, to walk a file along. Used by the loader, the schema and the
// documentation.
#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "config/options.hpp"

namespace weir::config {

// One name in the table. `row` is null for the root and for a list, whose row is its item's.
struct option_node {
  const option* row{nullptr};
  std::vector<std::pair<std::string_view, std::unique_ptr<option_node>>> fields;  // by name
  std::unique_ptr<option_node> member;                                            // `*`
  std::unique_ptr<option_node> item;                                              // `[]`

  // The field of that name, or null.
  [[nodiscard]] const option_node* find(std::string_view name) const;
  [[nodiscard]] std::vector<std::string_view> names() const;
  [[nodiscard]] bool built() const { return row == nullptr || row->built; }
  [[nodiscard]] bool is_section() const { return !fields.empty() || member != nullptr; }
};

// `rows` must outlive the tree.
[[nodiscard]] std::unique_ptr<option_node> option_tree(const std::vector<option>& rows);

// What a value of this row looks like, for "expected ...": "a duration such as 30s".
[[nodiscard]] std::string_view expected_of(kind type);

// The words of option::choices; `built` false: only those in brackets, without them.
[[nodiscard]] std::vector<std::string_view> choice_words(const option& row, bool built = true);

}  // namespace weir::config
