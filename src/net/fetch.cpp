// One whole exchange.
#include "net/fetch.hpp"

namespace weir::net {

task<fetched> fetch(loop& owner, endpoint where, fetch_request what) {
  fetched out;
  wait_slot slot;
  const mono_time until = owner.time().mono() + what.patience;
  const std::string host =
      where.host.find(':') == std::string::npos ? where.host : '[' + where.host + ']';
  std::string request = what.method + ' ' + what.target + " HTTP/1.1\r\nHost: " + host + ':' +
                        std::to_string(where.port) + "\r\nConnection: close\r\n";
  if (!what.authorization.empty()) request += "Authorization: " + what.authorization + "\r\n";
  request += "Content-Length: " + std::to_string(what.body.size()) + "\r\n\r\n" + what.body;
  const bool to_head = what.method == "HEAD";
  lease line = co_await connect(owner, std::move(where), what.patience, slot);
  out.connected = line.status;
  if (line.status != connect_status::ok) co_return out;
  const std::string_view bytes = request;
  const io_status sent = co_await line.socket->write_all(bytes, what.patience);
  if (sent != io_status::ok) {
    out.answered = answer_status::closed_unanswered;
    co_return out;
  }
  line.socket->expires_at(until);
  answer_reader reader{line.socket};
  const wire::head_limits limits;
  out.answered = co_await reader.read_head(limits, to_head, slot);
  if (out.answered == answer_status::ok) {
    out.status = reader.head().status;
    out.answered = co_await reader.read_all(out.body, what.max_bytes, slot);
  }
  line.socket->close();
  co_return out;
}

}  // namespace weir::net
