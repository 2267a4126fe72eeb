// A stream of events, each passed on as it arrives. The head is held until the first event that
// means something, so that an error there can still be told as one. What is passed is byte for byte
// what came, less what only weir asked for and what kills clients.
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/give_back.hpp"
#include "gateway/headers.hpp"
#include "gateway/pipeline.hpp"
#include "gateway/relay.hpp"
#include "gateway/worker.hpp"
#include "wire/stream_event.hpp"

namespace weir::gateway {
namespace {

constexpr std::size_t max_event = 8 * 1024 * 1024;  // a larger event ends the call
constexpr std::size_t max_held_part = 64 * 1024;    // of an incomplete event; more flows on at once
constexpr std::size_t max_held_start = 1024 * 1024;  // of events before the first real one

constexpr std::string_view heartbeat_comment = ": keep-alive\n\n";

class stream_relay {
 public:
  explicit stream_relay(exchange& x) : x_{x} {}

  task<> run();

 private:
  task<net::answer_reader::piece> read();
  void look_at(std::string_view payload);
  bool take_event(const wire::sse_event& event);
  void keep_rest(std::string_view rest);
  void finish_scan();
  task<bool> pass_on();
  task<bool> beat();
  task<bool> send_ready();
  void begin();
  task<> end_in_order();
  task<> end_broken(net::answer_status why);
  [[nodiscard]] mono_time deadline() const;

