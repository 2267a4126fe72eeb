// A streamed answer: each turn writes the tokens that came since the last, until the engine is done
// or a fault says otherwise.
#include <algorithm>

#include "sim/handler.hpp"
#include "sim/sender.hpp"

namespace weir::sim {
namespace {

// Puts one stream's tokens into events, as far as its faults let it.
class streamed {
 public:
  streamed(call& c, writer_options options)
      : call_{c},
        writer_{c.out.api == sim_api::responses ? make_responses_writer(options.usage)
                                                : make_completion_writer(c.out, options)},
        breaks_after_{c.breaks_after()} {}

  // Whether there is something to write.
  [[nodiscard]] bool due() const {
    if (at_break()) return true;
    return std::ranges::any_of(call_.out.parts,
                               [](const auto& part) { return part.written < part.produced; }) ||
           call_.out.finished();
  }
  // The stream breaks here: its tokens up to the break were written.
  [[nodiscard]] bool at_break() const {
    return breaks_after_ && (written_ >= *breaks_after_ || (call_.out.finished() && all_written()));
  }
  [[nodiscard]] bool at_end() const { return call_.out.finished() && all_written(); }

  void write_tokens(event_buffer& out) {
    if (!begun_) write_first(out);
    for (std::size_t i = 0; i < call_.out.parts.size(); ++i) write_part(out, i);
  }
  void write_end(event_buffer& out) {
    writer_->end(out, call_.out);
    const bool done = writer_->wants_done() && !call_.faults.no_done && !call_.faults.unterminated;
    if (done) out.add({}, "[DONE]");
    if (call_.faults.unterminated && !out.empty()) out.unterminate_last();
  }
  void write_error(event_buffer& out) {
    writer_->error(out, {500, "InternalServerError", "fault on demand", {}});
  }

 private:
  [[nodiscard]] bool all_written() const {
    return std::ranges::all_of(call_.out.parts,
                               [](const auto& part) { return part.written == part.produced; });
  }
  void write_first(event_buffer& out) {
    if (breaks_after_ && *breaks_after_ == 0) return;
    begun_ = true;
    for (std::size_t i = 0; i < call_.out.parts.size(); ++i) writer_->begin(out, call_.out, i);
    if (call_.faults.empty_data) {
      out.add({}, "");
      out.add({}, "\"\"");
    }
    if (call_.faults.huge_event) writer_->huge(out, *call_.faults.huge_event);
  }
  void write_part(event_buffer& out, std::size_t index) {
    auto& part = call_.out.parts[index];
    while (part.written < part.produced && !at_break()) {
      if (call_.faults.malformed && *call_.faults.malformed == written_)
        out.add({}, R"({"id":"broken","choices":[{"index":0,"delta":{"content":"Hel)");
      const bool last =
          !breaks_after_ && part.finish != finish_reason::none && part.written + 1 == part.produced;
      writer_->token(out, call_.out, index, last);
      ++part.written;
      ++written_;
    }
  }

  call& call_;
  std::unique_ptr<stream_writer> writer_;
  std::optional<std::int64_t> breaks_after_;
  std::int64_t written_{0};
  bool begun_{false};
};

}  // namespace

task<> answer_stream(net::http_exchange& exchange, simulator& sim, call& c,
                     writer_options options) {
  stream_sender to{exchange, c};
  streamed text{c, options};
  co_await to.open();
  for (;;) {
    while (!text.due() && !c.signal.over()) co_await c.signal.next();
    if (c.signal.over()) break;
    auto& events = sim.events();
    events.begin(to.style());
    text.write_tokens(events);
    const bool broken = text.at_break();
    const bool ended = !broken && text.at_end();
    if (ended) text.write_end(events);
    if (broken && c.faults.error) text.write_error(events);
    if (broken) c.finish = "cut";
    if (ended || (broken && !c.faults.stall)) sim.end(c);
    if (!to.try_send(events.bytes())) co_await to.finish_sending();
    if (!to.alive() && !c.faults.deaf) break;
    if (ended || (broken && c.faults.error)) {
      if (c.faults.deaf && has_left(exchange)) ++sim.counters().deaf;
      co_await to.end();
      co_return;
    }
    if (!broken) continue;
    while (c.faults.stall && !c.signal.over()) co_await c.signal.next();
    break;
  }
  const bool left = c.signal.gone() || (!c.signal.dropped() && !to.alive());
  if (left) c.finish = "abort";
  if (c.signal.dropped()) c.finish = "cut";
  to.cut(c.faults.reset.has_value());
}

}  // namespace weir::sim
