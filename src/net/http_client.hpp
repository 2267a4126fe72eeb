// The HTTP/1.1 client edge: connections to one server, kept and reused, and the reading of answers.
// Belongs to one loop. Nothing is retried and no redirect is followed here; what an answer means is
// the caller's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "net/connection.hpp"
#include "net/spawn.hpp"
#include "wire/http.hpp"
#include "wire/http_chunked.hpp"

namespace weir::net {

// Where a pool connects to.
struct endpoint {
  std::string host;  // a name or an address
  std::uint16_t port{80};
  const tls_context* tls{nullptr};  // null: plain
};

enum class connect_status : std::uint8_t {
  ok,
  unresolved,   // the name has no address
  refused,      // nobody listens, or no route
  timeout,      // not within the deadline
  tls_failed,   // the handshake failed, or the certificate is not valid for the host
  interrupted,  // given up by whoever asked
};

// Something that can be given up while it waits: what it waits on, if anything.
struct wait_slot {
  interruptible* waiting{nullptr};
  bool given_up{false};
  // Wakes the waiter with `interrupted`; a wait that has not begun will not begin.
  void give_up() {
    given_up = true;
    if (waiting != nullptr) waiting->interrupt();
  }
};

struct lease {
  connection_ptr socket;
  bool reused{false};  // it served a request before
  connect_status status{connect_status::ok};
};

struct pool_counters {
  std::int64_t connects{0};
  std::int64_t reuses{0};
  std::int64_t closed_idle{0};  // by the server, while they waited for work
};

class connection_pool final : private read_watcher {
 public:
  connection_pool(loop& owner, endpoint where, microseconds max_idle);
  ~connection_pool() override;

  // An idle connection, or a new one within `patience`. `fresh`: never an idle one.
  task<lease> acquire(microseconds patience, bool fresh, wait_slot& slot);
  // Takes a connection back whose answer was read to its end.
  void put_back(connection_ptr socket);
  // Closes all idle connections.
  void clear();

  [[nodiscard]] const pool_counters& counters() const { return counters_; }
  [[nodiscard]] std::size_t idle() const { return idle_.size(); }
  [[nodiscard]] const endpoint& where() const { return where_; }

 private:
  struct idle_connection {
    connection_ptr socket;
    mono_time since;
  };
  void readable_unasked(connection& from) override;
  connection_ptr take_idle();

  loop& owner_;
  endpoint where_;
  microseconds max_idle_;
  std::vector<idle_connection> idle_;  // most recently used last
  pool_counters counters_;
};

// Connects without a pool.
task<lease> connect(loop& owner, endpoint where, microseconds patience, wait_slot& slot);

enum class answer_status : std::uint8_t {
  ok,
  closed_unanswered,  // closed or reset before the first byte of an answer
  closed,             // closed or reset within the answer
  timeout,            // the deadline passed
  interrupted,        // given up by whoever asked
  malformed,          // not HTTP/1.x
};

// An answer as it is read: the head, then pieces of the body.
class answer_reader {
 public:
  explicit answer_reader(connection_ptr socket) : socket_{std::move(socket)} {}

  // Reads the head; 1xx answers are skipped. The socket's deadline applies.
  task<answer_status> read_head(const wire::head_limits& limits, bool to_head, wait_slot& slot);
  [[nodiscard]] const wire::response_head& head() const { return head_; }

  // Payload and raw bytes of one read. Views are gone after the next suspension.
  struct piece {
    answer_status status{answer_status::ok};
    std::string_view raw;  // everything that was read, framing included
    bool end{false};       // the body is complete with these bytes
  };
  // Waits for bytes of the body. Call decode() on `raw` until it is used up.
  task<piece> read_some(wait_slot& slot);
  // The body decoder; whoever reads drives it.
  [[nodiscard]] wire::body_decoder& decoder() { return decoder_; }

  // Reads a whole body of at most `max_bytes` into `out`. too large: malformed.
  task<answer_status> read_all(std::string& out, std::size_t max_bytes, wait_slot& slot);

  // Whether the connection may serve another request: the body ended and the server keeps it.
  [[nodiscard]] bool reusable() const {
    return decoder_.done() && head_.keep_alive && extra_ == 0 && leftover_.empty();
  }
  void saw_extra(std::size_t bytes) { extra_ += bytes; }
  // Gives back the head's memory.
  void release_head();
  [[nodiscard]] const connection_ptr& socket() const { return socket_; }

 private:
  connection_ptr socket_;
  std::string head_bytes_;
  std::string leftover_;  // body bytes that came with the head, until the first read_some()
  wire::response_head head_;
  wire::body_decoder decoder_;
  std::size_t extra_{0};  // bytes behind the end of the answer
};

}  // namespace weir::net
