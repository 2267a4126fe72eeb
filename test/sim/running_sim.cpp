// Sockets for tests.
#include "running_sim.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace weir::sim {
namespace {

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

sim_options quick_options() {
  sim_options o;
  o.listen = "127.0.0.1:0";
  o.models = {"small", "large"};
  o.engine.step_base = 1ms;
  o.engine.step_per_sequence = 0us;
  o.engine.prefill_tokens_per_second = 0;
  o.engine.mean_answer = 8;
  return o;
}

std::string http_reply::error_message() const {
  const auto parsed = json();
  return parsed.contains("error") ? parsed["error"].value("message", "") : "";
}

caller::caller(std::uint16_t port) : fd_{::socket(AF_INET, SOCK_STREAM, 0)} {
  timeval limit{20, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  ::inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
  EXPECT_EQ(::connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
}

caller::~caller() { close(); }

void caller::close(bool with_reset) {
  if (fd_ < 0) return;
  const linger now{1, 0};
  if (with_reset) ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  ::close(std::exchange(fd_, -1));
}

void caller::send(std::string_view bytes) const {
  EXPECT_EQ(::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(bytes.size()));
}

void caller::post(std::string_view path, std::string_view body, std::string_view headers) const {
  send(
      fmt::format("POST {} HTTP/1.1\r\nHost: sim\r\nContent-Type: application/json\r\n"
                  "Content-Length: {}\r\n{}\r\n{}",
                  path, body.size(), headers, body));
}

bool caller::more() {
  char buffer[65536];
  const auto got = ::recv(fd_, buffer, sizeof buffer, 0);
  if (got > 0) pending_.append(buffer, static_cast<std::size_t>(got));
  if (got < 0 && errno == ECONNRESET) reset_ = true;
  EXPECT_FALSE(got < 0 && errno == EAGAIN) << "nothing came for 20 s; so far: " << pending_;
  return got > 0;
}

bool caller::readable_now() const {
  pollfd one{fd_, POLLIN, 0};
  return ::poll(&one, 1, 0) == 1;
}

bool caller::read_until(std::string_view text) {
  while (pending_.find(text) == std::string::npos)
    if (!more()) return false;
  return true;
}

bool caller::take_line(std::string& line) {
  for (;;) {
    const auto end = pending_.find("\r\n");
    if (end != std::string::npos) {
      line = pending_.substr(0, end);
      pending_.erase(0, end + 2);
      return true;
    }
    if (!more()) return false;
  }
}

bool caller::take_bytes(std::size_t count, std::string& out) {
  while (pending_.size() < count && more()) {
  }
  const bool all = pending_.size() >= count;
  count = std::min(count, pending_.size());
  out = pending_.substr(0, count);
  pending_.erase(0, count);
  return all;
}

void caller::read_chunks(http_reply& out) {
  std::string line;
  while (take_line(line)) {
    const auto size = std::stoul(line, nullptr, 16);
    std::string chunk;
    if (!take_bytes(size + 2, chunk)) return;
    chunk.resize(size);
    if (size == 0) {
      out.complete = true;
      return;
    }
    out.body += chunk;
    out.chunks.push_back(std::move(chunk));
  }
}

http_reply caller::read() {
  http_reply out;
  std::string line;
  if (take_line(line)) {
    out.status = std::stoi(line.substr(9, 3));
    while (take_line(line) && !line.empty()) {
      const auto colon = line.find(": ");
      out.headers[lower(line.substr(0, colon))] = line.substr(colon + 2);
    }
    if (out.headers.contains("content-length")) {
      out.complete = take_bytes(std::stoul(out.headers["content-length"]), out.body);
    } else if (out.headers.contains("transfer-encoding")) {
      read_chunks(out);
    }
  }
  out.reset = reset_;
  return out;
}

running_sim::running_sim(const sim_options& options) {
  auto started = sim_service::start(options);
  if (!started) throw std::runtime_error{started.error().message};
  service_ = std::move(*started);
  thread_ = std::thread{[this] { service_->run(); }};
}

running_sim::~running_sim() {
  service_->stop();
  thread_.join();
}

http_reply running_sim::get(std::string_view path) const {
  caller c{port()};
  c.send(fmt::format("GET {} HTTP/1.1\r\nHost: sim\r\n\r\n", path));
  return c.read();
}

http_reply running_sim::post(std::string_view path, std::string_view body,
                             std::string_view headers) const {
  caller c{port()};
  c.post(path, body, headers);
  return c.read();
}

std::string running_sim::chat_body(std::int64_t tokens, std::string_view more) {
  return fmt::format(
      R"({{"model":"small","messages":[{{"role":"user","content":"hello"}}],"max_tokens":{},)"
      R"("ignore_eos":true{}{}}})",
      tokens, more.empty() ? "" : ",", more);
}

http_reply running_sim::chat(std::int64_t tokens, std::string_view more,
                             std::string_view headers) const {
  return post("/v1/chat/completions", chat_body(tokens, more), headers);
}

http_reply running_sim::stream(std::int64_t tokens, std::string_view headers) const {
  return chat(tokens, R"("stream":true,"stream_options":{"include_usage":true})", headers);
}

nlohmann::json running_sim::stats() const { return get("/sim/stats").json(); }

bool running_sim::wait_for(std::string_view member, std::int64_t value) const {
  const net::system_clock time;
  for (const auto until = time.mono() + 10s; time.mono() < until;)
    if (stats()[std::string{member}] == value) return true;
  return false;
}

std::vector<std::string> events_of(const http_reply& reply) {
  std::vector<std::string> out;
  constexpr std::string_view mark = "data: ";
  for (std::size_t at = 0; (at = reply.body.find(mark, at)) != std::string::npos;) {
    at += mark.size();
    out.push_back(reply.body.substr(at, reply.body.find_first_of("\r\n", at) - at));
  }
  return out;
}

std::int64_t content_events(const http_reply& reply) {
  return std::ranges::count_if(events_of(reply), [](const std::string& text) {
    const auto event = nlohmann::json::parse(text, nullptr, false);
    if (!event.is_object() || !event.contains("choices") || event["choices"].empty()) return false;
    return event["choices"][0].value("delta", nlohmann::json::object()).value("content", "") != "";
  });
}

}  // namespace weir::sim
