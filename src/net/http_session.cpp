// Requests over one connection: head, body, answer, again.
#include "net/http_session.hpp"

#include <algorithm>

#include "base/give_back.hpp"

namespace weir::net {
namespace {

constexpr std::size_t padding = 64;  // readable bytes after a body, for the JSON parser
constexpr std::size_t max_pipelined = 64 * 1024;  // bytes kept of later requests
constexpr std::size_t max_kept = 8 * 1024;        // memory a connection keeps between requests
constexpr std::uint64_t max_lingering =
    8 * 1024 * 1024;  // bytes thrown away so that a refusal is not lost in a RST
constexpr microseconds linger_time{2s};

std::string_view view(std::span<char> bytes, std::size_t count) { return {bytes.data(), count}; }

}  // namespace

http_session::http_session(http_server& server, connection_ptr socket, std::string peer)
    : server_{server}, socket_{std::move(socket)}, peer_{std::move(peer)} {}

http_session::~http_session() { socket_->unwatch(); }

task<> http_session::run() {
  for (;;) {
    wire::http_error error;
    const head_outcome outcome = co_await read_head(error);
    if (outcome == head_outcome::closed) break;
    busy_ = true;
    const bool keep = co_await answer_one(outcome == head_outcome::refused, error);
    busy_ = false;
    if (!keep || server_.draining_) break;
    forget_request();
  }
  socket_->close();
}

task<bool> http_session::answer_one(bool refused, const wire::http_error& error) {
  http_exchange exchange{*this};
  exchange.keep_alive_ = head_.keep_alive && !refused && !server_.draining_;
  if (refused) {
    co_await server_.handler_.refuse(exchange, error);
  } else {
    co_await server_.handler_.handle(exchange);
  }
  listener_ = nullptr;
  socket_->unwatch();
  const bool whole = exchange.answered_ && (!exchange.streaming_ || exchange.ended_);
  if (gone_) co_return false;
  skip_unread_body();
  if (!whole) {
    socket_->close(exchange.streaming_ && !exchange.chunked_);
    co_return false;
  }
  if (!exchange.keep_alive_) {
    if (refused || !body_is_here()) co_await linger();
    co_return false;
  }
  co_return true;
}

// A body that came with its head and that the handler did not ask for is not the next request.
void http_session::skip_unread_body() {
  if (body_read_ || !body_is_here()) return;
  consumed_ = head_.size + static_cast<std::size_t>(head_.content_length);
  body_read_ = true;
}

// The bytes of a request that was answered make room for the next one.
void http_session::forget_request() {
  in_.erase(0, consumed_);
  if (!next_.empty()) in_.reserve(in_.size() + next_.size() + padding);
  in_ += next_;
  next_.clear();
  give_back(body_);
  if (in_.empty() && in_.capacity() > max_kept) give_back(in_);
  consumed_ = 0;
  seen_ = 0;
  body_read_ = false;
  to_head_ = false;
  head_.framing = wire::body_framing::none;
}

task<http_session::head_outcome> http_session::read_head(wire::http_error& error) {
  if (in_.empty()) {
    const bool some = co_await first_bytes();
    if (!some) co_return head_outcome::closed;
  }
  socket_->expires_at(server_.owner_.time().mono() + server_.options_.header_timeout);
  for (;;) {
    const wire::parse_status parsed = try_parse(error);
    if (parsed == wire::parse_status::complete) break;
    if (parsed == wire::parse_status::bad) {
      socket_->expires_never();
      co_return head_outcome::refused;
    }
    const bool more = co_await more_bytes();
    if (!more) co_return head_outcome::closed;
  }
  socket_->expires_never();
  consumed_ = head_.size;
  to_head_ = head_.method == "HEAD";
  if (head_.framing == wire::body_framing::none) body_read_ = true;
  co_return head_outcome::complete;
}

// Waits, holding no buffer, for the first bytes of a request.
task<bool> http_session::first_bytes() {
  socket_->expires_at(server_.owner_.time().mono() + server_.options_.idle_timeout);
  const bool some = co_await more_bytes();
  socket_->expires_never();
  co_return some;
}

task<bool> http_session::more_bytes() {
  for (;;) {
    if (server_.draining_ && nothing_came()) co_return false;
    const io_status waited = co_await socket_->readable();
    if (waited == io_status::timeout && !in_.empty()) ++server_.counters_.header_timeouts;
    if (waited != io_status::ok) co_return false;
    const auto bytes = server_.owner_.scratch();
    const io_result got = socket_->try_read(bytes);
    if (got.status == io_status::would_block) continue;
    if (got.status != io_status::ok) co_return false;
    in_.reserve(in_.size() + got.bytes + padding);
    in_.append(bytes.data(), got.bytes);
    co_return true;
  }
}

// Parses at the first bytes, then only when a line has ended: a caller that sends byte by byte must
// not cost a parse for each, and the number of lines is limited.
wire::parse_status http_session::try_parse(wire::http_error& error) {
  const bool due = seen_ == 0 || in_.size() >= server_.options_.head.max_bytes ||
                   in_.find('\n', seen_) != std::string::npos;
  seen_ = in_.size();
  if (!due) return wire::parse_status::need_more;
  return wire::parse_request_head(in_, server_.options_.head, head_, error);
}

bool http_session::body_is_here() const {
  if (body_read_) return true;
  return head_.framing == wire::body_framing::sized && consumed_ == head_.size &&
         in_.size() - head_.size >= head_.content_length;
}

task<body_result> http_session::read_body(std::uint64_t max_bytes, microseconds timeout) {
  body_deadline_ = server_.owner_.time().mono() + timeout;
  if (body_read_) co_return body_result{};
  if (head_.framing == wire::body_framing::sized && head_.content_length > max_bytes) {
    co_return body_result{body_status::too_large, {}};
  }
  if (head_.expect_continue && in_.size() == head_.size) {
    constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
    const io_status sent = co_await socket_->write_all(go_on, server_.options_.write_timeout);
    if (sent != io_status::ok) co_return body_result{body_status::gone, {}};
  }
  body_result read = head_.framing == wire::body_framing::chunked ? co_await read_chunked(max_bytes)
                                                                  : co_await read_sized(max_bytes);
  socket_->expires_never();
  body_read_ = read.status == body_status::ok;
  co_return read;
}

task<body_result> http_session::read_sized(std::uint64_t max_bytes) {
  const auto length = static_cast<std::size_t>(std::min(head_.content_length, max_bytes));
  if (in_.size() - head_.size >= length) {
    consumed_ = head_.size + length;
    co_return body_result{body_status::ok, std::string_view{in_}.substr(head_.size, length)};
  }
  body_.assign(in_, head_.size);
  consumed_ = in_.size();
  while (body_.size() < length) {
    const body_status more = co_await more_body(body_deadline_);
    if (more != body_status::ok) co_return body_result{more, {}};
    const auto bytes = server_.owner_.scratch();
    const std::size_t want = std::min(bytes.size(), length - body_.size());
    const io_result got = socket_->try_read(bytes.first(want));
    if (got.status == io_status::would_block) continue;
    if (got.status != io_status::ok) co_return body_result{body_status::gone, {}};
    body_.append(bytes.data(), got.bytes);
  }
  body_.reserve(body_.size() + padding);
  co_return body_result{body_status::ok, body_};
}

task<body_status> http_session::more_body(mono_time until) {
  socket_->expires_at(until);
  const io_status waited = co_await socket_->readable();
  if (waited == io_status::timeout) co_return body_status::timeout;
  co_return waited == io_status::ok ? body_status::ok : body_status::gone;
}

task<body_result> http_session::read_chunked(std::uint64_t max_bytes) {
  wire::body_decoder decoder{wire::body_framing::chunked, 0};
  std::string_view input = std::string_view{in_}.substr(head_.size);
  consumed_ = in_.size();
  bool from_scratch = false;
  for (;;) {
    std::string_view piece;
    const wire::body_step step = decoder.next(input, piece);
    if (step == wire::body_step::bad) co_return body_result{body_status::bad, {}};
    if (step == wire::body_step::data) {
      if (body_.size() + piece.size() > max_bytes)
        co_return body_result{body_status::too_large, {}};
      body_.append(piece);
    }
    if (step == wire::body_step::done) {
      if (from_scratch) next_.append(input);
      if (!from_scratch) consumed_ = in_.size() - input.size();
      body_.reserve(body_.size() + padding);
      co_return body_result{body_status::ok, body_};
    }
    if (step != wire::body_step::need_more) continue;
    const body_status more = co_await more_body(body_deadline_);
    if (more != body_status::ok) co_return body_result{more, {}};
    const auto bytes = server_.owner_.scratch();
    const io_result got = socket_->try_read(bytes);
    if (got.status == io_status::would_block) continue;
    if (got.status != io_status::ok) co_return body_result{body_status::gone, {}};
    input = view(bytes, got.bytes);
    from_scratch = true;
  }
}

// Reads on for a while after a refusal, so that the caller gets to read it before the connection
// ends.
task<> http_session::linger() {
  socket_->shutdown_send();
  socket_->expires_at(server_.owner_.time().mono() + linger_time);
  std::uint64_t dropped = 0;
  while (dropped < max_lingering && !server_.draining_) {
    const io_result got = socket_->try_read(server_.owner_.scratch());
    if (got.status == io_status::ok) {
      dropped += got.bytes;
      continue;
    }
    if (got.status != io_status::would_block) break;
    const io_status waited = co_await socket_->readable();
    if (waited != io_status::ok) break;
  }
}

void http_session::readable_unasked(connection& from) {
  for (;;) {
    const io_status seen = from.peek();
    if (seen == io_status::eof || seen == io_status::error) {
      mark_gone();
      return;
    }
    if (seen == io_status::would_block) break;
    const auto bytes = server_.owner_.scratch();
    const std::size_t kept = next_.size() + in_.size() - consumed_;
    const std::size_t room = max_pipelined - std::min(max_pipelined, kept);
    if (room == 0) return;
    const io_result got = from.try_read(bytes.first(std::min(room, bytes.size())));
    if (got.status == io_status::ok) next_.append(bytes.data(), got.bytes);
  }
  from.watch(this);
}

void http_session::mark_gone() {
  gone_ = true;
  if (listener_ != nullptr) std::exchange(listener_, nullptr)->caller_gone();
}

bool http_session::nothing_came() {
  return !busy_ && in_.empty() && socket_->peek() != io_status::ok;
}

// A request that is on its way in is answered still.
void http_session::drain() {
  if (nothing_came()) socket_->interrupt();
}

void http_session::abort() {
  if (busy_ && listener_ != nullptr && !flushing_) {
    std::exchange(listener_, nullptr)->shutting_down();
  } else {
    socket_->interrupt();
  }
}

}  // namespace weir::net