  exchange& x_;
  wire::sse_scanner scanner_{max_event};
  wire::event_reader events_;
  std::string first_;       // whole events before the first real one
  std::string part_;        // the beginning of an event whose end has not come
  std::string before_;      // what goes out before out_: an event's earlier part
  std::string_view out_;    // what goes out of the read that is looked at
  std::string error_text_;  // the data of an error event that came before anything else
  mono_time asked_{};       // when the engine was last waited for
  bool begun_{false};       // the head went out
  bool real_{false};        // an event that means something was seen
  bool finished_{false};    // a finish reason, [DONE] or a terminal event was seen
  bool failed_{false};      // an error event was seen
  bool flowing_{false};  // the current event is too large to be held: its bytes pass as they come
};

mono_time stream_relay::deadline() const {
  const auto& timeouts = x_.plan->settings().timeouts;
  const bool waiting_for_first = x_.first_token == mono_time{};
  const mono_time next =
      waiting_for_first ? x_.sent + timeouts.first_token : asked_ + timeouts.token_gap;
  return std::min(x_.arrived + timeouts.total, next);
}

// Waits for bytes; where heartbeats are configured, a silent stream gets comments meanwhile.
task<net::answer_reader::piece> stream_relay::read() {
  auto& loop = x_.on.on();
  const microseconds every = x_.plan->settings().server.heartbeat;
  asked_ = loop.time().mono();
  for (;;) {
    const mono_time until = deadline();
    const bool came = begun_ || !first_.empty();
    const bool beats = every > microseconds{0} && came && part_.empty() && !flowing_;
    const mono_time wake = beats ? std::min(until, loop.time().mono() + every) : until;
    x_.answer->socket()->expires_at(wake);
    net::answer_reader::piece got = co_await x_.answer->read_some(x_.waiting);
    const mono_time now = loop.time().mono();
    const bool early = got.status == net::answer_status::timeout && now < until;
    if (!early) {
      x_.engine_time += now - asked_;
      co_return got;
    }
    const bool alive = co_await beat();
    if (!alive) {
      got.status = net::answer_status::interrupted;
      co_return got;
    }
  }
}

// A comment between two events. The answer begins with it if it has not: what was held is let go.
task<bool> stream_relay::beat() {
  if (!begun_) begin();
  out_ = heartbeat_comment;
  return send_ready();
}

// What one event means for the call; whether the caller gets to see it.
bool stream_relay::take_event(const wire::sse_event& event) {
  using kind = wire::event_kind;
  const wire::event_facts facts = events_.read(event, x_.endpoint(), x_.usage);
  if (facts.finish || facts.kind == kind::done) finished_ = true;
  if (facts.kind == kind::content) {
    if (x_.first_token == mono_time{}) x_.first_token = x_.on.on().time().mono();
    ++x_.content_events;
    x_.content_bytes += facts.content_bytes;
  }
  failed_ = facts.kind == kind::error;
  if (failed_ && !real_) error_text_.assign(event.data);
  const bool means_nothing = facts.kind == kind::start || facts.kind == kind::empty ||
                             facts.kind == kind::nothing || failed_;
  real_ = real_ || !means_nothing;
  return facts.kind != kind::empty && !(x_.strip_usage && facts.kind == kind::usage_only);
}

// Looks through the payload of one read. out_ becomes what may go on, moved together at the front
// of the payload's own bytes; the beginning of an event whose end is still to come stays in part_.
void stream_relay::look_at(std::string_view payload) {
  char* const bytes = const_cast<char*>(payload.data());
  std::size_t from = 0;
  std::size_t kept = 0;
  std::size_t end = 0;
  wire::sse_event event;
  scanner_.feed(payload);
  while (!failed_ && scanner_.next(event, end)) {
    const bool keep = take_event(event) || flowing_;
    if (keep) {
      before_ += part_;
      if (kept != from) std::memmove(bytes + kept, bytes + from, end - from);
      kept += end - from;
    }
    part_.clear();
    flowing_ = false;
    from = end;
  }
  out_ = {bytes, kept};
  if (!failed_) keep_rest(payload.substr(from));
}

void stream_relay::keep_rest(std::string_view rest) {
  if (rest.empty()) return;
  if (!flowing_) {
    part_ += rest;
    if (part_.size() <= max_held_part || !out_.empty()) return;
    flowing_ = true;
    before_ += part_;
    give_back(part_);
  } else {
    out_ = rest;  // an event that flows fills the whole read
  }
}

// The end of the body: an event that lacks its blank line counts, and its bytes go out as they are.
void stream_relay::finish_scan() {
  wire::sse_event event;
  out_ = {};
  if (scanner_.finish(event) && !take_event(event)) part_.clear();
  before_ += std::exchange(part_, {});
}

void stream_relay::begin() {
  net::response_head head = answer_head(x_, x_.answer->head().status);
  pass_from_engine(x_.answer->head(), head);
  head.add("X-Accel-Buffering", "no");
  x_.http.begin_stream(std::move(head));
  begun_ = true;
  x_.answer->release_head();
  x_.open.reset();
  x_.http.release_input();
}

// Sends what is ready; before the first real event it is held. False: the caller takes nothing
// more.
task<bool> stream_relay::pass_on() {
  const bool hold = !begun_ && !real_ && first_.size() < max_held_start;
  if (hold) {
    first_ += before_;
    first_ += out_;
    before_.clear();
    co_return true;
  }
  if (!begun_) begin();
  co_return co_await send_ready();
}

task<bool> stream_relay::send_ready() {
  const std::array<iovec, 3> pieces{segment_of(first_), segment_of(before_), segment_of(out_)};
  net::io_status sent = net::io_status::ok;
  const bool all = x_.http.try_send_chunk(pieces, sent);
  if (!first_.empty()) give_back(first_);
  if (!before_.empty()) give_back(before_);
  if (!all) sent = co_await x_.http.flush();
  if (sent == net::io_status::ok) co_return true;
  x_.how = sent == net::io_status::timeout ? outcome::client_slow : outcome::client_gone;
  x_.http.abort();
  co_return false;
}

task<> stream_relay::run() {
  net::answer_status status = net::answer_status::ok;
  for (bool ended = false; !ended && !failed_;) {
    const net::answer_reader::piece got = co_await read();
    status = got.status;
    std::string_view payload;
    if (status == net::answer_status::ok && !take_payload(x_, got, payload))
      status = net::answer_status::malformed;
    if (status != net::answer_status::ok) break;
    look_at(payload);
    ended = got.end || x_.answer->decoder().done();
    if (failed_ && !begun_ && !real_) break;
    if (scanner_.over_cap()) {
      status = net::answer_status::malformed;
      break;
    }
    const bool taken = co_await pass_on();
    if (!taken) co_return;
  }
  if (status != net::answer_status::ok) {
    co_await end_broken(status);
  } else {
    co_await end_in_order();
  }
}

// The engine ended its answer. An error event has been passed on if anything was; else it becomes a
// whole answer.
task<> stream_relay::end_in_order() {
  const auto& name = x_.provider->settings->name;
  if (failed_) {
    x_.on.metrics().add(observe::family::upstream_errors, {name, "in_stream"});
    x_.how = outcome::upstream_error;
    if (!begun_) {
      refuse_stream_error(x_, error_text_);
      co_return;
    }
  } else {
    finish_scan();
    const bool nothing = !begun_ && !real_;
    if (nothing) {
      refuse_simple(x_, 502, "upstream_empty", "the engine's stream ended without an answer",
                    outcome::upstream_error);
      co_return;
    }
    const bool taken = co_await pass_on();
    if (!taken) co_return;
    const bool cut = !finished_ && x_.until_close;
    if (cut) {
      co_await end_broken(net::answer_status::closed);
      co_return;
    }
    x_.how = outcome::success;
  }
  settle(x_);  // before the caller sees the end
  const net::io_status sent = co_await x_.http.end_stream();
  if (sent != net::io_status::ok) x_.how = outcome::client_gone;
}

// The answer broke off. Whoever has seen a part of it is told in the stream, and never sees its
// proper end.
task<> stream_relay::end_broken(net::answer_status why) {
  note_broken(x_, why);
  // Callers leave when they have seen the end, before the last bytes of framing.
  if (finished_ && begun_ && x_.how == outcome::client_gone) x_.how = outcome::success;
  if (!begun_) {
    refuse_broken(x_);
    co_return;
  }
  if (!x_.http.gone()) {
    refuse_broken(x_);
    std::string told;
    if (flowing_) told = "\n\n";
    told += wire::error_event(*x_.refused, x_.dialect());
    const iovec one = segment_of(told);
    net::io_status sent = net::io_status::ok;
    if (!x_.http.try_send_chunk({&one, 1}, sent)) co_await x_.http.flush();
  }
  x_.http.abort();
}

}  // namespace

task<> relay_stream(exchange& x) {
  x.until_close = x.answer->head().framing == wire::body_framing::until_close;
  stream_relay relay{x};
  co_await relay.run();
}

}  // namespace weir::gateway
