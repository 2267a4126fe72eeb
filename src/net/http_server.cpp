// Accepting, and the sessions that come of it.
#include "net/http_server.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "net/http_session.hpp"
#include "observe/log.hpp"

namespace weir::net {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;
using reuse_port = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

struct http_server::session_list {
  boost::intrusive::list<http_session,
                         boost::intrusive::member_hook<http_session, decltype(http_session::hook),
                                                       &http_session::hook>,
                         boost::intrusive::constant_time_size<false>>
      all;
};

namespace {

constexpr int backlog = 4096;
constexpr microseconds accept_pause{100ms};  // before the next accept when one failed

struct accept_awaiter {
  tcp::acceptor& from;
  tcp::socket& into;
  boost::system::error_code ec;
  [[nodiscard]] bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> h) {
    from.async_accept(into, [this, h](const boost::system::error_code& e) {
      ec = e;
      h.resume();
    });
  }
  [[nodiscard]] boost::system::error_code await_resume() const { return ec; }
};

// Whether an address can be had without sharing it.
boost::system::error_code check_free(asio::io_context& io, const tcp::endpoint& endpoint) {
  boost::system::error_code ec;
  tcp::acceptor probe{io};
  probe.open(endpoint.protocol(), ec);
  if (!ec) probe.set_option(tcp::acceptor::reuse_address{true}, ec);
  if (!ec) probe.bind(endpoint, ec);
  if (!ec) probe.listen(1, ec);
  return ec;
}

}  // namespace

http_server::http_server(loop& owner, http_handler& handler, http_server_options options,
                         observe::logger& log, spawn_counters& spawned, const tls_context* tls)
    : owner_{owner},
      handler_{handler},
      options_{options},
      log_{log},
      spawned_{spawned},
      tls_{tls},
      acceptor_{owner.io()},
      sessions_{std::make_unique<session_list>()} {}

http_server::~http_server() = default;

result<void> http_server::listen(const std::string& host, std::uint16_t port, port_use use) {
  boost::system::error_code ec;
  const auto address =
      host.empty() || host == "localhost"
          ? asio::ip::address{host.empty() ? asio::ip::address{asio::ip::address_v4::any()}
                                           : asio::ip::address{asio::ip::address_v4::loopback()}}
          : asio::ip::make_address(host, ec);
  if (ec)
    return fail(fmt::format("cannot listen on '{}': expected an IP address of this machine", host));
  const tcp::endpoint endpoint{address, port};
  // A shared port would let a second process take half of the callers unseen.
  if (use == port_use::first_of_all && port != 0) ec = check_free(owner_.io(), endpoint);
  if (!ec) acceptor_.open(endpoint.protocol(), ec);
  if (!ec) acceptor_.set_option(tcp::acceptor::reuse_address{true}, ec);
  if (!ec && use != port_use::alone) acceptor_.set_option(reuse_port{true}, ec);
  if (!ec) acceptor_.bind(endpoint, ec);
  if (!ec) acceptor_.listen(backlog, ec);
  if (ec)
    return fail(fmt::format("cannot listen on {}:{}: {}", address.to_string(), port, ec.message()));
  port_ = acceptor_.local_endpoint(ec).port();
  spawn(accept_loop(), "accept", log_, spawned_);
  return {};
}

task<> http_server::accept_loop() {
  while (!draining_) {
    tcp::socket socket{owner_.io()};
    accept_awaiter accepting{acceptor_, socket, {}};
    const auto ec = co_await accepting;
    if (!ec) {
      take(std::move(socket));
    } else if (ec == asio::error::operation_aborted) {
      break;
    } else if (ec != asio::error::connection_aborted) {
      // No descriptors, no memory: the same would happen again at once.
      ++counters_.refused_descriptors;
      if (counters_.refused_descriptors % 100 == 1)
        log_.warn("a connection cannot be accepted", {{"errno", ec.value()}});
      co_await owner_.sleep_until(owner_.time().mono() + accept_pause);
    }
  }
}

void http_server::take(tcp::socket socket) {
  connection_ptr accepted{new connection{owner_, std::move(socket)}};
  std::string peer = accepted->peer_address();
  if (peer.empty()) return;
  const auto cap = options_.max_connections_per_address;
  const auto open = per_address_.find(peer);
  if (cap > 0 && open != per_address_.end() && open->second >= cap) {
    ++counters_.refused_per_address;
    return;
  }
  spawn(serve(std::move(accepted), std::move(peer)), "connection", log_, spawned_);
}

// Counts a connection while it lives and closes it at the end, an exception's too.
struct http_server::open_connection {
  http_server& server;
  connection_ptr socket;
  const std::string& peer;
  open_connection(http_server& s, connection_ptr c, const std::string& p)
      : server{s}, socket{std::move(c)}, peer{p} {
    ++server.counters_.connections;
    ++server.per_address_[peer];
  }
  open_connection(const open_connection&) = delete;
  open_connection& operator=(const open_connection&) = delete;
  ~open_connection() {
    socket->close();
    --server.counters_.connections;
    if (--server.per_address_[peer] <= 0) server.per_address_.erase(peer);
  }
};

task<> http_server::serve(connection_ptr socket, std::string peer) {
  const open_connection open{*this, socket, peer};
  if (tls_ != nullptr) {
    socket->expires_at(owner_.time().mono() + options_.header_timeout);
    const int fd = socket->native_handle();
    tls_session secret = tls_->accept(fd);
    const bool ready = co_await socket->handshake(std::move(secret));
    socket->expires_never();
    if (!ready) co_return;
  }
  http_session session{*this, socket, peer};
  sessions_->all.push_back(session);
  co_await session.run();
}

// Connections that wait to be accepted are, since their callers know nothing of the end yet.
void http_server::drain() {
  if (draining_) return;
  draining_ = true;
  boost::system::error_code ec;
  acceptor_.non_blocking(true, ec);
  while (!ec) {
    tcp::socket socket{owner_.io()};
    acceptor_.accept(socket, ec);
    if (!ec) take(std::move(socket));
  }
  acceptor_.close(ec);
  for_each_session([](http_session& session) { session.drain(); });
}

void http_server::abort_all() {
  for_each_session([](http_session& session) { session.abort(); });
}

// What is done to one session may end it, and others too, before it returns.
template <class F>
void http_server::for_each_session(F&& apply) {
  session_list left;
  left.all.swap(sessions_->all);
  while (!left.all.empty()) {
    http_session& next = left.all.front();
    left.all.pop_front();
    sessions_->all.push_back(next);
    apply(next);
  }
}

std::string_view http_server::date() {
  const auto now =
      std::chrono::duration_cast<std::chrono::seconds>(owner_.time().now().wall.time_since_epoch())
          .count();
  if (now != date_second_) {
    date_second_ = now;
    date_ = fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", fmt::gmtime(static_cast<std::time_t>(now)));
  }
  return date_;
}

}  // namespace weir::net
