// Reads a configuration file whole, or says why it cannot be read. What stands in it is loader.cpp.
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "base/result.hpp"
#include "config/loader.hpp"
#include "config/values.hpp"

namespace weir::config {

namespace {

constexpr off_t largest = 1024 * 1024;

class descriptor {
 public:
  explicit descriptor(int fd) : fd_{fd} {}
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  ~descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

error refused(std::string_view what) {
  return fail(fmt::format("{}: {}", what, std::generic_category().message(errno)));
}

result<struct stat> facts(int fd) {
  struct stat out{};
  if (::fstat(fd, &out) != 0) return refused("the file cannot be examined");
  if (S_ISDIR(out.st_mode)) return fail("this is a directory; expected a file");
  if (!S_ISREG(out.st_mode)) return fail("this is not a regular file");
  if (out.st_size > largest) {
    return fail(fmt::format("larger than {}; expected a configuration file", format_size(largest)));
  }
  return out;
}

result<std::string> read_all(int fd) {
  std::string text;
  std::array<char, 16 * 1024> chunk{};
  while (text.size() <= static_cast<std::size_t>(largest)) {
    const auto got = ::read(fd, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return refused("the file cannot be read");
    if (got == 0) break;
    text.append(chunk.data(), static_cast<std::size_t>(got));
  }
  return text;
}

bool same(const struct stat& a, const struct stat& b) {
  return a.st_size == b.st_size && a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
         a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

// The whole text. A file that an editor is still writing is noticed by its size and time of change.
result<std::string> read_file(const std::string& path) {
  // without O_NONBLOCK the open itself would hang on a pipe
  const descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.get() < 0) return refused("the file cannot be opened");
  const auto before = facts(file.get());
  if (!before) return before.error();
  auto text = read_all(file.get());
  if (!text) return text;
  const auto after = facts(file.get());
  if (!after) return after.error();
  if (!same(*before, *after) || text->size() != static_cast<std::size_t>(after->st_size)) {
    return fail("the file changed while it was read; try again when it is written");
  }
  return text;
}

}  // namespace

load_outcome load_file(const std::string& path, const environment& variables) {
  const auto text = read_file(path);
  if (!text) return {nullptr, {{path, 1, 1, text.error().message}}};
  return load_text(*text, path, variables);
}

}  // namespace weir::config
