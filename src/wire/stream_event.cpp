// Classifying events.
#include "wire/stream_event.hpp"

#include <algorithm>
#include <array>

namespace weir::wire {
namespace {

constexpr int event_depth = 128;

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool is_text_key(std::string_view key) {
  return key == "content" || key == "text" || key == "reasoning_content" || key == "reasoning" ||
         key == "refusal" || key == "arguments" || key == "name";
}

// Chat and completions: {"choices":[{"delta":{...},"finish_reason":...}],"usage":{...}}
class chunk_reader final : public json_visitor {
 public:
  explicit chunk_reader(event_facts& facts) : facts_{facts} {}

  bool value(const json_value& v, body_error&) override {
    if (v.depth == 1) return top(v);
    if (field_ == 'u') {
      if (v.depth == 2 && v.kind == json_kind::object) details_ = v.key;
      usage_.member(v.depth == 2 ? std::string_view{} : details_, v);
      return true;
    }
    if (field_ != 'c') return true;
    choices_ = true;
    if (v.key == "finish_reason" && v.kind == json_kind::string) facts_.finish = true;
    if (v.kind == json_kind::string && !v.raw.empty() && is_text_key(v.key)) {
      content_ = true;
      facts_.content_bytes += static_cast<std::int64_t>(v.raw.size());
    }
    return true;
  }
  bool end(int, std::size_t, body_error&) override { return true; }

  void finish(usage& known) {
    usage_.merge_into(known);
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

 private:
  bool top(const json_value& v) {
    field_ = ' ';
    if (v.key == "choices") field_ = 'c';
    if (v.key == "error" && v.kind != json_kind::null) error_ = true;
    if (v.key == "usage" && v.kind == json_kind::object) {
      field_ = 'u';
      saw_usage_ = true;
    }
    return true;
  }

  event_facts& facts_;
  usage_reader usage_;
  std::string_view details_;
  char field_{' '};
  bool choices_{false};
  bool content_{false};
  bool error_{false};
  bool saw_usage_{false};
};

// Responses: {"type":"response.output_text.delta","delta":"..."} and the terminal events with
// response.usage.
class response_event_reader final : public json_visitor {
 public:
  explicit response_event_reader(event_facts& facts) : facts_{facts} {}

  bool value(const json_value& v, body_error&) override {
    if (v.depth == 1) {
      field_ = v.key;
      second_ = {};
      if (v.key == "type" && v.kind == json_kind::string) type_ = v.raw;
      if (v.key == "error" && v.kind != json_kind::null) error_ = true;
      if (v.key == "delta" && v.kind == json_kind::string)
        delta_bytes_ = static_cast<std::int64_t>(v.raw.size());
      return true;
    }
    if (field_ != "response") return true;
    if (v.depth == 2) second_ = v.key;
    if (second_ != "usage" || v.depth < 3) return true;
    if (v.depth == 3 && v.kind == json_kind::object) details_ = v.key;
    usage_.member(v.depth == 3 ? std::string_view{} : details_, v);
    return true;
  }
  bool end(int, std::size_t, body_error&) override { return true; }

  void finish(usage& known) {
    usage_.merge_into(known);
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

 private:
  event_facts& facts_;
  usage_reader usage_;
  std::string_view type_;
  std::string_view field_;
  std::string_view second_;
  std::string_view details_;
  std::int64_t delta_bytes_{0};
  bool error_{false};
};

template <class Reader>
void read(std::string_view data, usage& known, event_facts& facts) {
  Reader visitor{facts};
  body_error ignored;
  if (walk_json(data, event_depth, visitor, ignored)) {
    visitor.finish(known);
  } else {
    facts.kind = event_kind::broken;
  }
}

}  // namespace

event_facts read_event(const sse_event& event, endpoint at, usage& known) {
  event_facts facts;
  if (!event.has_data) return facts;
  const std::string_view data = trim(event.data);
  if (data.empty() || data == "\"\"") {
    facts.kind = event_kind::empty;
  } else if (data == "[DONE]") {
    facts.kind = event_kind::done;
  } else if (at == endpoint::responses) {
    read<response_event_reader>(data, known, facts);
  } else {
    read<chunk_reader>(data, known, facts);
  }
  if (event.type == "error" && facts.kind != event_kind::broken) facts.kind = event_kind::error;
  return facts;
}

}  // namespace weir::wire
