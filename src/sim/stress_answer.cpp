// Reading 200s.
#include "sim/stress_answer.hpp"

#include "wire/http.hpp"
#include "wire/stream_event.hpp"

namespace weir::sim {
namespace {

constexpr std::size_t largest_whole = 4 * 1024 * 1024;
constexpr std::size_t largest_event = 1024 * 1024;
constexpr std::string_view event_stream = "text/event-stream";

bool is_event_stream(std::string_view content_type) {
  return wire::iequals(content_type.substr(0, event_stream.size()), event_stream);
}

}  // namespace

answer_check::answer_check(bool asked, std::string_view content_type)
    : scanner_{largest_event}, asked_{asked}, streamed_{is_event_stream(content_type)} {}

void answer_check::feed(std::string_view payload) {
  if (!streamed_) {
    if (whole_.size() + payload.size() > largest_whole) {
      note(answer_fault::broken);
    } else {
      whole_.append(payload);
    }
    return;
  }
  scanner_.feed(payload);
  wire::sse_event event;
  std::size_t end = 0;
  while (scanner_.next(event, end)) look_at(event);
  if (scanner_.over_cap()) note(answer_fault::broken);
}

void answer_check::look_at(const wire::sse_event& event) {
  const wire::event_facts facts = wire::read_event(event, wire::endpoint::chat, used_);
  finished_ = finished_ || facts.finish;
  switch (facts.kind) {
    case wire::event_kind::content:
      content_ = true;
      return;
    case wire::event_kind::done:
      done_ = true;
      return;
    case wire::event_kind::error:
      note(answer_fault::error_event);
      return;
    case wire::event_kind::broken:
    case wire::event_kind::empty:
      note(answer_fault::broken);
      return;
    default:
      return;
  }
}

answer_fault answer_check::finish() {
  if (streamed_ != asked_) note(asked_ ? answer_fault::not_stream : answer_fault::broken);
  return streamed_ ? finish_stream() : finish_whole();
}

answer_fault answer_check::finish_stream() {
  if (!done_) note(answer_fault::no_done);
  if (!finished_) note(answer_fault::no_finish);
  return fault_;
}

answer_fault answer_check::finish_whole() {
  wire::answer_facts facts;
  if (fault_ == answer_fault::none && !wire::read_answer(whole_, facts)) note(answer_fault::broken);
  if (facts.is_error) note(answer_fault::error_event);
  if (facts.choices == 0) note(answer_fault::no_choices);
  used_ = facts.used;
  return fault_;
}

void answer_check::note(answer_fault what) {
  if (fault_ == answer_fault::none) fault_ = what;
}

}  // namespace weir::sim
