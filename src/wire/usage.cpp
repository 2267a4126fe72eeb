// Reading usage objects and whole answers.
#include "wire/usage.hpp"

#include <charconv>

namespace weir::wire {
namespace {

constexpr std::int64_t most = std::int64_t{1} << 50;
constexpr int answer_depth = 128;

std::optional<std::int64_t> count(const json_value& v) {
  if (v.kind != json_kind::number) return std::nullopt;
  std::int64_t number = 0;
  const char* end = v.raw.data() + v.raw.size();
  const auto read = std::from_chars(v.raw.data(), end, number);
  if (read.ec != std::errc{} || read.ptr != end || number < 0 || number > most) return std::nullopt;
  return number;
}

void take(std::optional<std::int64_t>& into, const std::optional<std::int64_t>& from) {
  if (from) into = from;
}

class answer_reader final : public json_visitor {
 public:
  explicit answer_reader(answer_facts& facts) : facts_{facts} {}

  bool value(const json_value& v, body_error&) override {
    if (v.depth == 1) {
      field_ = v.key;
      if (field_ == "error" && v.kind != json_kind::null) facts_.is_error = true;
      return true;
    }
    if (field_ == "usage") {
      if (v.depth == 2 && v.kind == json_kind::object) details_ = v.key;
      if (v.depth == 2) usage_.member({}, v);
      if (v.depth == 3) usage_.member(details_, v);
      return true;
    }
    if (field_ != "choices" && field_ != "output") return true;
    if (v.depth == 2 && v.kind == json_kind::object) ++facts_.choices;
    if (v.kind == json_kind::string && is_text(v.key))
      facts_.content_bytes += static_cast<std::int64_t>(v.raw.size());
    return true;
  }
  bool end(int, std::size_t, body_error&) override { return true; }
  void finish() { usage_.merge_into(facts_.used); }

 private:
  static bool is_text(std::string_view key) {
    return key == "content" || key == "text" || key == "arguments" || key == "reasoning_content" ||
           key == "reasoning" || key == "refusal";
  }
  answer_facts& facts_;
  usage_reader usage_;
  std::string_view field_;
  std::string_view details_;
};

}  // namespace

std::int64_t usage::all() const {
  if (prompt || completion) return prompt.value_or(0) + completion.value_or(0);
  return total.value_or(0);
}

void usage_reader::member(std::string_view parent, const json_value& v) {
  const auto number = count(v);
  if (!number) return;
  if (parent.empty()) {
    if (v.key == "prompt_tokens" || v.key == "input_tokens") seen_.prompt = number;
    if (v.key == "completion_tokens" || v.key == "output_tokens") seen_.completion = number;
    if (v.key == "total_tokens") seen_.total = number;
  } else if (parent == "prompt_tokens_details" || parent == "input_tokens_details") {
    if (v.key == "cached_tokens") seen_.cached = number;
    if (v.key == "cache_write_tokens") seen_.cache_write = number;
  } else if (parent == "completion_tokens_details" || parent == "output_tokens_details") {
    if (v.key == "reasoning_tokens") seen_.reasoning = number;
  }
}

void usage_reader::merge_into(usage& known) const {
  usage seen = seen_;
  const bool beside = seen.prompt && seen.completion && seen.total && seen.reasoning &&
                      *seen.reasoning > 0 &&
                      *seen.total == *seen.prompt + *seen.completion + *seen.reasoning;
  if (beside) *seen.completion += *seen.reasoning;
  take(known.prompt, seen.prompt);
  take(known.completion, seen.completion);
  take(known.total, seen.total);
  take(known.cached, seen.cached);
  take(known.cache_write, seen.cache_write);
  take(known.reasoning, seen.reasoning);
}

bool read_answer(std::string_view body, answer_facts& out) {
  answer_reader visitor{out};
  body_error error;
  if (!walk_json(body, answer_depth, visitor, error)) return false;
  visitor.finish();
  return true;
}

}  // namespace weir::wire
