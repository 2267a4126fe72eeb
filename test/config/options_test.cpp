// The option table is whole, agrees with the plain settings, and the files made from it are in the
// tree.
#include "config/options.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "config/dump.hpp"
#include "config/option_tree.hpp"
#include "config/read_value.hpp"

namespace weir::config {
namespace {

std::string read_doc(std::string_view name) {
  const auto root = std::filesystem::path{__FILE__}.parent_path().parent_path().parent_path();
  std::ifstream file{root / "docs" / name, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

void expect_whole(const option_node& node, const std::string& path) {
  EXPECT_TRUE(node.row != nullptr || node.item != nullptr) << path << " has no row";
  if (node.row != nullptr && node.row->built && node.row->type != kind::section) {
    EXPECT_NE(node.row->assign, nullptr) << path;
  }
  for (const auto& [name, field] : node.fields)
    expect_whole(*field, path + "." + std::string{name});
  if (node.member) {
    ASSERT_NE(node.member->row, nullptr) << path;
    EXPECT_NE(node.member->row->open, nullptr) << path;
    expect_whole(*node.member, path + ".*");
  }
  if (node.item) expect_whole(*node.item, path + "[]");
}

void expect_whole(const std::vector<option>& rows) {
  const auto tree = option_tree(rows);
  for (const auto& [name, field] : tree->fields) expect_whole(*field, std::string{name});
}

TEST(the_option_table, has_a_row_for_every_name_in_its_paths) {
  expect_whole(all_options());
  expect_whole(limit_options());
}

TEST(the_option_table, declares_each_option_once_with_a_sentence) {
  std::set<std::string_view> paths;
  for (const auto& row : all_options()) {
    EXPECT_TRUE(paths.insert(row.path).second) << row.path << " stands twice";
    EXPECT_TRUE(row.sentence.ends_with('.')) << row.path;
  }
}

// Assigning every default to fresh values must leave them as they are, or table and settings.hpp
// disagree.
TEST(the_option_table, has_the_defaults_of_the_plain_settings) {
  settings all;
  all.tiers["FREE"].name = "FREE";
  all.providers["p"].name = "p";
  all.models["m"].name = "m";
  all.routes.push_back({.prefix = "/r/", .to = std::nullopt, .limits = {}});
  const auto before = dump(all);
  std::size_t assigned = 0;
  for (const auto& row : all_options()) {
    if (row.fallback.empty()) continue;
    owner to = &all;
    if (row.path.starts_with("routes.")) to = &all.routes.front();
    if (row.path.starts_with("providers.")) to = &all.providers["p"];
    if (row.path.starts_with("models.")) to = &all.models["m"];
    auto read = read_value(row, std::string{row.fallback});
    ASSERT_TRUE(read) << row.path << ": " << read.error().message;
    row.assign(to, std::move(*read));
    EXPECT_EQ(dump(all), before) << row.path;
    ++assigned;
  }
  EXPECT_GT(assigned, 30U);
}

TEST(docs_options_md, is_what_the_table_says) {
  EXPECT_EQ(read_doc("options.md"), options_markdown())
      << "run `weir check --options > docs/options.md`";
}

TEST(docs_schema_json, is_what_the_table_says) {
  EXPECT_EQ(read_doc("schema.json"), options_schema())
      << "run `weir check --schema > docs/schema.json`";
}

TEST(the_schema, knows_built_options_and_no_others) {
  const auto schema = nlohmann::json::parse(options_schema());
  const auto& top = schema.at("properties");
  EXPECT_TRUE(top.at("server").at("properties").contains("max_body"));
  EXPECT_TRUE(top.at("models").at("additionalProperties").at("properties").contains("targets"));
  EXPECT_FALSE(top.contains("breaker"));
  EXPECT_EQ(schema.at("additionalProperties"), false);
}

}  // namespace
}  // namespace weir::config
