// Readiness-driven sockets.
#include "net/connection.hpp"

#include <algorithm>
#include <cerrno>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <vector>

namespace weir::net {
namespace {

constexpr std::size_t max_segments = 64;  // of one writev; more are written in turns

io_result from_errno() {
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return {io_status::would_block, 0};
  return {io_status::error, 0};
}

}  // namespace

connection::connection(loop& owner, boost::asio::ip::tcp::socket socket)
    : owner_{owner}, socket_{std::move(socket)} {
  boost::system::error_code ignored;
  socket_.non_blocking(true, ignored);
  socket_.native_non_blocking(true, ignored);
  socket_.set_option(boost::asio::ip::tcp::no_delay{true}, ignored);
}

connection::~connection() = default;

void intrusive_ptr_add_ref(connection* one) noexcept { ++one->owners_; }

// An outstanding wait keeps the object alive for the sake of its handler, but not the connection
// open: with nobody else left it is closed, which ends the wait.
void intrusive_ptr_release(connection* one) noexcept {
  const auto waits = static_cast<std::uint32_t>(one->read_.armed) + one->write_.armed;
  if (--one->owners_ == 0) {
    delete one;
  } else if (one->owners_ == waits && one->is_open()) {
    one->close();
  }
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
  const ssize_t got = ::recv(socket_.native_handle(), into.data(), into.size(), 0);
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
  const ssize_t got = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  if (got > 0) return io_status::ok;
  return got == 0 ? io_status::eof : from_errno().status;
}

io_result connection::tls_result(int returned) {
  switch (::SSL_get_error(tls_.get(), returned)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
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
  const ssize_t sent = ::sendmsg(socket_.native_handle(), &message, MSG_NOSIGNAL);
  if (sent >= 0) return {io_status::ok, static_cast<std::size_t>(sent)};
  return from_errno();
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
    if (why == SSL_ERROR_WANT_READ) waited = co_await readable();
    if (why == SSL_ERROR_WANT_WRITE) waited = co_await writable();
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
  waiter& side = reading ? on.read_ : on.write_;
  return std::exchange(side.fired, false);
}

void connection::wait_awaiter::await_suspend(std::coroutine_handle<> h) {
  waiter& side = reading ? on.read_ : on.write_;
  side.handle = h;
  side.outcome = &outcome;
  on.arm(side,
         reading ? boost::asio::socket_base::wait_read : boost::asio::socket_base::wait_write);
}

void connection::arm(waiter& side, boost::asio::socket_base::wait_type kind) {
  if (side.armed) return;
  side.armed = true;
  const bool reading = &side == &read_;
  socket_.async_wait(
      kind, [self = connection_ptr{this}, reading](const boost::system::error_code& ec) {
        self->on_ready(reading ? self->read_ : self->write_, reading, static_cast<bool>(ec));
      });
}

void connection::on_ready(waiter& side, bool reading, bool failed) {
  side.armed = false;
  if (side.handle) {
    wake(side, failed ? io_status::error : io_status::ok);
    return;
  }
  if (failed) return;
  side.fired = true;
  if (reading && watcher_ != nullptr) std::exchange(watcher_, nullptr)->readable_unasked(*this);
}

void connection::wake(waiter& side, io_status outcome) {
  if (!side.handle) return;
  *side.outcome = outcome;
  std::exchange(side.handle, {}).resume();
}

// Both sides are taken before either is resumed: what a resumed coroutine begins to wait for is
// none of this event's business.
void connection::end_waits(io_status outcome) {
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
  if (read_.fired) {
    if (peek() == io_status::would_block) {
      read_.fired = false;
    } else {
      std::exchange(watcher_, nullptr)->readable_unasked(*this);
      return;
    }
  }
  arm(read_, boost::asio::socket_base::wait_read);
}

void connection::close(bool reset) {
  if (!socket_.is_open()) return;
  const connection_ptr self{this};
  expires_never();
  watcher_ = nullptr;
  boost::system::error_code ignored;
  if (reset) {
    socket_.set_option(boost::asio::socket_base::linger{true, 0}, ignored);
  } else if (tls_) {
    ::ERR_clear_error();
    ::SSL_shutdown(tls_.get());
  }
  // The session knows the descriptor by its number, which may be somebody else's from now on.
  tls_.reset();
  socket_.close(ignored);
  end_waits(io_status::error);
}

void connection::shutdown_send() {
  boost::system::error_code ignored;
  if (tls_) {
    ::ERR_clear_error();
    ::SSL_shutdown(tls_.get());
  }
  socket_.shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
}

std::string connection::peer_address() const {
  boost::system::error_code ec;
  auto address = socket_.remote_endpoint(ec).address();
  if (ec) return {};
  // What came to a dual-stack listener over IPv4 is an IPv4 address, however it is written.
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    address = boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, address.to_v6());
  return address.to_string();
}

}  // namespace weir::net
