// Reading the facts of a request.
#include "wire/openai.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <unordered_set>

namespace weir::wire {
namespace {

constexpr std::int64_t most = std::int64_t{1} << 50;  // numbers are saturated here
constexpr std::size_t max_model_bytes = 256;
constexpr std::size_t max_top_level_keys = 4096;
constexpr std::size_t linear_keys = 48;  // compared one by one up to so many

// Fields by which routers let an engine pick another model.
constexpr std::array<std::string_view, 4> rerouting{"models", "route", "fallbacks", "provider"};
constexpr std::array<std::string_view, 3> max_names{"max_tokens", "max_completion_tokens",
                                                    "max_output_tokens"};
// Where the prompt is.
constexpr std::array<std::string_view, 11> prompt_fields{
    "messages",  "prompt", "input", "instructions",    "system",    "tools",
    "functions", "suffix", "text",  "response_format", "prediction"};
constexpr std::array<std::string_view, 6> media_types{"image_url",   "input_image", "image",
                                                      "input_audio", "input_file",  "file"};

template <std::size_t N>
bool one_of(std::string_view text, const std::array<std::string_view, N>& list) {
  return std::ranges::find(list, text) != list.end();
}

// A count as engines read it; 1e3 is 1000. Nothing for what is no positive number.
std::optional<std::int64_t> read_count(const json_value& v) {
  if (v.kind != json_kind::number) return std::nullopt;
  std::int64_t whole = 0;
  const char* end = v.raw.data() + v.raw.size();
  const auto parsed = std::from_chars(v.raw.data(), end, whole);
  if (parsed.ec == std::errc{} && parsed.ptr == end) {
    return whole > 0 ? std::optional{std::min(whole, most)} : std::nullopt;
  }
  if (v.raw.starts_with('-')) return std::nullopt;
  double real = 0;
  const auto read = std::from_chars(v.raw.data(), end, real);
  if (read.ec == std::errc::result_out_of_range || real >= static_cast<double>(most)) return most;
  return real > 0 ? std::optional{static_cast<std::int64_t>(std::ceil(real))} : std::nullopt;
}

class reader final : public json_visitor {
 public:
  reader(request_facts& facts, endpoint at) : facts_{facts}, at_{at} {}

  bool value(const json_value& v, body_error& out) override {
    if (v.depth == 0) return root(v, out);
    if (v.depth == 1) return top_level(v, out);
    if (v.depth == 2) {
      if (field_ == "stream_options" && !stream_option(v, out)) return false;
      if (field_ == "extra_body" && !extra(v, out)) return false;
      if (v.kind == json_kind::object &&
          (field_ == "messages" || (at_ == endpoint::responses && field_ == "input"))) {
        ++facts_.messages;
      }
    }
    if (in_prompt_) count(v);
    remember_parent(v);
    return true;
  }

  bool end(int depth, std::size_t offset, body_error&) override {
    if (depth == 1 && field_ == "stream_options" && facts_.stream_options) {
      facts_.stream_options->size = offset - facts_.stream_options->offset;
    }
    if (depth <= parent_depth_) parent_depth_ = -1;
    return true;
  }

  bool finish(body_error& out) const {
    if (!facts_.model.empty()) return true;
    out = {400, "missing_value", "model", "expected a member 'model' with the name of a model"};
    return false;
  }

 private:
  bool root(const json_value& v, body_error& out) {
    facts_.root = v.offset;
    if (v.kind == json_kind::object) return true;
    out = {400, "invalid_json", "", "expected a JSON object"};
    return false;
  }

  bool top_level(const json_value& v, body_error& out) {
    if (!note_key(v.key, out)) return false;
    in_prompt_ = one_of(field_, prompt_fields);
    parent_depth_ = -1;
    if (field_ == "model") return model(v, out);
    if (one_of(field_, rerouting)) return refuse_rerouting(field_, out);
    if (field_ == "stream") facts_.stream = v.raw == "true" && v.kind == json_kind::boolean;
    if (field_ == "n" || (field_ == "best_of" && at_ == endpoint::completions)) {
      facts_.answers = std::max(facts_.answers, read_count(v).value_or(1));
    }
    if (one_of(field_, max_names)) {
      const auto amount = read_count(v);
      facts_.max_fields.push_back({{v.offset, v.size}, amount});
      if (amount) facts_.max_tokens = std::max(facts_.max_tokens.value_or(0), *amount);
    }
    if (field_ == "stream_options") {
      facts_.stream_options = span{v.offset, v.size};
      facts_.stream_options_object = v.kind == json_kind::object;
    }
    if (in_prompt_) count(v);
    return true;
  }

