// Readiness-driven sockets.
#include "net/connection.hpp"

#include <algorithm>
#include <cerrno>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace weir::net {
namespace {

constexpr std::size_t max_segments = 64;  // of one writev; more are written in turns

io_result from_errno() {
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return {io_status::would_block, 0};
  return {io_status::error, 0};
}

}  // namespace

connection::connection(loop& owner, boost::asio::ip::tcp::socket socket) : owner_{owner} {
  boost::system::error_code ec;
  socket.non_blocking(true, ec);
  socket.set_option(boost::asio::ip::tcp::no_delay{true}, ec);
  descriptor_ = socket.release(ec);
  if (descriptor_ >= 0 && !owner_.sockets().add(descriptor_, *this)) {
    ::close(descriptor_);
    descriptor_ = -1;
  }
}

connection::~connection() { close(); }

void intrusive_ptr_add_ref(connection* one) noexcept { ++one->owners_; }

void intrusive_ptr_release(connection* one) noexcept {
  if (--one->owners_ == 0) delete one;
}

io_result connection::try_read(std::span<char> into) {
  if (tls_) {
    ::ERR_clear_error();
    tls_read_wants_write_ = false;
    const int size = static_cast<int>(std::min<std::size_t>(into.size(), 1 << 20));
    const int got = ::SSL_read(tls_.get(), into.data(), size);
    if (got > 0) return {io_status::ok, static_cast<std::size_t>(got)};
    const io_result outcome = tls_result(got);
    tls_read_wants_write_ = outcome.status == io_status::would_block && SSL_want_write(tls_.get());
    return outcome;
  }
  const ssize_t got = ::recv(descriptor_, into.data(), into.size(), 0);
  // Less than was asked for: the socket is empty, and what comes later is told.
  if (got < static_cast<ssize_t>(into.size()) && !ended_) read_.ready = false;
  if (got > 0) return {io_status::ok, static_cast<std::size_t>(got)};
  return got == 0 ? io_result{io_status::eof, 0} : from_errno();
}

