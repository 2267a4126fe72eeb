// What the tests of the client edge share: one request over a pool, read to its end.
#pragma once

#include "net/http_client.hpp"
#include "net/support.hpp"

namespace weir::net {

struct exchanged {
  connect_status connected{connect_status::ok};
  answer_status answered{answer_status::ok};
  int status{0};
  std::string body;
  bool reused{false};
  bool kept{false};
};

// Sends a request, reads its answer and gives the connection back where it may be used again. The
// answer is due `patience` after the request was sent.
inline task<exchanged> exchange_over(loop& on, connection_pool& pool, std::string request,
                                     wait_slot& slot, microseconds patience = 5s,
                                     bool to_head = false) {
  exchanged out;
  lease line = co_await pool.acquire(patience, false, slot);
  out.connected = line.status;
  out.reused = line.reused;
  if (line.status != connect_status::ok) co_return out;
  const std::string_view bytes = request;
  co_await line.socket->write_all(bytes, patience);
  line.socket->expires_at(on.time().mono() + patience);
  answer_reader reader{line.socket};
  const wire::head_limits limits;
  out.answered = co_await reader.read_head(limits, to_head, slot);
  if (out.answered == answer_status::ok) {
    out.status = reader.head().status;
    out.answered = co_await reader.read_all(out.body, 64 << 20, slot);
  }
  out.kept = out.answered == answer_status::ok && reader.reusable();
  if (out.kept) {
    pool.put_back(line.socket);
  } else {
    line.socket->close();
  }
  co_return out;
}

// The same, while the test plays the server: `done` is set at the end.
inline task<> exchange_into(world& w, connection_pool& pool, std::string request, wait_slot& slot,
                            std::optional<exchanged>& done) {
  done = co_await exchange_over(w.on, pool, std::move(request), slot);
}

inline endpoint here(std::uint16_t port, const tls_context* tls = nullptr,
                     std::string host = "127.0.0.1") {
  endpoint where;
  where.host = std::move(host);
  where.port = port;
  where.tls = tls;
  return where;
}

}  // namespace weir::net
