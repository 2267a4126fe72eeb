// A connected stream socket, plain or TLS, driven by readiness: try first, wait when it would
// block. It belongs to one loop's thread. Exactly one coroutine may wait for reading and one for
// writing; a deadline or interrupt() wakes them.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <coroutine>
#include <span>
#include <string>
#include <string_view>
#include <sys/uio.h>

#include "net/loop.hpp"
#include "net/tls.hpp"

namespace weir::net {

enum class io_status : std::uint8_t {
  ok,           // bytes were moved, or the socket is ready
  would_block,  // nothing now; wait
  eof,          // the peer ended its side in order
  error,        // reset, or broken
  timeout,      // the deadline passed
  interrupted,  // interrupt() was called
};

struct io_result {
  io_status status{io_status::ok};
  std::size_t bytes{0};
};

// A wait that somebody else may end early.
class interruptible {
 public:
  virtual ~interruptible() = default;
  // Ends the wait; whoever waits is resumed before this returns.
  virtual void interrupt() = 0;
};

class connection;
void intrusive_ptr_add_ref(connection* one) noexcept;
void intrusive_ptr_release(connection* one) noexcept;
using connection_ptr = boost::intrusive_ptr<connection>;

// Told when bytes or an end arrive while nobody waits for them.
class read_watcher {
 public:
  virtual ~read_watcher() = default;
  virtual void readable_unasked(connection& from) = 0;
};

// Counts its owners; it is closed when the last one lets go.
class connection final : public interruptible, private deadline_entry, private ready_listener {
 public:
  // Takes over a socket that is connected, or connecting: then it is writable() when that has
  // ended. Makes it non-blocking with TCP_NODELAY. Where the system cannot watch it, it is closed.
  connection(loop& owner, boost::asio::ip::tcp::socket socket);
  ~connection() override;

  // Wraps the connection in TLS and completes the handshake. False: it failed; the connection is of
  // no use.
  task<bool> handshake(tls_session session);

  io_result try_read(std::span<char> into);
  // Looks whether the peer is still there without taking bytes: would_block (silent), ok (bytes
  // wait), eof or error.
  io_status peek();
  // Writes as much as goes now. bytes < sum of segments means that the rest must wait for
  // writable().
  io_result try_write(std::span<const iovec> segments);

  // Writes all of it, waiting as needed; each wait may last at most `patience`.
  task<io_status> write_all(std::span<const iovec> segments, microseconds patience);
  // Goes on with segments that try_write() moved only in part, as `first` tells.
  task<io_status> write_rest(std::span<const iovec> segments, io_result first,
                             microseconds patience);
  task<io_status> write_all(std::string_view bytes, microseconds patience);

  struct wait_awaiter;
  // co_await: ok, timeout, interrupted or error.
  wait_awaiter readable();
  wait_awaiter writable();

  // The deadline of waits, until it is moved or cleared. Passing it wakes whoever waits with
  // `timeout`; waits that begin later end at once.
  void expires_at(mono_time at) {
    expired_ = false;
    owner_.deadlines().set(*this, at);
  }
  void expires_never() {
    expired_ = false;
    deadline_wheel::clear(*this);
  }

  // Wakes whoever waits with `interrupted`; waits that begin later end at once, until
  // clear_interrupt().
  void interrupt() override;
  void clear_interrupt() { interrupted_ = false; }

  // While a watcher is set and nobody waits, arrivals are told to it, once each time it is set.
  void watch(read_watcher* watcher);
  void unwatch() { watcher_ = nullptr; }

  // Ends the connection now; with `reset` the peer sees RST where the system allows. Waiters get
  // error.
  void close(bool reset = false);
  // Ends our side only, after what was written.
  void shutdown_send();
  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
  [[nodiscard]] loop& owner() { return owner_; }
  [[nodiscard]] int native_handle() const { return descriptor_; }
  [[nodiscard]] std::string peer_address() const;

 private:
  struct waiter {
    std::coroutine_handle<> handle;
    io_status* outcome{nullptr};
    bool ready{false};  // may go on: nothing since has said that it would block
  };
  friend void intrusive_ptr_add_ref(connection* one) noexcept;
  friend void intrusive_ptr_release(connection* one) noexcept;
  void deadline_passed() override;
  void became_ready(std::uint32_t events) override;
  void end_waits(io_status outcome);
  void tell_watcher();
  static void wake(waiter& side);
  io_result tls_result(int returned);
  io_result tls_write(std::span<const iovec> segments);

  loop& owner_;
  int descriptor_{-1};
  tls_session tls_;
  read_watcher* watcher_{nullptr};
  waiter read_;
  waiter write_;
  std::uint32_t owners_{0};
  bool ended_{false};  // the peer's end was seen: a short read says nothing about what follows
  bool interrupted_{false};
  bool expired_{false};
  bool tls_read_wants_write_{false};  // TLS asked for the other direction before it can go on
  bool tls_write_wants_read_{false};
};

struct connection::wait_awaiter {
  connection& on;
  bool reading;
  io_status outcome{io_status::ok};
  bool await_ready();
  void await_suspend(std::coroutine_handle<> h);
  [[nodiscard]] io_status await_resume() const { return outcome; }
};

}  // namespace weir::net
