// BC-154 as far as it is reading: missing, empty, half-written and hostile files are refused and
// never "defaults".
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/loader.hpp"

namespace weir::config {
namespace {

// A folder of its own, gone afterwards.
class bad_files : public testing::Test {
 protected:
  bad_files() {
    std::string name = (std::filesystem::temp_directory_path() / "weir-config-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~bad_files() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, std::string_view text) {
    const auto path = folder_ / name;
    std::ofstream{path, std::ios::binary} << text;
    return path.string();
  }

  // Loads, and expects one mistake that says `part`.
  static void expect_refused(const std::string& path, std::string_view part) {
    const auto outcome = load_file(path, {});
    EXPECT_EQ(outcome.value, nullptr);
    ASSERT_EQ(outcome.mistakes.size(), 1U);
    EXPECT_EQ(outcome.mistakes[0].file, path);
    EXPECT_NE(outcome.mistakes[0].message.find(part), std::string::npos)
        << outcome.mistakes[0].message;
  }

  std::filesystem::path folder_;
};

diagnostic only_mistake(std::string_view text) {
  const auto outcome = load_text(text, "f", {});
  EXPECT_EQ(outcome.value, nullptr) << text;
  EXPECT_EQ(outcome.mistakes.size(), 1U) << text;
  return outcome.mistakes.empty() ? diagnostic{} : outcome.mistakes.front();
}

TEST_F(bad_files, that_are_missing_are_refused) {
  expect_refused((folder_ / "none.yaml").string(), "No such file");
}

TEST_F(bad_files, that_are_empty_are_refused) {
  expect_refused(write("empty.yaml", ""), "empty");
  expect_refused(write("blank.yaml", "\n\n  \n"), "empty");
  expect_refused(write("comment.yaml", "# tiers: {}\n"), "empty");
  expect_refused(write("mark.yaml", "\xEF\xBB\xBF"), "empty");
}

TEST_F(bad_files, that_are_directories_or_pipes_are_refused) {
  expect_refused(folder_.string(), "directory");
  const auto pipe = (folder_ / "pipe").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  expect_refused(pipe, "regular file");
}

TEST_F(bad_files, that_cannot_be_read_are_refused) {
  const auto path = write("closed.yaml", "log: {}\n");
  std::filesystem::permissions(path, std::filesystem::perms::none);
  const bool root = geteuid() == 0;  // root reads everything, so be somebody else for a moment
  if (root) ASSERT_EQ(seteuid(65534), 0);
  expect_refused(path, "Permission denied");
  if (root) ASSERT_EQ(seteuid(0), 0);
}

TEST_F(bad_files, that_are_too_big_are_refused) {
  expect_refused(write("big.yaml", std::string(1024 * 1024 + 1, '#')), "larger than 1MiB");
}

TEST_F(bad_files, do_not_include_links_to_good_ones) {
  write("..data_1.yaml", "log: { level: warn }\n");
  const auto link = folder_ / "weir.yaml";
  std::filesystem::create_symlink("..data_1.yaml", link);
  const auto outcome = load_file(link.string(), {});
  ASSERT_NE(outcome.value, nullptr);
  EXPECT_EQ(outcome.value->log.level, log_level::warn);
}

TEST(half_a_file, is_refused_wherever_a_value_or_a_bracket_is_missing) {
  for (const auto* text :
       {"tiers:\n  FREE: { limits: [10 requ", "log: { level: \"inf",
        "tiers:", "tiers:\n  FREE:", "tiers:\n  FREE:\n    lim",
        "tiers:\n  FREE:\n    limits:", "tiers:\n  FREE:\n    limits:\n      -", "tie"}) {
    EXPECT_EQ(load_text(text, "f", {}).value, nullptr) << text;
  }
}

TEST(a_byte_order_mark_and_windows_lines, are_fine_and_do_not_move_the_places) {
  EXPECT_NE(load_text("\xEF\xBB\xBFlog:\r\n  level: warn\r\n", "f", {}).value, nullptr);
  const auto mistake = only_mistake("\xEF\xBB\xBFlogs: {}\r\n");
  EXPECT_EQ(mistake.line, 1);
  EXPECT_EQ(mistake.column, 1);
  EXPECT_EQ(only_mistake("log:\r\n  levle: warn\r\n").line, 2);
}

TEST(tabs_as_indentation, are_named) {
  const auto mistake = only_mistake("log:\n\tlevel: warn\n");
  EXPECT_EQ(mistake.line, 2);
  EXPECT_EQ(mistake.column, 1);
  EXPECT_NE(mistake.message.find("tab"), std::string::npos);
}

TEST(bytes_that_no_text_has, are_refused) {
  EXPECT_NE(only_mistake({"\xFF\xFEl\0o\0", 6}).message.find("UTF-8"), std::string::npos);
  for (const auto* text : {"log: { level: \xC0\xAF }\n", "a\x80", "\xED\xA0\x80",
                           "\xF4\x90\x80\x80", "\xE0\x80\x80", "x\xE2\x82"}) {
    EXPECT_NE(only_mistake(text).message.find("UTF-8"), std::string::npos);
  }
  EXPECT_NE(load_text("identity: { api_keys: \"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\" }\n", "f", {})
                .value,
            nullptr);
}

// yaml-cpp takes U+0004 for the end of the text: the limits below it would be gone in silence.
TEST(bytes_that_no_text_has, do_not_hide_the_rest_of_the_file) {
  const auto mistake = only_mistake("log: {}\n\x04\ntiers: {}\n");
  EXPECT_EQ(mistake.line, 2);
  EXPECT_NE(mistake.message.find("U+0004"), std::string::npos);
}

TEST(names_that_stand_twice, are_refused) {
  const auto mistake = only_mistake("log: { level: info }\nadmin: {}\nlog: { level: warn }\n");
  EXPECT_EQ(mistake.line, 3);
  EXPECT_NE(mistake.message.find("first in line 1"), std::string::npos);
}

TEST(anchors_and_aliases, are_refused_before_they_multiply) {
  std::string bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c <= 'z'; ++c) {
    const std::string before(1, static_cast<char>(c - 1));
    bomb += std::string(1, c) + ": &" + c + " [";
    for (int i = 0; i < 9; ++i) bomb += (i == 0 ? "*" : ", *") + before;
    bomb += "]\n";
  }
  const auto outcome = load_text(bomb, "f", {});
  EXPECT_EQ(outcome.value, nullptr);
  const auto aliases = std::ranges::count_if(outcome.mistakes, [](const auto& one) {
    return one.message.find("aliases") != std::string::npos;
  });
  EXPECT_EQ(aliases, 25 * 9);
}

TEST(an_unquoted_star, is_explained) {
  const auto mistake = only_mistake("models:\n  *: { limits: [] }\n");
  EXPECT_EQ(mistake.line, 2);
  EXPECT_NE(mistake.message.find("quote"), std::string::npos);
}

TEST(a_variable_without_quotes_in_braces, is_explained) {
  EXPECT_NE(only_mistake("admin: { token: ${T:-} }\n").message.find("quote"), std::string::npos);
}

TEST(deep_nesting, is_refused_without_harm) {
  EXPECT_EQ(load_text(std::string(100'000, '['), "f", {}).value, nullptr);
  std::string maps;
  for (int i = 0; i < 50'000; ++i) maps += "{a: ";
  EXPECT_EQ(load_text(maps, "f", {}).value, nullptr);
  EXPECT_EQ(load_text("log: " + std::string(20, '[') + std::string(20, ']'), "f", {}).value,
            nullptr);
  std::string blocks;
  for (int i = 0; i < 600; ++i) blocks += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  EXPECT_EQ(load_text(blocks, "f", {}).value, nullptr);
}

TEST(more_documents_and_tags, are_refused) {
  EXPECT_EQ(only_mistake("log: {}\n---\ntiers: {}\n").line, 3);
  EXPECT_EQ(only_mistake("log: {}\n...\ntiers: {}\n").line, 3);
  EXPECT_NE(only_mistake("log: { level: !secret info }\n").message.find("tag"), std::string::npos);
}

TEST(odd_roots_and_names, are_refused) {
  only_mistake("[a]\n");
  only_mistake("hello\n");
  EXPECT_EQ(load_text("? [a]\n: b\n", "f", {}).value, nullptr);
  EXPECT_EQ(load_text("~: b\n", "f", {}).value, nullptr);
  EXPECT_EQ(load_text("tiers: { <<: { a: b } }\n", "f", {}).value, nullptr);
}

}  // namespace
}  // namespace weir::config
