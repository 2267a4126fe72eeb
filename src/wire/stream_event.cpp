// Classifying events.
#include "wire/stream_event.hpp"

#include "wire/json_scan.hpp"

namespace weir::wire {
namespace {

constexpr int event_depth = 128;

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Chat and completions: {"choices":[{"delta":{...},"finish_reason":...}],"usage":{...}}
class chunk_reader {
 public:
  explicit chunk_reader(event_facts& facts) : facts_{facts} {}

  bool value(const json_value& v, body_error&) {
    if (v.depth == 1) {
      top(v);
    } else if (is_choices_) {
      choice(v);
    } else if (is_usage_) {
      usage_.value(v, 2);
    }
    return true;
  }
  bool end(int, std::size_t, body_error&) { return true; }

  void finish(usage& known) {
    usage_.merge_into(known);
    facts_.usage_invalid = usage_.invalid();
    if (error_) {
      facts_.kind = event_kind::error;
    } else if (content_) {
      facts_.kind = event_kind::content;
    } else if (facts_.finish) {
      facts_.kind = event_kind::finish;
    } else if (!choices_ && saw_usage_) {
      facts_.kind = event_kind::usage_only;
    } else {
      facts_.kind = event_kind::start;
    }
  }

  // The event's only text, where it has one and nothing else that another like it may change.
  [[nodiscard]] std::string_view only_text() const {
    const bool only = facts_.kind == event_kind::content && !facts_.finish && !saw_usage_;
    return only && texts_ == 1 ? text_ : std::string_view{};
  }

 private:
  void top(const json_value& v) {
    is_choices_ = v.key == "choices";
    is_usage_ = v.key == "usage" && v.kind == json_kind::object;
    saw_usage_ = saw_usage_ || is_usage_;
    error_ = error_ || tells_error(v);
  }

  void choice(const json_value& v) {
    switch (v.depth) {
      case 2:
        choices_ = true;
        in_delta_ = false;
        return;
      case 3:
        in_delta_ = v.key == "delta" || v.key == "message";
        if (v.kind != json_kind::string) return;
        if (v.key == "finish_reason") facts_.finish = true;
        if (v.key == "text") text(v);
        return;
      case 4:
        if (!in_delta_) return;
        in_tools_ = v.key == "tool_calls" || v.key == "function_call";
        if (v.kind == json_kind::object && in_tools_) content_ = true;
        if (v.key == "content" || v.key == "reasoning_content" || v.key == "reasoning" ||
            v.key == "refusal")
          text(v);
        return;
      default:
        if (!in_delta_) return;
        if (v.kind == json_kind::object && in_tools_) content_ = true;
        if (v.key == "arguments" || v.key == "name" || v.key == "text" || v.key == "data" ||
            v.key == "transcript")
          text(v);
    }
  }

  void text(const json_value& v) {
    if (v.kind != json_kind::string || v.raw.empty()) return;
    content_ = true;
    ++texts_;
    text_ = v.raw;
    facts_.content_bytes += text_size(v);
  }

  event_facts& facts_;
  usage_reader usage_;
  std::string_view text_;
  int texts_{0};
  bool is_choices_{false};  // within the member of this name
  bool is_usage_{false};
  bool in_delta_{false};
  bool in_tools_{false};
  bool choices_{false};
  bool content_{false};
  bool error_{false};
  bool saw_usage_{false};
};

// Responses: {"type":"response.output_text.delta","delta":"..."} and the terminal events with
// response.usage.
class response_event_reader {
 public:
  explicit response_event_reader(event_facts& facts) : facts_{facts} {}

  bool value(const json_value& v, body_error&) {
    if (v.depth == 1) {
      in_response_ = v.key == "response";
      if (v.key == "type" && v.kind == json_kind::string) type_ = v.raw;
      if (v.key == "delta" && v.kind == json_kind::string) delta_bytes_ = text_size(v);
      error_ = error_ || tells_error(v);
    } else if (in_response_) {
      if (v.depth == 2) in_usage_ = v.key == "usage";
      if (v.depth > 2 && in_usage_) usage_.value(v, 3);
    }
    return true;
  }
  bool end(int, std::size_t, body_error&) { return true; }

