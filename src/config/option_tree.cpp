// Splits the paths of the table at their dots.
#include "config/option_tree.hpp"

namespace weir::config {

namespace {

option_node& child(option_node& parent, std::string_view segment) {
  if (segment == "*" || segment == "[]") {
    auto& slot = segment == "*" ? parent.member : parent.item;
    if (!slot) slot = std::make_unique<option_node>();
    return *slot;
  }
  for (auto& [name, node] : parent.fields) {
    if (name == segment) return *node;
  }
  return *parent.fields.emplace_back(segment, std::make_unique<option_node>()).second;
}

}  // namespace

const option_node* option_node::find(std::string_view name) const {
  for (const auto& [known, node] : fields) {
    if (known == name) return node.get();
  }
  return nullptr;
}

std::vector<std::string_view> option_node::names() const {
  std::vector<std::string_view> all;
  for (const auto& [name, node] : fields) {
    if (node->built()) all.push_back(name);
  }
  return all;
}

std::unique_ptr<option_node> option_tree(const std::vector<option>& rows) {
  auto root = std::make_unique<option_node>();
  for (const auto& row : rows) {
    option_node* at = root.get();
    auto path = row.path;
    while (!path.empty()) {
      const bool list = path.starts_with("[]");
      const auto end = list ? 2 : path.find_first_of(".[");
      at = &child(*at, path.substr(0, end));
      path.remove_prefix(end == std::string_view::npos ? path.size() : end);
      if (path.starts_with('.')) path.remove_prefix(1);
    }
    at->row = &row;
  }
  return root;
}

std::string_view expected_of(kind type) {
  switch (type) {
    case kind::section:
      return "a section with options under it";
    case kind::flag:
      return "true or false";
    case kind::integer:
      return "a whole number";
    case kind::text:
    case kind::secret:
      return "a text";
    case kind::name:
      return "a name of letters, digits and . _ - : / (at most 64)";
    case kind::header:
      return "the name of an HTTP header such as X-Session-Id";
    case kind::choice:
      return "a word";
    case kind::duration:
      return "a duration such as 500ms, 30s, 2m or 24h";
    case kind::size:
      return "a size such as 64KiB or 20MiB";
    case kind::address:
      return "an address such as 127.0.0.1:8080";
    case kind::url:
    case kind::provider:
      return "a URL such as http://127.0.0.1:8000";
    case kind::network:
      return "a network such as 10.0.0.0/8";
    case kind::origin:
      return "an origin such as https://app.example";
    case kind::limit:
      return "a limit such as '10 requests/min'";
  }
  return "";
}

std::vector<std::string_view> choice_words(const option& row, bool built) {
  std::vector<std::string_view> words;
  auto rest = row.choices;
  while (!rest.empty()) {
    const auto end = rest.find(' ');
    auto word = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    const bool bracketed = word.starts_with('(');
    if (bracketed) word = word.substr(1, word.size() - 2);
    if (bracketed != built) words.push_back(word);
  }
  return words;
}

}  // namespace weir::config
