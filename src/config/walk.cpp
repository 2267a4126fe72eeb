// The walk. Paths of the file ("tiers.FREE.limits[0]") are built on the way: they name limits and
// find places again.
#include "config/walk.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <set>

#include "config/nearest.hpp"
#include "config/option_tree.hpp"
#include "config/read_value.hpp"

namespace weir::config {

namespace {

// Whether any text in it comes from a variable, so that no message may show what it became.
bool from_variable(const node& at) {
  return at.text.find("${") != std::string::npos || std::ranges::any_of(at.items, from_variable);
}

// What a scalar of this row should be, in full.
std::string described(const option& row) {
  if (!row.choices.empty()) return fmt::format("{}", fmt::join(choice_words(row), ", "));
  const auto range = range_of(row);
  return std::string{expected_of(row.type)} + (range.empty() ? "" : fmt::format(" ({})", range));
}

std::string_view found(shape what) {
  switch (what) {
    case shape::nothing:
      return "nothing";
    case shape::scalar:
      return "a single value";
    case shape::sequence:
      return "a list";
    case shape::mapping:
      return "a section";
  }
  return "";
}

class walker {
 public:
  walker(const environment& variables, report& to)
      : variables_{variables},
        report_{to},
        rows_{all_options()},
        limit_rows_{limit_options()},
        options_{option_tree(rows_)},
        limit_options_{option_tree(limit_rows_)} {}

  void root(const node& at, settings& into) {
    if (at.shape != shape::mapping) {
      report_.add(at.at,
                  fmt::format("expected options such as 'server:', found {}", found(at.shape)));
      return;
    }
    section(at, *options_, &into, "");
  }

 private:
  // A value of any shape, for any place in the table.
  void visit(const node& at, const option_node& place, const owner& to, const std::string& path) {
    report_.place(path, at.at);
    if (place.item) {
      list(at, *place.item, to, path);
    } else if (place.row->type == kind::limit) {
      limit(at, *place.row, to, path);
    } else if (at.shape == shape::mapping && place.member) {
      members(at, place, to, path);
    } else if (at.shape == shape::mapping && place.is_section()) {
      section(at, place, to, path);
    } else if (at.shape == shape::scalar && place.row->type != kind::section) {
      scalar(at, *place.row, to);
    } else {
      wrong_shape(at, place);
    }
  }

  void wrong_shape(const node& at, const option_node& place) {
    const auto& row = *place.row;
    const auto expected = row.shorthand.empty()
                              ? described(row)
                              : fmt::format("a {0}'s name or a section with '{0}'", row.shorthand);
    report_.add(at.at, fmt::format("expected {}, found {}", expected, found(at.shape)));
  }

  // A list, or one value in its place.
  void list(const node& at, const option_node& item, const owner& to, const std::string& path) {
    if (at.shape == shape::nothing) {
      report_.add(at.at, "expected a list such as [a, b], found nothing; write [] for none");
    } else if (at.shape == shape::sequence) {
      for (std::size_t i = 0; i < at.items.size(); ++i) {
        entry(at.items[i], item, to, fmt::format("{}[{}]", path, i));
      }
    } else {
      entry(at, item, to, path + "[0]");
    }
  }

  // One entry of a list: a section of its own where its row opens one.
  void entry(const node& at, const option_node& item, const owner& to, const std::string& path) {
    const auto owned = item.row->open != nullptr ? item.row->open(to, "") : to;
    const bool bare = at.shape == shape::scalar && !item.row->shorthand.empty();
    if (!bare) return visit(at, item, owned, path);
    report_.place(path, at.at);
    visit(at, *item.find(item.row->shorthand), owned,
          fmt::format("{}.{}", path, item.row->shorthand));
  }

  // A map from names of the operator's own.
  void members(const node& at, const option_node& place, const owner& to, const std::string& path) {
    std::set<std::string> seen;
    for (std::size_t i = 0; i < at.names.size(); ++i) {
      const auto& written = at.names[i];
      const auto name = place.row->upper_case ? to_upper(written) : written;
      if (place.row->member_name == kind::name && !is_plain_name(name)) {
        report_.add(at.name_marks[i], fmt::format("expected {}", expected_of(kind::name)));
      } else if (name.empty() || has_control(name)) {
        report_.add(at.name_marks[i], "expected a name without control characters");
      } else if (!seen.insert(name).second) {
        report_.add(at.name_marks[i], fmt::format("{} stands here twice, since case does not "
                                                  "count; keep one",
                                                  quoted(name)));
      } else {
        const auto here = fmt::format("{}.{}", path, name);
        const auto owned = place.member->row->open(to, name);
        visit(at.items[i], *place.member, owned, here);
      }
    }
  }

