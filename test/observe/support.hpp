// What the tests of this folder share: a file or pipe to log into, its lines, and promtool.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace weir::observe {

// A file that is gone with the test.
class temporary_file {
 public:
  temporary_file() : fd_{mkstemp(path_.data())} {}
  ~temporary_file() {
    close(fd_);
    unlink(path_.c_str());
  }
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;

  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string text() const {
    std::ifstream in{path_, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
  }

 private:
  std::string path_{"/tmp/weir_observe_XXXXXX"};
  int fd_;
};

struct pipe_pair {
  pipe_pair() { EXPECT_EQ(::pipe(ends), 0); }
  ~pipe_pair() {
    close_reader();
    close(ends[1]);
  }
  pipe_pair(const pipe_pair&) = delete;
  pipe_pair& operator=(const pipe_pair&) = delete;

  void close_reader() {
    if (ends[0] >= 0) close(ends[0]);
    ends[0] = -1;
  }
  // Takes up to `most` bytes of what is in the pipe; must not be empty.
  [[nodiscard]] std::string take(std::size_t most) const {
    std::string text(most, '\0');
    const auto n = ::read(ends[0], text.data(), most);
    text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return text;
  }

  int ends[2]{-1, -1};
};

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const auto end = text.find('\n', begin);
    if (end == std::string::npos) {
      ADD_FAILURE() << "the last line does not end";
      break;
    }
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

inline nlohmann::json parsed(const std::string& line) {
  auto value = nlohmann::json::parse(line, nullptr, false);
  EXPECT_TRUE(value.is_object()) << line;
  return value;
}

// What `promtool check metrics` finds wrong; empty where it is content.
inline std::string promtool_findings(const std::string& exposition) {
  const temporary_file file;
  std::ofstream{file.path(), std::ios::binary} << exposition;
  const std::string command = "promtool check metrics < " + file.path() + " 2>&1";
  FILE* run = popen(command.c_str(), "r");
  if (run == nullptr) return "popen failed";
  std::string said;
  char chunk[512];
  while (fgets(chunk, sizeof chunk, run) != nullptr) said += chunk;
  const int status = pclose(run);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
    return "promtool is missing: apt-get install prometheus";
  }
  return status == 0 ? said : said + " (promtool failed)";
}

}  // namespace weir::observe
