// The answer side of one request.
#include <array>

#include "base/give_back.hpp"
#include "net/http_session.hpp"

namespace weir::net {
namespace {

constexpr std::string_view last_chunk = "0\r\n\r\n";

iovec segment(std::string_view bytes) { return {const_cast<char*>(bytes.data()), bytes.size()}; }

std::size_t total(std::span<const iovec> segments) {
  std::size_t sum = 0;
  for (const auto& one : segments) sum += one.iov_len;
  return sum;
}

// Appends what lies behind the first `skip` bytes of the segments.
void append_after(std::string& to, std::span<const iovec> segments, std::size_t skip) {
  for (const auto& one : segments) {
    const std::size_t passed = std::min(skip, one.iov_len);
    to.append(static_cast<const char*>(one.iov_base) + passed, one.iov_len - passed);
    skip -= passed;
  }
}

// The pieces of a body, at most as many as there are places; where they are more, all in one.
class fitting {
 public:
  fitting(std::span<const iovec> pieces, std::size_t places, std::string& joined)
      : pieces_{pieces} {
    if (pieces.size() <= places) return;
    append_after(joined, pieces, 0);
    one_ = segment(joined);
    pieces_ = {&one_, 1};
  }
  [[nodiscard]] auto begin() const { return pieces_.begin(); }
  [[nodiscard]] auto end() const { return pieces_.end(); }

 private:
  std::span<const iovec> pieces_;
  iovec one_{};
};

}  // namespace

const wire::request_head& http_exchange::head() const { return session_.head_; }
const std::string& http_exchange::peer() const { return session_.peer_; }
loop& http_exchange::owner() const { return session_.server_.owner_; }
connection& http_exchange::socket() const { return *session_.socket_; }

task<body_result> http_exchange::read_body(std::uint64_t max_bytes, microseconds timeout) {
  return session_.read_body(max_bytes, timeout);
}

// Only what belongs to later requests is kept.
void http_exchange::release_input() {
  session_.skip_unread_body();
  session_.head_.headers = std::vector<wire::header_line>{};
  session_.in_.erase(0, session_.consumed_);
  session_.next_.insert(0, session_.in_);
  session_.consumed_ = 0;
  give_back(session_.in_);
  give_back(session_.body_);
}

void http_exchange::watch_caller(gone_listener* listener) {
  session_.listener_ = listener;
  session_.socket_->watch(&session_);
}

bool http_exchange::gone() const { return session_.gone_; }

void http_exchange::finish_head(response_head& head, bool sized, std::uint64_t length) {
  answered_ = true;
  const bool bodiless = head.status() < 200 || head.status() == 204 || head.status() == 304;
  bare_ = session_.to_head_ || bodiless;
  const bool http10 = session_.head_.minor_version == 0;
  if (!session_.body_is_here() || session_.server_.draining_) keep_alive_ = false;
  if (!sized && http10) keep_alive_ = false;
  head.add("Date", session_.server_.date());
  if (sized) {
    if (!bodiless) head.add("Content-Length", static_cast<std::int64_t>(length));
  } else if (!http10 && !bodiless) {
    head.add("Transfer-Encoding", "chunked");
    chunked_ = true;
  }
  if (!keep_alive_) head.add("Connection", "close");
  if (keep_alive_ && http10) head.add("Connection", "keep-alive");
  head.text() += "\r\n";
}

task<io_status> http_exchange::send(response_head head, std::string_view body) {
  const iovec one = segment(body);
  const std::span<const iovec> pieces{&one, 1};
  co_return co_await send(std::move(head), pieces);
}

task<io_status> http_exchange::send(response_head head, std::span<const iovec> body) {
  finish_head(head, true, total(body));
  std::array<iovec, 8> all{};
  std::size_t count = 0;
  all[count++] = segment(head.text());
  std::string joined;
  if (!bare_) {
    for (const auto& one : fitting(body, all.size() - 1, joined)) all[count++] = one;
  }
  io_status status = io_status::ok;
  const std::span<const iovec> segments{all.data(), count};
  if (!account(segments, status)) status = co_await flush();
  co_return status;
}

void http_exchange::begin_stream(response_head head) {
  finish_head(head, false, 0);
  streaming_ = true;
  head_bytes_ = std::move(head.text());
}

bool http_exchange::try_send_raw(std::span<const iovec> pieces, io_status& status) {
  if (bare_) pieces = {};
  if (head_bytes_.empty()) return account(pieces, status);
  std::array<iovec, 16> all{};
  std::size_t count = 0;
  std::string joined;
  all[count++] = segment(head_bytes_);
  for (const auto& one : fitting(pieces, all.size() - 1, joined)) all[count++] = one;
  const std::span<const iovec> segments{all.data(), count};
  const bool sent = account(segments, status);
  give_back(head_bytes_);
  return sent;
}

bool http_exchange::try_send_chunk(std::span<const iovec> payload, io_status& status) {
  const std::size_t length = total(payload);
  if (length == 0 && head_bytes_.empty()) return true;
  if (!chunked_) return try_send_raw(payload, status);
  std::array<char, 20> size_line{};
  const auto end = std::to_chars(size_line.data(), size_line.data() + 16, length, 16).ptr;
  end[0] = '\r';
  end[1] = '\n';
  std::array<iovec, 12> all{};
  std::size_t count = 0;
  std::string joined;
  if (length > 0) {
    all[count++] = {size_line.data(), static_cast<std::size_t>(end + 2 - size_line.data())};
    for (const auto& one : fitting(payload, all.size() - 2, joined)) all[count++] = one;
    all[count++] = segment("\r\n");
  }
  return try_send_raw({all.data(), count}, status);
}

// Writes what goes now and keeps the rest. Order is kept: while something waits, everything waits
// behind it.
bool http_exchange::account(std::span<const iovec> segments, io_status& status) {
  status = io_status::ok;
  const std::size_t length = total(segments);
  if (session_.broken_) {
    status = io_status::error;
    return true;
  }
  sent_ += length;
  if (!session_.unsent_.empty()) {
    append_after(session_.unsent_, segments, 0);
    return false;
  }
  std::size_t written = 0;
  if (length > 0) {
    const io_result wrote = session_.socket_->try_write(segments);
    if (wrote.status != io_status::ok && wrote.status != io_status::would_block) {
      status = wrote.status;
      session_.broken_ = true;
      session_.mark_gone();
      return true;
    }
    written = wrote.bytes;
  }
  if (written == length) return true;
  append_after(session_.unsent_, segments, written);
  return false;
}

// After bytes that did not go out nothing may follow them on this connection.
task<io_status> http_exchange::flush() {
  const std::string waiting = std::exchange(session_.unsent_, {});
  session_.flushing_ = true;
  const std::string_view bytes = waiting;
  const io_status status =
      co_await session_.socket_->write_all(bytes, session_.server_.options_.write_timeout);
  session_.flushing_ = false;
  if (status != io_status::ok) {
    session_.broken_ = true;
    session_.mark_gone();
  }
  co_return status;
}

task<io_status> http_exchange::end_stream() {
  io_status status = io_status::ok;
  const iovec last = segment(last_chunk);
  const std::span<const iovec> pieces{&last, chunked_ ? 1U : 0U};
  if (!try_send_raw(pieces, status)) status = co_await flush();
  ended_ = true;
  co_return status;
}

void http_exchange::abort() {
  keep_alive_ = false;
  ended_ = false;
}

}  // namespace weir::net
