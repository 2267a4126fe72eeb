// https://prometheus.io/docs/instrumenting/exposition_formats/ : escaping differs between HELP
// (backslash, newline) and label values (quote too).
#include "observe/exposition.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace weir::observe {
namespace {

std::int64_t units_per_one(unit measured) {
  switch (measured) {
    case unit::seconds:
      return 1'000'000;
    case unit::ratio:
      return 1'000;
    case unit::one:
      break;
  }
  return 1;
}

void append_escaped(std::string& out, std::string_view text, bool in_quotes) {
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\\' || (in_quotes && c == '"')) {
      out += '\\';
      out += c;
    } else {
      out += c;
    }
  }
}

// value / scale as an exact decimal; scale is a power of ten.
void append_scaled(std::string& out, std::int64_t value, std::int64_t scale) {
  const auto magnitude =
      value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  const auto by = static_cast<std::uint64_t>(scale);
  if (value < 0) out += '-';
  const fmt::format_int whole{magnitude / by};
  out.append(whole.data(), whole.size());
  std::uint64_t rest = magnitude % by;
  if (rest == 0) return;
  out += '.';
  for (std::uint64_t digit = by / 10; rest != 0; digit /= 10) {
    out += static_cast<char>('0' + rest / digit);
    rest %= digit;
  }
}

// name="value" for each label that has one, without the braces.
std::string labels_of(const family_row& family, const series_table& series, std::size_t which) {
  std::string out;
  const auto values = series.values(which);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].empty()) continue;
    if (!out.empty()) out += ',';
    out += family.labels[i];
    out += "=\"";
    append_escaped(out, values[i], true);
    out += '"';
  }
  return out;
}

void append_name(std::string& out, std::string_view name, std::string_view suffix,
                 std::string_view labels) {
  out += name;
  out += suffix;
  if (!labels.empty()) {
    out += '{';
    out += labels;
    out += '}';
  }
  out += ' ';
}

void append_histogram(std::string& out, const family_row& family, const std::string& labels,
                      std::span<const std::int64_t> cells) {
  const std::int64_t scale = units_per_one(family.measured);
  std::int64_t below = 0;
  for (std::size_t i = 0; i <= family.buckets.size(); ++i) {
    below += cells[i];
    std::string with_bound = labels;
    with_bound += labels.empty() ? "le=\"" : ",le=\"";
    if (i < family.buckets.size()) {
      append_scaled(with_bound, family.buckets[i], scale);
    } else {
      with_bound += "+Inf";
    }
    with_bound += '"';
    append_name(out, family.name, "_bucket", with_bound);
    append_scaled(out, below, 1);
    out += '\n';
  }
  append_name(out, family.name, "_sum", labels);
  append_scaled(out, cells.back(), scale);
  out += '\n';
  append_name(out, family.name, "_count", labels);
  append_scaled(out, below, 1);
  out += '\n';
}

void append_head(std::string& out, const family_row& family) {
  out += "# HELP ";
  out += family.name;
  out += ' ';
  append_escaped(out, family.help, false);
  out += "\n# TYPE ";
  out += family.name;
  out += family.type == kind::counter ? " counter\n"
         : family.type == kind::gauge ? " gauge\n"
                                      : " histogram\n";
}

}  // namespace

void append_family(std::string& out, const family_row& family, const series_table& series) {
  if (series.size() == 0) return;
  std::vector<std::pair<std::string, std::size_t>> sorted;
  sorted.reserve(series.size());
  for (std::size_t i = 0; i < series.size(); ++i) {
    sorted.emplace_back(labels_of(family, series, i), i);
  }
  std::ranges::sort(sorted);
  append_head(out, family);
  for (const auto& [labels, which] : sorted) {
    if (family.type == kind::histogram) {
      append_histogram(out, family, labels, series.row(which));
      continue;
    }
    append_name(out, family.name, "", labels);
    append_scaled(out, series.row(which)[0], units_per_one(family.measured));
    out += '\n';
  }
}

}  // namespace weir::observe