io_status connection::peek() {
  char byte;
  if (tls_) {
    ::ERR_clear_error();
    const int got = ::SSL_peek(tls_.get(), &byte, 1);
    return got > 0 ? io_status::ok : tls_result(got).status;
  }
  const ssize_t got = ::recv(descriptor_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  if (got > 0) return io_status::ok;
  return got == 0 ? io_status::eof : from_errno().status;
}

io_result connection::tls_result(int returned) {
  switch (::SSL_get_error(tls_.get(), returned)) {
    case SSL_ERROR_WANT_READ:
      read_.ready = false;
      return {io_status::would_block, 0};
    case SSL_ERROR_WANT_WRITE:
      write_.ready = false;
      return {io_status::would_block, 0};
    case SSL_ERROR_ZERO_RETURN:
      return {io_status::eof, 0};
    default:
      return {io_status::error, 0};
  }
}

io_result connection::try_write(std::span<const iovec> segments) {
  if (tls_) return tls_write(segments);
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(segments.data());
  message.msg_iovlen = std::min(segments.size(), max_segments);
  const ssize_t sent = ::sendmsg(descriptor_, &message, MSG_NOSIGNAL);
  if (sent >= 0) return {io_status::ok, static_cast<std::size_t>(sent)};
  const io_result why = from_errno();
  if (why.status == io_status::would_block) write_.ready = false;
  return why;
}

// TLS has no gather: small segments are joined first, so that a head and its body make one record.
io_result connection::tls_write(std::span<const iovec> segments) {
  std::string joined;
  std::string_view bytes;
  if (segments.size() == 1) {
    bytes = {static_cast<const char*>(segments[0].iov_base), segments[0].iov_len};
  } else {
    for (const auto& segment : segments) {
      joined.append(static_cast<const char*>(segment.iov_base), segment.iov_len);
      if (joined.size() >= 16 * 1024) break;
    }
    bytes = joined;
  }
  if (bytes.empty()) return {io_status::ok, 0};
  ::ERR_clear_error();
  tls_write_wants_read_ = false;
  const int size = static_cast<int>(std::min<std::size_t>(bytes.size(), 1 << 20));
  const int sent = ::SSL_write(tls_.get(), bytes.data(), size);
  if (sent > 0) return {io_status::ok, static_cast<std::size_t>(sent)};
  const io_result outcome = tls_result(sent);
  tls_write_wants_read_ = outcome.status == io_status::would_block && SSL_want_read(tls_.get());
  return outcome;
}

task<bool> connection::handshake(tls_session session) {
  tls_ = std::move(session);
  for (;;) {
    ::ERR_clear_error();
    const int done = ::SSL_do_handshake(tls_.get());
    if (done == 1) co_return true;
    const int why = ::SSL_get_error(tls_.get(), done);
    io_status waited = io_status::error;
    if (why == SSL_ERROR_WANT_READ) {
      read_.ready = false;
      waited = co_await readable();
    } else if (why == SSL_ERROR_WANT_WRITE) {
      write_.ready = false;
      waited = co_await writable();
    }
    if (waited != io_status::ok) co_return false;
  }
}

task<io_status> connection::write_all(std::span<const iovec> segments, microseconds patience) {
  const io_result first = try_write(segments);
  return write_rest(segments, first, patience);
}

task<io_status> connection::write_rest(std::span<const iovec> segments, io_result first,
                                       microseconds patience) {
  std::vector<iovec> rest{segments.begin(), segments.end()};
  std::size_t at = 0;
  io_result wrote = first;
  for (;;) {
    if (wrote.status == io_status::would_block) {
      expires_at(owner_.time().mono() + patience);
      const io_status waited = co_await writable();
      expires_never();
      if (waited != io_status::ok) co_return waited;
    } else if (wrote.status != io_status::ok) {
      co_return wrote.status;
    }
    std::size_t moved = wrote.bytes;
    while (at < rest.size() && moved >= rest[at].iov_len) moved -= rest[at++].iov_len;
    if (at == rest.size()) co_return io_status::ok;
    rest[at].iov_base = static_cast<char*>(rest[at].iov_base) + moved;
    rest[at].iov_len -= moved;
    const std::span<const iovec> left{rest.data() + at, rest.size() - at};
    wrote = try_write(left);
  }
}

task<io_status> connection::write_all(std::string_view bytes, microseconds patience) {
  const iovec one{const_cast<char*>(bytes.data()), bytes.size()};
  const std::span<const iovec> segments{&one, 1};
  co_return co_await write_all(segments, patience);
}

connection::wait_awaiter connection::readable() { return {*this, !tls_read_wants_write_}; }
connection::wait_awaiter connection::writable() { return {*this, tls_write_wants_read_}; }

bool connection::wait_awaiter::await_ready() {
  if (!on.is_open()) {
    outcome = io_status::error;
    return true;
  }
  if (on.interrupted_) {
    outcome = io_status::interrupted;
    return true;
  }
  if (on.expired_) {
    outcome = io_status::timeout;
    return true;
  }
  // Not SSL_has_pending(): that is true for a part of a record too, which cannot be read yet.
  if (reading && on.tls_ && ::SSL_pending(on.tls_.get()) > 0) return true;
  return reading ? on.read_.ready : on.write_.ready;
}

void connection::wait_awaiter::await_suspend(std::coroutine_handle<> h) {
  waiter& side = reading ? on.read_ : on.write_;
  side.handle = h;
  side.outcome = &outcome;
}

void connection::became_ready(std::uint32_t events) {
  const connection_ptr self{this};
  constexpr std::uint32_t over = EPOLLERR | EPOLLHUP;
  if ((events & (over | EPOLLRDHUP)) != 0) ended_ = true;
  if ((events & (over | EPOLLIN | EPOLLRDHUP)) != 0) read_.ready = true;
  if ((events & (over | EPOLLOUT)) != 0) write_.ready = true;
  if (write_.ready) wake(write_);
  if (!read_.ready) return;
  if (read_.handle) {
    wake(read_);
  } else if (watcher_ != nullptr) {
    tell_watcher();
  }
}

void connection::wake(waiter& side) {
  if (!side.handle) return;
  *side.outcome = io_status::ok;
  std::exchange(side.handle, {}).resume();
}

void connection::tell_watcher() { std::exchange(watcher_, nullptr)->readable_unasked(*this); }

// Both sides are taken before either is resumed: what a resumed coroutine begins to wait for is
// none of this event's business. Nobody waits on a connection that has no owner.
void connection::end_waits(io_status outcome) {
  if (!read_.handle && !write_.handle) return;
  const connection_ptr self{this};
  const waiter reader{std::exchange(read_.handle, {}), read_.outcome};
  const waiter writer{std::exchange(write_.handle, {}), write_.outcome};
  if (reader.handle) *reader.outcome = outcome;
  if (writer.handle) *writer.outcome = outcome;
  if (reader.handle) reader.handle.resume();
  if (writer.handle) writer.handle.resume();
}

void connection::deadline_passed() {
  expired_ = true;
  end_waits(io_status::timeout);
}

void connection::interrupt() {
  interrupted_ = true;
  end_waits(io_status::interrupted);
}

void connection::watch(read_watcher* watcher) {
  watcher_ = watcher;
  if (!read_.ready) return;
  if (peek() == io_status::would_block) {
    read_.ready = false;
  } else {
    tell_watcher();
  }
}

void connection::close(bool reset) {
  if (!is_open()) return;
  expires_never();
  watcher_ = nullptr;
  if (reset) {
    const linger at_once{1, 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  } else if (tls_) {
    ::ERR_clear_error();
    ::SSL_shutdown(tls_.get());
  }
  // The session knows the descriptor by its number, which may be somebody else's from now on.
  tls_.reset();
  owner_.sockets().remove(descriptor_, *this);
  ::close(std::exchange(descriptor_, -1));
  end_waits(io_status::error);
}

void connection::shutdown_send() {
  if (tls_) {
    ::ERR_clear_error();
    ::SSL_shutdown(tls_.get());
  }
  ::shutdown(descriptor_, SHUT_WR);
}

std::string connection::peer_address() const {
  boost::asio::ip::tcp::endpoint peer;
  auto size = static_cast<socklen_t>(peer.capacity());
  if (::getpeername(descriptor_, peer.data(), &size) != 0) return {};
  peer.resize(size);
  auto address = peer.address();
  // What came to a dual-stack listener over IPv4 is an IPv4 address, however it is written.
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    address = boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, address.to_v6());
  return address.to_string();
}

}  // namespace weir::net