  // Keeps the name of the member that is being read, escapes resolved, and refuses one that stands
  // twice.
  bool note_key(std::string_view key, body_error& out) {
    field_ = key;
    if (key.find('\\') != std::string_view::npos) {
      if (!unescape(key, field_storage_)) {
        out = {400, "invalid_json", "", "a name has an invalid escape"};
        return false;
      }
      names_storage_.push_back(std::make_unique<std::string>(field_storage_));
      field_ = *names_storage_.back();
    }
    const bool twice = names_.size() < linear_keys
                           ? std::ranges::find(names_, field_) != names_.end()
                           : !many_names_.insert(field_).second;
    if (twice) {
      out = {400, "duplicate_key",
             one_of(field_, prompt_fields) || field_ == "model" ? std::string{field_} : "",
             "a member stands twice in the body; which one counts would be ambiguous"};
      return false;
    }
    if (names_.size() < linear_keys) {
      names_.push_back(field_);
      if (names_.size() == linear_keys) many_names_.insert(names_.begin(), names_.end());
    }
    if (many_names_.size() <= max_top_level_keys) return true;
    out = {400, "invalid_json", "",
           fmt::format("more than {} members in the body", max_top_level_keys)};
    return false;
  }

  bool model(const json_value& v, body_error& out) {
    const auto refuse = [&out](std::string message) {
      out = {400, "invalid_value", "model", std::move(message)};
      return false;
    };
    if (v.kind != json_kind::string) return refuse("'model' must be a string");
    if (v.raw.find('\\') == std::string_view::npos) {
      facts_.model = v.raw;
    } else if (!unescape(v.raw, facts_.model)) {
      return refuse("'model' has an invalid escape");
    }
    if (facts_.model.empty() || facts_.model.size() > max_model_bytes) {
      return refuse(fmt::format("'model' must have 1 to {} bytes", max_model_bytes));
    }
    const bool odd = std::ranges::any_of(facts_.model, [](char c) {
      const auto byte = static_cast<unsigned char>(c);
      return byte < 0x20 || byte == 0x7f;
    });
    if (odd) return refuse("'model' holds a control character");
    if (facts_.model.front() == ' ' || facts_.model.back() == ' ')
      return refuse("'model' has blanks around it");
    facts_.model_value = {v.offset, v.size};
    return true;
  }

  static bool refuse_rerouting(std::string_view field, body_error& out) {
    out = {400, "unsupported_parameter", std::string{field},
           fmt::format("'{}' would let another model answer than the one that is limited and "
                       "priced; leave it out",
                       field)};
    return false;
  }

  bool stream_option(const json_value& v, body_error& out) {
    facts_.stream_options_empty = false;
    std::string name{v.key};
    if (name.find('\\') != std::string::npos) unescape(v.key, name);
    if (name != "include_usage") return true;
    if (facts_.usage_option) {
      out = {400, "duplicate_key", "stream_options.include_usage",
             "a member stands twice in stream_options"};
      return false;
    }
    facts_.usage_option = span{v.offset, v.size};
    facts_.include_usage = v.raw == "true";
    return true;
  }

  bool extra(const json_value& v, body_error& out) {
    std::string name{v.key};
    if (name.find('\\') != std::string::npos) unescape(v.key, name);
    if (name == "model" || one_of(name, rerouting))
      return refuse_rerouting("extra_body." + name, out);
    return true;
  }

  // Base64 is not text: what it will cost is not in its length.
  bool is_media_data(const json_value& v) const {
    if (v.raw.starts_with("data:") && v.raw.find(";base64,") < 128) return true;
    if (v.key == "file_data" || v.key == "b64_json") return true;
    return v.key == "data" && (parent_ == "input_audio" || parent_ == "source");
  }

  void count(const json_value& v) {
    switch (v.kind) {
      case json_kind::string:
        if (v.key == "type" && one_of(v.raw, media_types)) ++facts_.media;
        if (!is_media_data(v)) facts_.prompt_bytes += static_cast<std::int64_t>(v.raw.size());
        break;
      case json_kind::number:
        if (v.key.empty() && (field_ == "prompt" || field_ == "input")) ++facts_.prompt_tokens;
        break;
      default:
        break;
    }
    if (field_ == "tools" || field_ == "functions")
      facts_.prompt_bytes += static_cast<std::int64_t>(v.key.size());
  }

  void remember_parent(const json_value& v) {
    if (v.kind != json_kind::object || v.key.empty()) return;
    parent_ = v.key;
    parent_depth_ = v.depth;
  }

  request_facts& facts_;
  endpoint at_;
  std::string_view field_;  // the top-level member that is being read
  std::string field_storage_;
  std::vector<std::string_view> names_;
  std::vector<std::unique_ptr<std::string>> names_storage_;
  std::unordered_set<std::string_view> many_names_;
  std::string_view parent_;  // the named object around the values that are being read
  int parent_depth_{-1};
  bool in_prompt_{false};
};

}  // namespace

bool read_request(std::string_view body, endpoint at, int max_depth, request_facts& out,
                  body_error& error) {
  reader visitor{out, at};
  return walk_json(body, max_depth, visitor, error) && visitor.finish(error);
}

}  // namespace weir::wire
