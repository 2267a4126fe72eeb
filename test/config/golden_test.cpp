// Golden files: golden/*.golden hold a configuration and, under a line of =====, what comes of it:
// the mistakes as LINE:COLUMN: MESSAGE, or the settings that differ from the shipped ones (+ has, -
// lacks). With WEIR_GOLDEN=write the expected halves are written anew; read the difference before
// committing it.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

#include "config/dump.hpp"
#include "config/loader.hpp"

namespace weir::config {
namespace {

constexpr std::string_view divider = "=====\n";

std::filesystem::path golden_folder() {
  return std::filesystem::path{__FILE__}.parent_path() / "golden";
}

std::vector<std::string> golden_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator{golden_folder()}) {
    if (entry.path().extension() == ".golden") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

std::string read(const std::filesystem::path& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

std::string outcome_of(std::string_view yaml) {
  const environment variables{{"WEIR_TEST_TOKEN", "from-the-environment"},
                              {"WEIR_TEST_LINES", "two\nlines"},
                              {"WEIR_TEST_EMPTY", ""}};
  const auto outcome = load_text(yaml, "f", variables);
  std::string out;
  for (const auto& mistake : outcome.mistakes) {
    out += fmt::format("{}:{}: {}\n", mistake.line, mistake.column, mistake.message);
  }
  if (!outcome.value) return out;
  const auto shipped = dump(defaults());
  const auto loaded = dump(*outcome.value);
  for (const auto& line : loaded) {
    if (!shipped.contains(line)) out += fmt::format("+ {}\n", line);
  }
  for (const auto& line : shipped) {
    if (!loaded.contains(line)) out += fmt::format("- {}\n", line);
  }
  return out;
}

class golden : public testing::TestWithParam<std::string> {};

TEST_P(golden, gives_what_the_file_says) {
  const auto path = golden_folder() / (GetParam() + ".golden");
  const auto text = read(path);
  const auto middle = text.find(divider);
  ASSERT_NE(middle, std::string::npos) << path << " lacks the line of =====";
  const auto yaml = text.substr(0, middle);
  const auto expected = text.substr(middle + divider.size());
  const auto got = outcome_of(yaml);
  const auto* write = std::getenv("WEIR_GOLDEN");
  if (write != nullptr && std::string_view{write} == "write") {
    std::ofstream{path, std::ios::binary} << yaml << divider << got;
  }
  EXPECT_EQ(got, expected);
}

INSTANTIATE_TEST_SUITE_P(files, golden, testing::ValuesIn(golden_names()),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace weir::config
