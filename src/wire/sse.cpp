// The scanner of event streams.
#include "wire/sse.hpp"

#include <cstring>
#include <utility>

namespace weir::wire {
namespace {

// The next CR or LF at or after `from`.
std::size_t line_end(std::string_view text, std::size_t from) {
  const char* begin = text.data() + from;
  const std::size_t left = text.size() - from;
  const auto* lf = static_cast<const char*>(std::memchr(begin, '\n', left));
  const std::size_t until = lf == nullptr ? left : static_cast<std::size_t>(lf - begin);
  const auto* cr = static_cast<const char*>(std::memchr(begin, '\r', until));
  if (cr != nullptr) return from + static_cast<std::size_t>(cr - begin);
  return lf == nullptr ? std::string_view::npos : from + until;
}

}  // namespace

void sse_scanner::feed(std::string_view bytes) {
  if (incomplete() > 0 && !over_cap_) {
    partial_.append(input_.substr(at_));
    if (partial_.size() > cap_) {
      over_cap_ = true;
      partial_ = std::string{};
    }
  }
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

bool sse_scanner::next(sse_event& event, std::size_t& end) {
  if (over_cap_ || !find_end(end)) return false;
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

bool sse_scanner::finish(sse_event& event) {
  if (over_cap_) return false;
  whole_ = std::exchange(partial_, std::string{});
  whole_.append(input_.substr(at_));
  at_ = input_.size();
  if (whole_.empty()) return false;
  parse(whole_, event);
  return event.has_data;
}

// The fields of one event.
void sse_scanner::parse(std::string_view text, sse_event& event) {
  event = {};
  bool joining = false;
  std::size_t at = 0;
  if (text.starts_with("\xEF\xBB\xBF")) at = 3;
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
