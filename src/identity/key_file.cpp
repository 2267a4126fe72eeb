// The table of API keys, and reading keys.yaml. Writing it is in key_file_edit.cpp.
#include "identity/key_file.hpp"

#include <fmt/format.h>
#include <set>
#include <utility>

#include "config/yaml_tree.hpp"
#include "identity/file.hpp"
#include "identity/key_entry.hpp"

namespace weir::identity {

namespace {

constexpr std::size_t max_file_bytes{16 * 1024 * 1024};

std::string place(const std::string& path, config::mark at, const std::string& message) {
  return config::to_text({path, at.line, at.column, message});
}

result<std::vector<api_key>> read_list(const config::node& list, const std::string& path) {
  if (list.shape == config::shape::nothing) return std::vector<api_key>{};
  if (list.shape != config::shape::sequence)
    return fail(place(path, list.at, "expected 'keys' to be a list of keys"));
  std::vector<api_key> keys;
  std::set<std::string> ids;
  std::set<digest> hashes;
  for (const auto& item : list.items) {
    auto key = read_key(item);
    if (const auto* wrong = std::get_if<config::mistake_at>(&key))
      return fail(place(path, wrong->at, wrong->message));
    auto& good = std::get<api_key>(key);
    if (!ids.insert(good.id).second)
      return fail(place(path, item.at, fmt::format("the id '{}' stands twice", good.id)));
    if (!hashes.insert(good.hash).second)
      return fail(place(path, item.at, fmt::format("the key of '{}' stands twice", good.id)));
    keys.push_back(std::move(good));
  }
  return keys;
}

}  // namespace

result<key_table> key_table::make(std::vector<api_key> keys) {
  key_table table;
  std::set<std::string_view> ids;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (!ids.insert(keys[i].id).second)
      return fail(fmt::format("the key id '{}' stands twice", keys[i].id));
    if (!table.by_hash_.emplace(keys[i].hash, i).second)
      return fail(fmt::format("the key of '{}' stands twice", keys[i].id));
  }
  table.keys_ = std::move(keys);
  return table;
}

const api_key* key_table::find(const digest& hash) const {
  const auto found = by_hash_.find(hash);
  return found == by_hash_.end() ? nullptr : &keys_[found->second];
}

result<key_table> load_keys(const std::string& path) {
  if (!file_exists(path)) return key_table{};
  const auto text = read_file(path, max_file_bytes);
  if (!text) return text.error();
  const auto parsed = config::parse_yaml(*text);
  if (!parsed.mistakes.empty()) {
    const auto& first = parsed.mistakes.front();
    return fail(place(path, first.at, first.message));
  }
  const auto& root = parsed.root;
  if (root.shape != config::shape::mapping || root.names != std::vector<std::string>{"keys"})
    return fail(place(path, root.at, "expected one name, 'keys', with a list of keys"));
  auto keys = read_list(root.items.front(), path);
  if (!keys) return keys.error();
  return key_table::make(*std::move(keys));
}

}  // namespace weir::identity
