// Readiness of sockets, edge-triggered: each socket is registered once and never armed again, so
// that waiting costs no system call. Belongs to one loop's thread; the loop's io_context tells when
// there is something to look at.
#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cstdint>
#include <span>
#include <sys/epoll.h>

namespace weir::net {

// Told, on the loop's thread, what a socket became ready for.
class ready_listener {
 public:
  virtual ~ready_listener() = default;
  // EPOLL* bits, as epoll_wait gives them. May remove this and other listeners.
  virtual void became_ready(std::uint32_t events) = 0;
};

class poller {
 public:
  // Throws std::system_error where the system has no descriptor for it.
  explicit poller(boost::asio::io_context& io);
  poller(const poller&) = delete;
  poller& operator=(const poller&) = delete;

  // Begins to tell `listener` about a descriptor. False: the system refuses (no memory).
  bool add(int descriptor, ready_listener& listener);
  // Before the descriptor is closed: nothing more is told, also of what has been collected. With
  // the last one gone the io_context is not kept running.
  void remove(int descriptor, ready_listener& listener);

 private:
  void wait();
  std::size_t tell_ready();

  boost::asio::posix::stream_descriptor epoll_;
  std::array<epoll_event, 128> batch_{};
  std::span<epoll_event> untold_;  // the part of batch_ that is still to be told
  std::size_t listeners_{0};
  bool waiting_{false};
};

}  // namespace weir::net