  void section(const node& at, const option_node& place, const owner& to, const std::string& path) {
    for (std::size_t i = 0; i < at.names.size(); ++i) {
      const auto& name = at.names[i];
      const auto* known = place.find(name);
      if (known == nullptr) {
        report_.add(at.name_marks[i], unknown(name, place));
      } else if (!known->built()) {
        report_.add(at.name_marks[i], not_built(quoted(name)));
      } else {
        visit(at.items[i], *known, to, path.empty() ? name : fmt::format("{}.{}", path, name));
      }
    }
    missing(at, place);
  }

  // What a section cannot be without; not where a misspelt name was probably meant to be it.
  void missing(const node& at, const option_node& place) {
    const auto known = place.names();
    for (const auto& [name, field] : place.fields) {
      if (field->row == nullptr || !field->row->required) continue;
      const bool there = std::ranges::any_of(at.names, [&](const std::string& written) {
        return written == name ||
               (place.find(written) == nullptr && nearest(written, known) == name);
      });
      if (there) continue;
      report_.add(at.at, fmt::format("'{}' is missing here; expected {}", name,
                                     expected_of(field->row->type)));
    }
  }

  // "unknown option 'x'", with the nearest name beside it or the place where that name belongs.
  [[nodiscard]] std::string unknown(const std::string& name, const option_node& place) const {
    auto message = fmt::format("unknown option {}", quoted(name));
    if (name == "<<") return message + "; merge keys are not supported, write the options out";
    const auto names = place.names();
    if (const auto hint = did_you_mean(name, names); !hint.empty()) return message + hint;
    for (const auto& row : rows_) {
      const bool same = row.built && row.path.ends_with(name) && row.path.size() > name.size() &&
                        row.path[row.path.size() - name.size() - 1] == '.';
      if (same) return fmt::format("{}; did you mean '{}'?", message, row.path);
    }
    return fmt::format("{}; expected {}", message, fmt::join(names, ", "));
  }

  // The text with its variables replaced, or nothing and a mistake.
  std::optional<std::string> expanded(const node& at) {
    auto text = expand(at.text, variables_);
    if (text) return std::move(*text);
    report_.add(at.at, text.error().message);
    return std::nullopt;
  }

  void scalar(const node& at, const option& row, const owner& to) {
    const auto text = expanded(at);
    if (!text) return;
    auto read = read_value(row, *text);
    if (read) return row.assign(to, std::move(*read));
    const auto later = choice_words(row, false);
    if (std::ranges::find(later, std::string_view{*text}) != later.end()) {
      report_.add(at.at, not_built(quoted(*text)));
    } else if (row.type == kind::secret || at.text.find('@') != std::string::npos) {
      report_.add(at.at, read.error().message);
    } else if (from_variable(at)) {
      report_.add(at.at, fmt::format("the value of {} is wrong; expected {}", quoted(at.text),
                                     has_control(*text) ? "no line break" : described(row)));
    } else {
      report_.add(at.at, fmt::format("{}, found {}{}", read.error().message, quoted(at.text),
                                     did_you_mean(*text, choice_words(row))));
    }
  }

  void limit(const node& at, const option& row, const owner& to, const std::string& path) {
    limit_draft draft;
    if (at.shape == shape::mapping) {
      const auto count = report_.count();
      section(at, *limit_options_, &draft, path);
      if (report_.count() != count) return;
    } else if (at.shape == shape::scalar) {
      const auto text = expanded(at);
      if (!text) return;
      draft.text = *text;
    } else {
      report_.add(at.at,
                  fmt::format("expected {}, found {}", expected_of(kind::limit), found(at.shape)));
      return;
    }
    auto made = make_limit(draft, row.home, path);
    if (made) {
      row.assign(to, std::move(*made));
    } else {
      report_.add(at.at, from_variable(at) ? fmt::format("the value of the variable is wrong; "
                                                         "expected {}",
                                                         expected_of(kind::limit))
                                           : made.error().message);
    }
  }

  const environment& variables_;
  report& report_;
  std::vector<option> rows_;
  std::vector<option> limit_rows_;
  std::unique_ptr<option_node> options_;
  std::unique_ptr<option_node> limit_options_;
};

}  // namespace

void walk(const node& root, settings& into, const environment& variables, report& to) {
  walker{variables, to}.root(root, into);
}

}  // namespace weir::config
