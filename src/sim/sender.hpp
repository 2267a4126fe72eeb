// How an answer's bytes reach the caller: properly through the exchange, or as a fault wants it,
// with a head sent byte by byte, compressed, cut or reset.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "net/http_server.hpp"
#include "sim/call.hpp"
#include "sim/event_buffer.hpp"
#include "sim/gzip.hpp"

namespace weir::sim {

// Adds what every answer of the call carries, and the field that its faults add.
net::response_head make_head(int status, std::string_view content_type, const call& c);

// A whole answer, in time or as the call's faults want it. Does not end the call.
task<> send_whole(net::http_exchange& exchange, call& c, int status, std::string_view content_type,
                  std::string body);

// A streamed answer. Must not outlive the exchange and the call.
class stream_sender {
 public:
  stream_sender(net::http_exchange& exchange, call& c) : exchange_{exchange}, call_{c} {}

  // Sends the head.
  task<> open();
  // The style that events must be written in.
  [[nodiscard]] event_style style() const;
  // Sends events now as far as they go. False: finish_sending() must be awaited.
  bool try_send(std::string_view events);
  task<> finish_sending();
  // The proper end.
  task<> end();
  // No end: the connection closes, with RST where `reset`.
  void cut(bool reset);
  // Whether the caller still takes bytes.
  [[nodiscard]] bool alive() const { return alive_; }

 private:
  net::http_exchange& exchange_;
  call& call_;
  std::optional<gzip_stream> gzip_;
  std::string waiting_;  // of a stream that goes by the socket directly
  bool raw_{false};      // its head went byte by byte, so the exchange knows nothing of it
  bool alive_{true};
};

// Whether the caller has closed its side or reset the connection.
bool has_left(net::http_exchange& exchange);

// Waits for the next request on the connection and closes it without an answer.
task<> close_at_reuse(net::http_exchange& exchange, microseconds patience);

}  // namespace weir::sim
