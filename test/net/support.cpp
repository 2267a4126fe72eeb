// The hands of the tests: see support.hpp.
#include "net/support.hpp"

#include <arpa/inet.h>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <netinet/in.h>
#include <random>
#include <sys/socket.h>
#include <unistd.h>

namespace weir::net {
namespace {

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  at.sin_port = htons(port);
  return at;
}

observe::log_options quiet() {
  observe::log_options options;
  options.level = observe::log_level::off;
  options.fd = 2;
  return options;
}

}  // namespace

world::world() : log{quiet(), time}, busy_{on.io().get_executor()} {
  std::signal(SIGPIPE, SIG_IGN);
}

world::~world() {
  for (int i = 0; i < 400 && spawned.running.load() > 0; ++i) pass(1s);
  EXPECT_EQ(spawned.running.load(), 0) << "a coroutine did not end with the test";
  settle();
}

bool world::until(const std::function<bool()>& met) {
  const auto last = std::chrono::steady_clock::now() + std::chrono::seconds{10};
  while (!met()) {
    if (std::chrono::steady_clock::now() > last) return false;
    on.io().run_one_for(std::chrono::milliseconds{5});
  }
  return true;
}

void world::settle() {
  for (int quiet_turns = 0; quiet_turns < 3;)
    quiet_turns = on.io().run_one_for(std::chrono::milliseconds{1}) == 0 ? quiet_turns + 1 : 0;
}

void world::pass(microseconds by) {
  time.advance(by);
  // The wheel looks at the clock once in a tick of real time.
  on.io().run_for(std::chrono::milliseconds{45});
}

wire_end::wire_end(world& in, int fd) : in_{&in}, fd_{fd} {
  ::fcntl(fd_, F_SETFL, ::fcntl(fd_, F_GETFL) | O_NONBLOCK);
}

wire_end wire_end::to(world& in, std::uint16_t port, int receive_buffer) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (receive_buffer > 0)
    ::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  const sockaddr_in at = loopback(port);
  EXPECT_EQ(::connect(fd, reinterpret_cast<const sockaddr*>(&at), sizeof at), 0);
  return {in, fd};
}

wire_end::wire_end(wire_end&& other) noexcept
    : in_{other.in_},
      fd_{std::exchange(other.fd_, -1)},
      got_{std::move(other.got_)},
      ended_{other.ended_},
      reset_{other.reset_} {}

wire_end& wire_end::operator=(wire_end&& other) noexcept {
  close();
  in_ = other.in_;
  fd_ = std::exchange(other.fd_, -1);
  got_ = std::move(other.got_);
  ended_ = other.ended_;
  reset_ = other.reset_;
  return *this;
}

wire_end::~wire_end() { close(); }

void wire_end::send(std::string_view bytes) {
  const bool all = in_->until([&] {
    const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
    return bytes.empty() || (sent < 0 && errno != EAGAIN);
  });
  EXPECT_TRUE(all) << "the other end takes no bytes";
}

bool wire_end::pull() {
  char bytes[16 * 1024];
  while (!ended_) {
    const ssize_t got = ::recv(fd_, bytes, sizeof bytes, 0);
    if (got < 0 && errno == EAGAIN) break;
    if (got > 0) {
      got_.append(bytes, static_cast<std::size_t>(got));
    } else {
      ended_ = true;
      reset_ = got < 0;
    }
  }
  return ended_;
}

std::string wire_end::read_through(std::string_view text) {
  in_->until([&] { return pull() || got_.find(text) != std::string::npos; });
  const auto at = got_.find(text);
  EXPECT_NE(at, std::string::npos)
      << "waited for '" << text << "', got '" << got_ << "'" << (ended_ ? " and the end" : "");
  return read(at == std::string::npos ? got_.size() : at + text.size());
}

std::string wire_end::read(std::size_t bytes) {
  in_->until([&] { return got_.size() >= bytes || (pull() || got_.size() >= bytes); });
  EXPECT_GE(got_.size(), bytes);
  std::string out = got_.substr(0, bytes);
  got_.erase(0, out.size());
  return out;
}

