// The judge's book: one JSON line per request that ended, with the tokens that were really
// produced for it. Each line is one write to a file opened for appending, so that nothing is lost
// when the process is killed and several engines may share a file. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"

namespace weir::sim {

struct token_log_entry {
  std::string_view id;  // X-Request-Id of the request, or the engine's own
  std::string_view model;
  std::int64_t prompt_tokens{0};
  std::int64_t completion_tokens{0};  // produced, delivered or not
  std::string_view finish;  // stop, length, abort: the caller left, cut: by a fault, a reset or the
                            // end of the program, refused
  wall_time start{};
  wall_time end{};
};

class token_log {
 public:
  token_log() = default;
  ~token_log();
  token_log(const token_log&) = delete;
  token_log& operator=(const token_log&) = delete;

  // An empty path: nothing is written. Error: the file cannot be opened.
  result<void> open(const std::string& path);
  void write(const token_log_entry& entry);
  [[nodiscard]] bool is_open() const { return fd_ >= 0; }
  // Lines that could not be written whole, such as on a full disk.
  [[nodiscard]] std::int64_t lost() const { return lost_; }

 private:
  int fd_{-1};
  std::uint64_t line_{0};
  std::int64_t lost_{0};
  std::string text_;
};

}  // namespace weir::sim
