// The HTTP/1.1 server edge: accepts, reads heads and bodies within their limits, writes answers.
// What a request means is the handler's. One http_server belongs to one loop; several may share a
// port (SO_REUSEPORT).
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/result.hpp"
#include "net/connection.hpp"
#include "net/response.hpp"
#include "net/spawn.hpp"
#include "wire/http.hpp"
#include "wire/http_chunked.hpp"

namespace weir::net {

struct http_server_options {
  wire::head_limits head;
  microseconds header_timeout{10s};  // from the first byte of a head to its end
  microseconds idle_timeout{75s};    // between requests
  microseconds write_timeout{30s};   // a caller that takes nothing for so long is dropped
  std::int32_t max_connections_per_address{0};  // 0: no cap
};

enum class body_status : std::uint8_t {
  ok,         // the whole body is there
  too_large,  // more than the limit
  timeout,    // it did not arrive in time
  bad,        // broken chunked framing
  gone,       // the caller hung up
};

struct body_result {
  body_status status{body_status::ok};
  std::string_view bytes;  // valid until release_input(); followed by at least 64 readable bytes
};

// Told, on the loop's thread, that an answer will not be finished.
class gone_listener {
 public:
  virtual ~gone_listener() = default;
  // Nobody waits for the answer any more.
  virtual void caller_gone() = 0;
  // The time to drain is over: end the answer now; the caller is still there to be told.
  virtual void shutting_down() = 0;
};

class http_session;

// One request and its answer. Valid during http_handler::handle().
class http_exchange {
 public:
  explicit http_exchange(http_session& session) : session_{session} {}

  [[nodiscard]] const wire::request_head& head() const;
  [[nodiscard]] const std::string& peer() const;  // the address of the socket's other end
  [[nodiscard]] loop& owner() const;
  // For an answer that no proper server gives (the simulated engine's faults): bytes may be written
  // to it directly if the exchange is then left unanswered, or it may be closed.
  [[nodiscard]] connection& socket() const;

  // Reads the whole body; sends 100-continue where it was asked for.
  task<body_result> read_body(std::uint64_t max_bytes, microseconds timeout);
  // Gives the memory of head and body back; head() and the body's view are gone then.
  void release_input();

  // From here on a hang-up is noticed: told to the listener (which may be null) and seen by gone().
  void watch_caller(gone_listener* listener);
  [[nodiscard]] bool gone() const;

  // A whole answer. The body is left out for HEAD.
  task<io_status> send(response_head head, std::string_view body);
  // The same for a body in pieces.
  task<io_status> send(response_head head, std::span<const iovec> body);

  // A streamed answer: the head goes out together with the first pieces. Chunked for HTTP/1.1,
  // until close for 1.0.
  void begin_stream(response_head head);
  [[nodiscard]] bool streaming() const { return streaming_; }
  // Whether stream pieces are to be written with their chunk framing already around them.
  [[nodiscard]] bool chunked() const { return chunked_; }
  // Writes pieces that carry their own chunk framing (chunked()) or none (HTTP/1.0). True: all went
  // out or an error is in `status`; false: the rest was kept and flush() must be awaited.
  bool try_send_raw(std::span<const iovec> pieces, io_status& status);
  // Writes payload, framed as one chunk.
  bool try_send_chunk(std::span<const iovec> payload, io_status& status);
  task<io_status> flush();
  // The proper end of a stream.
  task<io_status> end_stream();
  // Marks the connection as not to be kept; a stream that was not ended is cut without its final
  // chunk.
  void abort();
  [[nodiscard]] bool answered() const { return answered_; }
  [[nodiscard]] std::uint64_t bytes_sent() const { return sent_; }

 private:
  friend class http_session;
  void finish_head(response_head& head, bool sized, std::uint64_t length);
  bool account(std::span<const iovec> segments, io_status& status);

  http_session& session_;
  std::string head_bytes_;  // a stream's head until its first write
  std::uint64_t sent_{0};
  bool answered_{false};
  bool streaming_{false};
  bool chunked_{false};
  bool bare_{false};  // the answer has no body, whatever is sent: HEAD, 204, 304
  bool ended_{false};
  bool keep_alive_{true};
};

class http_handler {
 public:
  virtual ~http_handler() = default;
  // Answers the request through `exchange`. An exchange left unanswered, or an exception, closes
  // the connection.
  virtual task<> handle(http_exchange& exchange) = 0;
  // The answer to a head that could not be parsed; called instead of handle().
  virtual task<> refuse(http_exchange& exchange, const wire::http_error& error) = 0;
};

// Who else may listen at the same address.
enum class port_use : std::uint8_t {
  alone,         // nobody
  first_of_all,  // other http_servers of this process, after this one
  with_others,   // http_servers of this process, one of which has begun
};

struct http_server_counters {
  std::int64_t connections{0};  // open now
  std::int64_t refused_per_address{0};
  std::int64_t refused_descriptors{0};  // accept failed, mostly for want of descriptors
  std::int64_t header_timeouts{0};
};

class http_server {
 public:
  http_server(loop& owner, http_handler& handler, http_server_options options, observe::logger& log,
              spawn_counters& spawned, const tls_context* tls);
  ~http_server();

  // Binds and begins to accept. Port 0: chosen by the system; see port(). Errors: the address is
  // taken or not ours.
  // Another process on the port is an error, whatever `use` says.
  result<void> listen(const std::string& host, std::uint16_t port, port_use use = port_use::alone);
  [[nodiscard]] std::uint16_t port() const { return port_; }

  // No new connections; idle ones are closed, busy ones after their answer.
  void drain();
  // Ends what is still running: callers see the stream cut.
  void abort_all();
  [[nodiscard]] bool draining() const { return draining_; }
  [[nodiscard]] const http_server_counters& counters() const { return counters_; }
  void set_options(const http_server_options& options) { options_ = options; }

 private:
  friend class http_session;
  friend class http_exchange;
  struct open_connection;
  task<> accept_loop();
  void take(boost::asio::ip::tcp::socket socket);
  template <class F>
  void for_each_session(F&& apply);
  task<> serve(connection_ptr socket, std::string peer);
  std::string_view date();

  loop& owner_;
  http_handler& handler_;
  http_server_options options_;
  observe::logger& log_;
  spawn_counters& spawned_;
  const tls_context* tls_;
  boost::asio::ip::tcp::acceptor acceptor_;
  std::uint16_t port_{0};
  bool draining_{false};
  http_server_counters counters_;
  std::unordered_map<std::string, std::int32_t> per_address_;
  std::string date_;
  std::int64_t date_second_{0};
  struct session_list;
  std::unique_ptr<session_list> sessions_;
};

}  // namespace weir::net
