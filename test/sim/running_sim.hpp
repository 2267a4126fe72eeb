// A simulated engine on a thread of its own, and a caller that talks to it over a raw socket, so
// that broken answers are seen as they are. Blocking, with a time limit on every read.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "sim/service.hpp"

namespace weir::sim {

// Fast steps, so that tests take milliseconds; port of the system's choice.
sim_options quick_options();

struct http_reply {
  int status{0};                               // 0: there was no head
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
  std::vector<std::string> chunks;  // of a chunked body
  bool complete{false};             // the body ended as its framing says
  bool reset{false};                // the connection ended with RST

  [[nodiscard]] nlohmann::json json() const { return nlohmann::json::parse(body, nullptr, false); }
  [[nodiscard]] std::string error_message() const;
};

class caller {
 public:
  explicit caller(std::uint16_t port);
  ~caller();
  caller(const caller&) = delete;
  caller& operator=(const caller&) = delete;

  void send(std::string_view bytes) const;
  void post(std::string_view path, std::string_view body, std::string_view headers = {}) const;
  // The next answer on this connection.
  http_reply read();
  // Reads until the bytes received so far hold `text`; false: they ended before.
  bool read_until(std::string_view text);
  // Bytes received that no answer has taken.
  [[nodiscard]] const std::string& pending() const { return pending_; }
  // Whether something is there to be read now.
  [[nodiscard]] bool readable_now() const;
  void close(bool with_reset = false);

 private:
  bool more();
  bool take_line(std::string& line);
  bool take_bytes(std::size_t count, std::string& out);
  void read_chunks(http_reply& out);

  int fd_;
  std::string pending_;
  bool reset_{false};
};

class running_sim {
 public:
  explicit running_sim(const sim_options& options = quick_options());
  ~running_sim();

  [[nodiscard]] std::uint16_t port() const { return service_->port(); }
  // One call on a connection of its own.
  http_reply get(std::string_view path) const;
  http_reply post(std::string_view path, std::string_view body,
                  std::string_view headers = {}) const;
  // A chat call that asks for `tokens` tokens, with these members added to the body.
  [[nodiscard]] static std::string chat_body(std::int64_t tokens, std::string_view more = {});
  http_reply chat(std::int64_t tokens, std::string_view more = {},
                  std::string_view headers = {}) const;
  http_reply stream(std::int64_t tokens, std::string_view headers = {}) const;
  nlohmann::json stats() const;
  // Asks for the stats until `member` is `value`; false: it was not for ten seconds.
  bool wait_for(std::string_view member, std::int64_t value) const;

 private:
  std::unique_ptr<sim_service> service_;
  std::thread thread_;
};

// The texts of a stream's events: what stands behind "data: ".
std::vector<std::string> events_of(const http_reply& reply);
// Tokens of content in a chat stream, counted by its events.
std::int64_t content_events(const http_reply& reply);

}  // namespace weir::sim
