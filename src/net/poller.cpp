// One epoll set inside another: the io_context watches this one as it would a socket.
#include "net/poller.hpp"

#include <algorithm>
#include <boost/asio/error.hpp>
#include <cerrno>
#include <system_error>

namespace weir::net {
namespace {

// Rounds before timers and other handlers of the io_context get their turn.
constexpr int max_rounds = 8;
// Sockets ready at once from which on another look is likely to find more.
constexpr std::size_t busy = 4;

int make_epoll() {
  const int descriptor = ::epoll_create1(EPOLL_CLOEXEC);
  if (descriptor < 0) throw std::system_error{errno, std::generic_category(), "epoll_create1"};
  return descriptor;
}

}  // namespace

poller::poller(boost::asio::io_context& io) : epoll_{io, make_epoll()} {}

bool poller::add(int descriptor, ready_listener& listener) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  event.data.ptr = &listener;
  if (::epoll_ctl(epoll_.native_handle(), EPOLL_CTL_ADD, descriptor, &event) != 0) return false;
  ++listeners_;
  wait();
  return true;
}

void poller::remove(int descriptor, ready_listener& listener) {
  epoll_event event{};
  ::epoll_ctl(epoll_.native_handle(), EPOLL_CTL_DEL, descriptor, &event);
  for (auto& one : untold_) {
    if (one.data.ptr == &listener) one.data.ptr = nullptr;
  }
  boost::system::error_code ignored;
  if (--listeners_ == 0) epoll_.cancel(ignored);
}

void poller::wait() {
  if (waiting_ || listeners_ == 0) return;
  waiting_ = true;
  epoll_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                    [this](const boost::system::error_code& ec) {
                      if (ec == boost::asio::error::operation_aborted && listeners_ == 0) {
                        waiting_ = false;
                        return;
                      }
                      int rounds = 1;
                      while (tell_ready() >= busy && rounds < max_rounds) ++rounds;
                      waiting_ = false;
                      wait();
                    });
}

// One look. A listener that is told may remove any other: what was collected of it is passed over.
std::size_t poller::tell_ready() {
  const int got =
      ::epoll_wait(epoll_.native_handle(), batch_.data(), static_cast<int>(batch_.size()), 0);
  const auto count = static_cast<std::size_t>(std::max(got, 0));
  untold_ = std::span{batch_}.first(count);
  while (!untold_.empty()) {
    const epoll_event next = untold_.front();
    untold_ = untold_.subspan(1);
    if (next.data.ptr != nullptr)
      static_cast<ready_listener*>(next.data.ptr)->became_ready(next.events);
  }
  return count;
}

}  // namespace weir::net