std::string wire_end::read_answer() {
  std::string head = read_through("\r\n\r\n");
  const auto at = head.find("Content-Length: ");
  if (at == std::string::npos) return head;
  return head + read(std::stoul(head.substr(at + 16)));
}

std::string wire_end::read_to_end() {
  EXPECT_TRUE(in_->until([&] { return pull(); })) << "no end, got '" << got_ << "'";
  return std::exchange(got_, {});
}

std::string wire_end::arrived() {
  in_->settle();
  pull();
  return std::exchange(got_, {});
}

bool wire_end::ends() {
  return in_->until([&] { return pull(); });
}

void wire_end::end_sending() { ::shutdown(fd_, SHUT_WR); }

void wire_end::close(bool reset) {
  if (fd_ < 0) return;
  const linger now{1, 0};
  if (reset) ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  ::close(std::exchange(fd_, -1));
}

wire_listener::wire_listener(world& in, int backlog)
    : in_{in}, fd_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)} {
  sockaddr_in at = loopback(0);
  socklen_t size = sizeof at;
  EXPECT_EQ(::bind(fd_, reinterpret_cast<const sockaddr*>(&at), size), 0);
  EXPECT_EQ(::listen(fd_, backlog), 0);
  EXPECT_EQ(::getsockname(fd_, reinterpret_cast<sockaddr*>(&at), &size), 0);
  port_ = ntohs(at.sin_port);
}

wire_listener::~wire_listener() { ::close(fd_); }

wire_end wire_listener::accept() {
  int fd = -1;
  EXPECT_TRUE(in_.until([&] { return (fd = ::accept(fd_, nullptr, nullptr)) >= 0; }))
      << "nobody connected";
  return {in_, fd};
}

task<> function_handler::refuse(http_exchange& exchange, const wire::http_error& error) {
  ++refused;
  std::string code{error.code};
  co_await answer(exchange, std::move(code), error.status);
}

test_server::test_server(world& in, handle_function f, const http_server_options& options,
                         const tls_context* tls, const std::string& host)
    : in_{in}, handler{std::move(f)}, server{in.on, handler, options, in.log, spawned, tls} {
  EXPECT_TRUE(server.listen(host, 0));
}

test_server::~test_server() {
  server.drain();
  server.abort_all();
  for (int i = 0; i < 200 && spawned.running.load() > 0; ++i) in_.pass(1s);
  EXPECT_EQ(server.counters().connections, 0) << "a connection outlives its server";
}

task<io_status> answer(http_exchange& exchange, std::string body, int status) {
  response_head head{status};
  head.add("Content-Type", "text/plain");
  const std::string_view bytes = body;
  co_return co_await exchange.send(std::move(head), bytes);
}

task<> echo(http_exchange& exchange) {
  std::string text{exchange.head().method};
  text += ' ';
  text += exchange.head().target;
  text += ' ';
  const body_result body = co_await exchange.read_body(64 * 1024 * 1024, 60s);
  if (body.status == body_status::bad) {
    co_await answer(exchange, "bad body", 400);
    co_return;
  }
  if (body.status != body_status::ok) co_return;
  text += body.bytes;
  co_await answer(exchange, std::move(text));
}

std::string get(std::string_view target, std::string_view fields) {
  return "GET " + std::string{target} + " HTTP/1.1\r\nHost: weir\r\n" + std::string{fields} +
         "\r\n";
}

std::string post(std::string_view target, std::string_view body, std::string_view fields) {
  return "POST " + std::string{target} +
         " HTTP/1.1\r\nHost: weir\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         std::string{fields} + "\r\n" + std::string{body};
}

std::string noise(std::size_t size, std::uint32_t seed) {
  std::minstd_rand random{seed};
  std::string out(size, '\0');
  for (char& c : out) c = static_cast<char>(random());
  return out;
}

}  // namespace weir::net
