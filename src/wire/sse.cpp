// The scanner of event streams.
#include "wire/sse.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/give_back.hpp"

namespace weir::wire {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

// The next CR or LF at or after `from`. In steps, so that a text of many lines that end with CR is
// not searched to its end for an LF at each of them.
std::size_t line_end(std::string_view text, std::size_t from) {
  constexpr std::size_t step = 1024;
  while (from < text.size()) {
    const char* begin = text.data() + from;
    std::size_t size = std::min(step, text.size() - from);
    const void* lf = std::memchr(begin, '\n', size);
    if (lf != nullptr) size = static_cast<std::size_t>(static_cast<const char*>(lf) - begin);
    const void* cr = std::memchr(begin, '\r', size);
    if (cr != nullptr) return from + static_cast<std::size_t>(static_cast<const char*>(cr) - begin);
    if (lf != nullptr) return from + size;
    from += size;
  }
  return std::string_view::npos;
}

// Gives the memory back, which clear() does not.
void release(std::string& text) {
  if (text.capacity() > std::string{}.capacity()) give_back(text);
}

}  // namespace

void sse_scanner::feed(std::string_view bytes) {
  input_ = bytes;
  at_ = 0;
  look_ = 0;
  if (ended_by_cr_ && !bytes.empty()) {
    ended_by_cr_ = false;
    if (bytes.front() == '\n') at_ = look_ = 1;
  }
}

// Looks for the blank line that ends the current event; `end` is behind it.
bool sse_scanner::find_end(std::size_t& end) {
  while (look_ < input_.size()) {
    const char c = input_[look_];
    if (after_cr_) {
      after_cr_ = false;
      if (c == '\n') {
        ++look_;
        continue;
      }
    }
    if (c != '\n' && c != '\r') {
      line_empty_ = false;
      look_ = line_end(input_, look_);
      if (look_ == std::string_view::npos) look_ = input_.size();
      continue;
    }
    ++look_;
    after_cr_ = c == '\r';
    if (!line_empty_) {
      line_empty_ = true;
      continue;
    }
    if (after_cr_) {
      after_cr_ = false;
      if (look_ < input_.size() && input_[look_] == '\n') {
        ++look_;
      } else {
        ended_by_cr_ = look_ == input_.size();
      }
    }
    end = look_;
    return true;
  }
  return false;
}

// The form that nearly all events have: one data line that ends with LF, and a blank line, both in
// what was fed last.
bool sse_scanner::next_plain(sse_event& event, std::size_t& end) {
  constexpr std::string_view field = "data:";
  if (!partial_.empty() || look_ != at_ || after_cr_ || at_start_) return false;
  const std::string_view rest = input_.substr(at_);
  if (!rest.starts_with(field)) return false;
  const auto lf = rest.find('\n');
  if (lf == std::string_view::npos || lf + 1 == rest.size() || rest[lf + 1] != '\n') return false;
  std::string_view data = rest.substr(field.size(), lf - field.size());
  if (data.find('\r') != std::string_view::npos) return false;
  if (data.starts_with(' ')) data.remove_prefix(1);
  event = {data, {}, true};
  at_ += lf + 2;
  look_ = end = at_;
  return true;
}

bool sse_scanner::next(sse_event& event, std::size_t& end) {
  if (over_cap_) return false;
  if (next_plain(event, end)) return true;
  let_go();
  if (!find_end(end)) {
    keep_rest();
    return false;
  }
  const std::string_view here = input_.substr(at_, end - at_);
  at_ = end;
  line_empty_ = true;
  if (partial_.empty()) {
    parse(here, event);
  } else {
    partial_.append(here);
    whole_ = std::exchange(partial_, std::string{});
    parse(whole_, event);
  }
  return true;
}

// The beginning of an event whose end was not fed: the caller's bytes are not looked at again.
void sse_scanner::keep_rest() {
  partial_.append(input_.substr(at_));
  input_ = {};
  at_ = look_ = 0;
  if (partial_.size() <= cap_) return;
  over_cap_ = true;
  give_back(partial_);
}

// What the last event's views point into.
void sse_scanner::let_go() {
  release(whole_);
  release(joined_);
}

bool sse_scanner::finish(sse_event& event) {
  if (over_cap_) return false;
  let_go();
  whole_ = std::exchange(partial_, std::string{});
  if (whole_.empty()) return false;
  parse(whole_, event);
  return event.has_data;
}

// The fields of one event.
void sse_scanner::parse(std::string_view text, sse_event& event) {
  event = {};
  bool joining = false;
  std::size_t at = 0;
  if (std::exchange(at_start_, false) && text.starts_with(byte_order_mark))
    at = byte_order_mark.size();
  while (at < text.size()) {
    std::size_t stop = line_end(text, at);
    if (stop == std::string_view::npos) stop = text.size();
    const std::string_view line = text.substr(at, stop - at);
    at = stop + 1;
    if (stop + 1 < text.size() && text[stop] == '\r' && text[stop + 1] == '\n') ++at;
    const auto colon = line.find(':');
    if (line.empty() || colon == 0) continue;
    const std::string_view name = line.substr(0, colon);
    std::string_view value =
        colon == std::string_view::npos ? std::string_view{} : line.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    if (name == "event") event.type = value;
    if (name != "data") continue;
    if (!event.has_data) {
      event.data = value;
    } else {
      if (!joining) joined_.assign(event.data);
      joining = true;
      joined_ += '\n';
      joined_ += value;
    }
    event.has_data = true;
  }
  if (joining) event.data = joined_;
}

}  // namespace weir::wire
