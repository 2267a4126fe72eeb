// Where log lines leave the process: a buffer before a file descriptor. Loses lines rather than
// wait, and counts them. Does not format; takes whole lines as they are.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <spdlog/sinks/base_sink.h>
#include <vector>

namespace weir::observe {

// Thread-safe by base_sink's mutex, which is held while writing. On a regular file a write may
// take as long as the disk does; on pipes, sockets and terminals it does not wait, unless
// another process fills the same pipe at the same moment.
class fd_sink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  fd_sink(int fd, std::size_t buffer_bytes);

  [[nodiscard]] std::uint64_t lost() const { return lost_.load(std::memory_order_relaxed); }

 private:
  enum class target : std::uint8_t {
    file,    // takes all at once, never "not now"
    socket,  // send() can refuse to wait
    stream,  // pipe, terminal or device: asked by poll() before each piece
  };

  void sink_it_(const spdlog::details::log_msg& msg) override;
  void flush_() override;
  bool end_torn_line();
  std::ptrdiff_t write_some(const char* from, std::size_t size) const;
  void drop_from(std::size_t from);

  int fd_;
  target target_;
  std::vector<char> buffer_;  // capacity is the size asked for and never grows
  std::size_t capacity_;
  bool inside_line_{false};  // the last byte the descriptor took does not end a line
  bool torn_{false};         // and the rest of that line was dropped
  std::atomic<std::uint64_t> lost_{0};
};

}  // namespace weir::observe
