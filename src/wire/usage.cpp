// Reading usage objects and whole answers.
#include "wire/usage.hpp"

#include "wire/count.hpp"
#include "wire/json_scan.hpp"

namespace weir::wire {
namespace {

constexpr int answer_depth = 128;

void take(std::optional<std::int64_t>& into, const std::optional<std::int64_t>& from) {
  if (from) into = from;
}

class answer_reader {
 public:
  explicit answer_reader(answer_facts& facts) : facts_{facts} {}

  bool value(const json_value& v, body_error&) {
    if (v.depth == 1) {
      is_usage_ = v.key == "usage";
      is_content_ = v.key == "choices" || v.key == "output";
      facts_.is_error = facts_.is_error || tells_error(v);
    } else if (is_usage_) {
      usage_.value(v, 2);
    } else if (is_content_) {
      if (v.depth == 2 && v.kind == json_kind::object) ++facts_.choices;
      if (v.kind == json_kind::string && is_text(v.key)) facts_.content_bytes += text_size(v);
    }
    return true;
  }
  bool end(int, std::size_t, body_error&) { return true; }
  void finish() {
    facts_.usage_invalid = usage_.invalid();
    usage_.merge_into(facts_.used);
  }

 private:
  static bool is_text(std::string_view key) {
    return key == "content" || key == "text" || key == "arguments" || key == "reasoning_content" ||
           key == "reasoning" || key == "refusal";
  }

  answer_facts& facts_;
  usage_reader usage_;
  bool is_usage_{false};
  bool is_content_{false};
};

}  // namespace

std::int64_t usage::all() const {
  if (prompt || completion) return prompt.value_or(0) + completion.value_or(0);
  return total.value_or(0);
}

std::optional<std::int64_t>* usage_reader::place(std::string_view key, bool detail) {
  if (!detail) {
    if (key == "prompt_tokens" || key == "input_tokens") return &seen_.prompt;
    if (key == "completion_tokens" || key == "output_tokens") return &seen_.completion;
    return key == "total_tokens" ? &seen_.total : nullptr;
  }
  if (parent_ == "prompt_tokens_details" || parent_ == "input_tokens_details") {
    if (key == "cached_tokens") return &seen_.cached;
    return key == "cache_write_tokens" ? &seen_.cache_write : nullptr;
  }
  const bool of_answer =
      parent_ == "completion_tokens_details" || parent_ == "output_tokens_details";
  return of_answer && key == "reasoning_tokens" ? &seen_.reasoning : nullptr;
}

void usage_reader::value(const json_value& v, int depth) {
  if (v.depth == depth) parent_ = v.key;
  if (v.depth > depth + 1) return;
  std::optional<std::int64_t>* count = place(v.key, v.depth == depth + 1);
  if (count == nullptr || v.kind == json_kind::null) return;
  if (v.kind == json_kind::number) *count = read_reported(v.raw);
  if (v.kind != json_kind::number || !count->has_value()) invalid_ = true;
}

void usage_reader::merge_into(usage& known) const {
  if (invalid_) return;
  usage seen = seen_;
  if (seen.prompt && seen.total && !seen.completion && *seen.total >= *seen.prompt)
    seen.completion = *seen.total - *seen.prompt;
  const bool beside = seen.prompt && seen.completion && seen.reasoning && *seen.reasoning > 0 &&
                      seen.total == *seen.prompt + *seen.completion + *seen.reasoning;
  if (beside) *seen.completion += *seen.reasoning;
  take(known.prompt, seen.prompt);
  take(known.completion, seen.completion);
  take(known.total, seen.total);
  take(known.cached, seen.cached);
  take(known.cache_write, seen.cache_write);
  take(known.reasoning, seen.reasoning);
}

bool tells_error(const json_value& v) {
  if (v.key == "object") return v.kind == json_kind::string && v.raw == "error";
  if (v.key != "error") return false;
  switch (v.kind) {
    case json_kind::null:
      return false;
    case json_kind::boolean:
      return v.raw == "true";
    case json_kind::string:
      return !v.raw.empty();
    case json_kind::number:
      return v.raw != "0";
    case json_kind::array:
    case json_kind::object:
      break;
  }
  return true;
}

bool read_answer(std::string_view body, answer_facts& out) {
  answer_reader visitor{out};
  body_error error;
  if (!walk_json(body, answer_depth, visitor, error)) return false;
  visitor.finish();
  return true;
}

}  // namespace weir::wire