  void finish(usage& known) {
    usage_.merge_into(known);
    facts_.usage_invalid = usage_.invalid();
    if (error_ || type_ == "error" || type_ == "response.failed") {
      facts_.kind = event_kind::error;
    } else if (type_ == "response.completed" || type_ == "response.incomplete") {
      facts_.kind = event_kind::terminal;
      facts_.finish = true;
    } else if (type_.ends_with(".delta")) {
      facts_.kind = event_kind::content;
      facts_.content_bytes = delta_bytes_;
    } else {
      facts_.kind = event_kind::start;
    }
  }
  [[nodiscard]] std::string_view only_text() const { return {}; }  // events are numbered

 private:
  event_facts& facts_;
  usage_reader usage_;
  std::string_view type_;
  std::int64_t delta_bytes_{0};
  bool in_response_{false};
  bool in_usage_{false};
  bool error_{false};
};

// What the data is; where it is content whose like may follow, its text.
template <class Reader>
std::string_view read_json(std::string_view data, usage& known, event_facts& facts) {
  Reader visitor{facts};
  body_error ignored;
  if (walk_json(data, event_depth, visitor, ignored)) {
    visitor.finish(known);
    return visitor.only_text();
  }
  facts = {};
  facts.kind = event_kind::broken;
  return {};
}

std::string_view read_data(const sse_event& event, endpoint at, usage& known, event_facts& facts) {
  std::string_view text;
  const std::string_view data = trim(event.data);
  if (data.empty() || data == "\"\"") {
    facts.kind = event_kind::empty;
  } else if (data == "[DONE]") {
    facts.kind = event_kind::done;
  } else if (at == endpoint::responses) {
    text = read_json<response_event_reader>(data, known, facts);
  } else {
    text = read_json<chunk_reader>(data, known, facts);
  }
  if (event.type == "error") facts.kind = event_kind::error;
  return text;
}

// Bytes of a string's text, given what stands between its quotes; -1: it is not well-formed.
std::int64_t checked_size(std::string_view raw) {
  const char* const end = raw.data() + raw.size();
  bool escaped = false;
  for (const char* at = raw.data();; escaped = true) {
    at = scanning::plain_until(at, end);
    if (at == end) break;
    if (*at != '\\') return -1;
    at = scanning::after_escape(at, end);
    if (at == nullptr) return -1;
  }
  if (!scanning::is_utf8(raw)) return -1;
  return escaped ? unescaped_size(raw) : static_cast<std::int64_t>(raw.size());
}

}  // namespace

event_facts read_event(const sse_event& event, endpoint at, usage& known) {
  event_facts facts;
  if (event.has_data) read_data(event, at, known, facts);
  return facts;
}

// Whether the data is the kept event with another text. It is then JSON as that was, and means the
// same: what stands around a string's inside does not change by it.
bool event_reader::read_alike(std::string_view data, event_facts& facts) const {
  if (before_ == 0 || data.size() <= frame_.size()) return false;
  const std::string_view frame = frame_;
  const std::string_view behind = frame.substr(before_);
  if (!data.starts_with(frame.substr(0, before_)) || !data.ends_with(behind)) return false;
  const std::int64_t size = checked_size(data.substr(before_, data.size() - frame.size()));
  if (size < 0) return false;
  facts.kind = event_kind::content;
  facts.content_bytes = size;
  return true;
}

event_facts event_reader::read(const sse_event& event, endpoint at, usage& known) {
  event_facts facts;
  if (!event.has_data) return facts;
  if (event.type.empty() && read_alike(event.data, facts)) return facts;
  const std::string_view text = read_data(event, at, known, facts);
  if (text.empty() || !event.type.empty() || event.data.size() - text.size() > max_frame)
    return facts;
  before_ = static_cast<std::size_t>(text.data() - event.data.data());
  frame_.assign(event.data.substr(0, before_));
  frame_.append(event.data.substr(before_ + text.size()));
  return facts;
}

}  // namespace weir::wire
