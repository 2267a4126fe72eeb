// Connecting and pooling.
#include "net/http_client.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <cerrno>
#include <sys/socket.h>

namespace weir::net {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;

namespace {

constexpr std::size_t max_idle_connections = 512;

struct resolve_awaiter {
  tcp::resolver& with;
  const std::string& host;
  std::string port;
  boost::system::error_code ec;
  tcp::resolver::results_type found;
  [[nodiscard]] bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> h) {
    with.async_resolve(
        host, port, [this, h](const boost::system::error_code& e, tcp::resolver::results_type r) {
          ec = e;
          found = std::move(r);
          h.resume();
        });
  }
  void await_resume() const {}
};

task<std::vector<tcp::endpoint>> resolve(loop& owner, const endpoint& where) {
  std::vector<tcp::endpoint> found;
  boost::system::error_code ec;
  const auto literal = asio::ip::make_address(where.host, ec);
  if (!ec) {
    found.emplace_back(literal, where.port);
    co_return found;
  }
  tcp::resolver resolver{owner.io()};
  resolve_awaiter resolving{resolver, where.host, std::to_string(where.port), {}, {}};
  co_await resolving;
  for (const auto& one : resolving.found) found.push_back(one.endpoint());
  co_return found;
}

connect_status from_wait(io_status waited) {
  switch (waited) {
    case io_status::timeout:
      return connect_status::timeout;
    case io_status::interrupted:
      return connect_status::interrupted;
    default:
      return connect_status::refused;
  }
}

// One attempt on one address. The kernel connects; writability tells that it is done.
task<lease> connect_to(loop& owner, tcp::endpoint to, mono_time until, wait_slot& slot) {
  lease made;
  tcp::socket raw{owner.io()};
  boost::system::error_code ec;
  raw.open(to.protocol(), ec);
  if (ec) {
    made.status = connect_status::refused;
    co_return made;
  }
  made.socket = connection_ptr{new connection{owner, std::move(raw)}};
  const int fd = made.socket->native_handle();
  if (::connect(fd, to.data(), static_cast<socklen_t>(to.size())) != 0) {
    if (errno != EINPROGRESS) {
      made.status = connect_status::refused;
      co_return made;
    }
    made.socket->expires_at(until);
    slot.waiting = made.socket.get();
    const io_status waited = co_await made.socket->writable();
    slot.waiting = nullptr;
    made.socket->expires_never();
    if (waited != io_status::ok) {
      made.status = slot.given_up ? connect_status::interrupted : from_wait(waited);
      co_return made;
    }
  }
  int problem = 0;
  socklen_t size = sizeof problem;
  ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &problem, &size);
  if (problem != 0) made.status = connect_status::refused;
  co_return made;
}

}  // namespace

task<lease> connect(loop& owner, endpoint where, microseconds patience, wait_slot& slot) {
  const mono_time until = owner.time().mono() + patience;
  lease made;
  made.status = connect_status::unresolved;
  const auto addresses = co_await resolve(owner, where);
  for (const auto& address : addresses) {
    if (slot.given_up) {
      made.status = connect_status::interrupted;
      break;
    }
    made = co_await connect_to(owner, address, until, slot);
    if (made.status != connect_status::refused) break;
  }
  if (made.status == connect_status::ok && where.tls != nullptr) {
    made.socket->expires_at(until);
    slot.waiting = made.socket.get();
    tls_session session = where.tls->connect(made.socket->native_handle(), where.host);
    const bool shaken = co_await made.socket->handshake(std::move(session));
    slot.waiting = nullptr;
    made.socket->expires_never();
    if (!shaken) made.status = connect_status::tls_failed;
  }
  if (made.status != connect_status::ok && made.socket) {
    made.socket->close();
    made.socket.reset();
  }
  co_return made;
}

connection_pool::connection_pool(loop& owner, endpoint where, microseconds max_idle)
    : owner_{owner}, where_{std::move(where)}, max_idle_{max_idle} {}

connection_pool::~connection_pool() { clear(); }

void connection_pool::clear() {
  for (auto& one : idle_) one.socket->close();
  idle_.clear();
}

connection_ptr connection_pool::take_idle() {
  const mono_time oldest = owner_.time().mono() - max_idle_;
  while (!idle_.empty()) {
    idle_connection last = std::move(idle_.back());
    idle_.pop_back();
    last.socket->unwatch();
    if (last.since >= oldest) return std::move(last.socket);
    last.socket->close();
  }
  return {};
}

task<lease> connection_pool::acquire(microseconds patience, bool fresh, wait_slot& slot) {
  lease made;
  if (!fresh) made.socket = take_idle();
  if (made.socket) {
    made.reused = true;
    ++counters_.reuses;
    co_return made;
  }
  ++counters_.connects;
  made = co_await connect(owner_, where_, patience, slot);
  co_return made;
}

void connection_pool::put_back(connection_ptr socket) {
  if (!socket->is_open() || idle_.size() >= max_idle_connections) {
    socket->close();
    return;
  }
  socket->clear_interrupt();
  socket->expires_never();
  idle_.push_back({socket, owner_.time().mono()});
  socket->watch(this);
}

// An idle connection that becomes readable was closed, or speaks out of turn: either way it is of
// no use.
void connection_pool::readable_unasked(connection& from) {
  for (auto at = idle_.begin(); at != idle_.end(); ++at) {
    if (at->socket.get() != &from) continue;
    const connection_ptr ended = std::move(at->socket);
    idle_.erase(at);
    ++counters_.closed_idle;
    ended->close();
    return;
  }
}

}  // namespace weir::net
