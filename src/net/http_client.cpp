// Connecting and pooling.
#include "net/http_client.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <cerrno>
#include <memory>
#include <sys/socket.h>

namespace weir::net {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;

namespace {

constexpr std::size_t max_idle_connections = 512;

// A look-up of a name. It cannot be stopped once a thread is at it, so whoever waits is let go at
// the deadline and the answer is dropped when it comes.
class resolution final : public interruptible, private deadline_entry {
 public:
  resolution(loop& owner, std::string host)
      : owner_{owner}, resolver_{owner.io()}, host_{std::move(host)} {}

  static void start(const std::shared_ptr<resolution>& self, mono_time until) {
    self->owner_.deadlines().set(*self, until);
    self->resolver_.async_resolve(
        self->host_, "", [self](const boost::system::error_code&, tcp::resolver::results_type r) {
          for (const auto& one : r) self->found_.push_back(one.endpoint().address());
          self->end(self->found_.empty() ? connect_status::unresolved : connect_status::ok);
        });
  }
  [[nodiscard]] bool await_ready() const { return ended_; }
  void await_suspend(std::coroutine_handle<> h) { waiting_ = h; }
  [[nodiscard]] connect_status await_resume() const { return how_; }
  void interrupt() override { end(connect_status::interrupted); }
  [[nodiscard]] const std::vector<asio::ip::address>& found() const { return found_; }

 private:
  void deadline_passed() override { end(connect_status::timeout); }
  void end(connect_status how) {
    if (std::exchange(ended_, true)) return;
    deadline_wheel::clear(*this);
    how_ = how;
    if (waiting_) std::exchange(waiting_, {}).resume();
  }

  loop& owner_;
  tcp::resolver resolver_;
  std::string host_;
  std::vector<asio::ip::address> found_;
  std::coroutine_handle<> waiting_;
  connect_status how_{connect_status::unresolved};
  bool ended_{false};
};

task<connect_status> resolve(loop& owner, std::string host, mono_time until, wait_slot& slot,
                             std::vector<asio::ip::address>& found) {
  boost::system::error_code ec;
  const auto literal = asio::ip::make_address(host, ec);
  if (!ec) {
    found.push_back(literal);
    co_return connect_status::ok;
  }
  if (slot.given_up) co_return connect_status::interrupted;
  const auto looking = std::make_shared<resolution>(owner, std::move(host));
  resolution::start(looking, until);
  slot.waiting = looking.get();
  const connect_status how = co_await *looking;
  slot.waiting = nullptr;
  if (how == connect_status::ok) found = looking->found();
  co_return how;
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
  raw.native_non_blocking(true, ec);
  const bool at_once =
      ::connect(raw.native_handle(), to.data(), static_cast<socklen_t>(to.size())) == 0;
  if (!at_once && errno != EINPROGRESS) {
    made.status = connect_status::refused;
    co_return made;
  }
  made.socket = connection_ptr{new connection{owner, std::move(raw)}};
  if (!at_once) {
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
  ::getsockopt(made.socket->native_handle(), SOL_SOCKET, SO_ERROR, &problem, &size);
  if (problem != 0) made.status = connect_status::refused;
  co_return made;
}

task<connect_status> shake_hands(loop& owner, const endpoint& where, connection& socket,
                                 mono_time until, wait_slot& slot) {
  socket.expires_at(until);
  slot.waiting = &socket;
  tls_session session = where.tls->connect(socket.native_handle(), where.host);
  const bool shaken = co_await socket.handshake(std::move(session));
  slot.waiting = nullptr;
  socket.expires_never();
  if (slot.given_up) co_return connect_status::interrupted;
  if (shaken) co_return connect_status::ok;
  co_return owner.time().mono() >= until ? connect_status::timeout : connect_status::tls_failed;
}

}  // namespace

task<lease> connect(loop& owner, endpoint where, microseconds patience, wait_slot& slot) {
  const mono_time until = owner.time().mono() + patience;
  lease made;
  std::vector<asio::ip::address> addresses;
  made.status = co_await resolve(owner, where.host, until, slot, addresses);
  for (std::size_t at = 0; at < addresses.size(); ++at) {
    if (slot.given_up) {
      made.status = connect_status::interrupted;
      break;
    }
    // An address that does not answer leaves time for the others.
    const mono_time now = owner.time().mono();
    const auto share = (until - now) / static_cast<std::int64_t>(addresses.size() - at);
    const tcp::endpoint to{addresses[at], where.port};
    made = co_await connect_to(owner, to, now + share, slot);
    if (made.status == connect_status::ok || made.status == connect_status::interrupted) break;
  }
  if (made.status == connect_status::ok && where.tls != nullptr)
    made.status = co_await shake_hands(owner, where, *made.socket, until, slot);
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
