// Small files, whole: reading with a bound, replacing at one stroke. Blocks; not for the path of a
// request.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace weir::identity {

// The text of a regular file of at most `max_bytes`. Errors name the file and the system's reason.
result<std::string> read_file(const std::string& path, std::size_t max_bytes);

[[nodiscard]] bool file_exists(const std::string& path);

// Puts `text` in the place of the file: a temporary file beside it, fsync, rename, fsync of the
// folder. A new file has mode 0600; one that was there keeps its owner and its mode, less the
// rights of others. Follows a symbolic link.
result<void> replace_file(const std::string& path, std::string_view text);

// Holds the exclusive lock of `path` (flock on "PATH.lock", which stays) while it lives; waits for
// others. Works between processes and between threads.
class file_lock {
 public:
  static result<file_lock> take(const std::string& path);
  file_lock(file_lock&& other) noexcept;
  file_lock& operator=(file_lock&&) = delete;
  ~file_lock();

 private:
  explicit file_lock(int fd) : fd_{fd} {}
  int fd_;
};

}  // namespace weir::identity
