// Writing without waiting and without being killed by SIGPIPE, whatever main did about signals.
#include "observe/fd_sink.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <ctime>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace weir::observe {
namespace {

// Keeps a broken pipe from raising SIGPIPE in this thread; one that was pending before stays.
class sigpipe_held {
 public:
  sigpipe_held() {
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    sigemptyset(&only_);
    sigaddset(&only_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &only_, &before_);
  }
  ~sigpipe_held() {
    const timespec at_once{};
    if (!was_pending_) sigtimedwait(&only_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  sigpipe_held(const sigpipe_held&) = delete;
  sigpipe_held& operator=(const sigpipe_held&) = delete;

 private:
  sigset_t only_{};
  sigset_t before_{};
  bool was_pending_{false};
};

}  // namespace

fd_sink::fd_sink(int fd, std::size_t buffer_bytes) : fd_{fd}, capacity_{buffer_bytes} {
  struct stat about{};
  const bool known = fstat(fd, &about) == 0;
  // What cannot be looked at is written to, so that the error of that is counted.
  target_ = !known || S_ISREG(about.st_mode) ? target::file
            : S_ISSOCK(about.st_mode)        ? target::socket
                                             : target::stream;
  buffer_.reserve(capacity_);
}

void fd_sink::sink_it_(const spdlog::details::log_msg& msg) {
  if (buffer_.size() + msg.payload.size() > capacity_) flush_();
  if (buffer_.size() + msg.payload.size() > capacity_) {
    lost_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  buffer_.insert(buffer_.end(), msg.payload.begin(), msg.payload.end());
}

void fd_sink::flush_() {
  if (buffer_.empty()) return;
  const sigpipe_held held;
  if (torn_ && !end_torn_line()) return;
  std::size_t done = 0;
  while (done < buffer_.size()) {
    const auto n = write_some(buffer_.data() + done, buffer_.size() - done);
    if (n < 0) {
      drop_from(done);
      return;
    }
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
    inside_line_ = buffer_[done - 1] != '\n';
  }
  buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(done));
}

// Ends a half line that an error left behind, lest the next line be glued to it.
bool fd_sink::end_torn_line() {
  const auto n = write_some("\n", 1);
  if (n < 0) drop_from(0);
  if (n <= 0) return false;
  torn_ = inside_line_ = false;
  return true;
}

// Bytes taken; 0: not without waiting; -1: never, these bytes are lost.
std::ptrdiff_t fd_sink::write_some(const char* from, std::size_t size) const {
  for (;;) {
    ssize_t n = -1;
    if (target_ == target::socket) {
      n = ::send(fd_, from, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    } else if (target_ == target::file) {
      n = ::write(fd_, from, size);
    } else {
      pollfd ready{fd_, POLLOUT, 0};
      if (::poll(&ready, 1, 0) == 0) return 0;
      // A pipe that is ready takes PIPE_BUF bytes at once, even where the descriptor may block.
      n = ::write(fd_, from, std::min<std::size_t>(size, PIPE_BUF));
    }
    if (n >= 0) return n;
    if (errno == EAGAIN || errno == EWOULDBLOCK) return 0;
    if (errno != EINTR) return -1;
  }
}

void fd_sink::drop_from(std::size_t from) {
  const auto rest = buffer_.begin() + static_cast<std::ptrdiff_t>(from);
  lost_.fetch_add(static_cast<std::uint64_t>(std::count(rest, buffer_.end(), '\n')),
                  std::memory_order_relaxed);
  torn_ = inside_line_;
  buffer_.clear();
}

}  // namespace weir::observe
