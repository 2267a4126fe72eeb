// An unknown field counts as text: a gateway that knew fewer fields than the engine would reserve
// too little.
#include "wire/prompt_meter.hpp"

#include <algorithm>
#include <array>

namespace weir::wire {
namespace {

using names = std::string_view;

constexpr std::array<names, 24> never_prompt{
    "model",        "user",      "safety_identifier", "metadata",
    "stop",         "reasoning", "prompt_cache_key",  "prompt_cache_retention",
    "service_tier", "include",   "reasoning_effort",  "previous_response_id",
    "logit_bias",   "audio",     "encoding_format",   "stream_options",
    "verbosity",    "user_id",   "tool_choice",       "truncation",
    "modalities",   "priority",  "cache_salt",        "request_id"};
constexpr std::array<names, 4> plain_texts{"prompt", "suffix", "instructions", "system"};
constexpr std::array<names, 9> media_types{"image_url",   "input_image", "image",
                                           "input_audio", "audio_url",   "video_url",
                                           "input_video", "input_file",  "file"};
// Where a data: URL is a medium; anywhere else it is text that merely looks like one.
constexpr std::array<names, 5> url_fields{"url", "image_url", "audio_url", "video_url", "file_url"};

// Depths within messages[].content[] and input[].content[]; the body itself is 0.
constexpr int turn_depth = 2;
constexpr int content_part_depth = 4;
constexpr int structure_depth = 6;  // below it is what a caller made up: arguments of a tool call

constexpr std::int64_t punctuation = 4;  // quotes, colon and comma of a member

template <std::size_t N>
bool one_of(std::string_view text, const std::array<std::string_view, N>& list) {
  return std::ranges::find(list, text) != list.end();
}

bool is_data_url(std::string_view text) {
  return text.starts_with("data:") && text.substr(0, 128).find(";base64,") != names::npos;
}

}  // namespace

void prompt_meter::begin(std::string_view name) {
  parent_depth_ = -1;
  is_prompt_list_ = name == "prompt" && at_ == endpoint::completions;
  if (one_of(name, never_prompt)) {
    part_ = part::none;
  } else if (name == "messages" || (name == "input" && at_ == endpoint::responses)) {
    part_ = part::turns;
  } else if (name == "input" || one_of(name, plain_texts)) {
    part_ = part::texts;
  } else {
    part_ = part::other;
  }
}

void prompt_meter::count(const json_value& v) {
  switch (part_) {
    case part::none:
      break;
    case part::turns:
      count_turns(v);
      break;
    case part::texts:
      count_texts(v);
      break;
    case part::other:
      count_json(v);
      break;
  }
}

void prompt_meter::count_turns(const json_value& v) {
  if (v.depth > structure_depth) return count_json(v);
  if (v.kind == json_kind::object) {
    if (v.depth == turn_depth) ++facts_.messages;
    if (v.key.empty() && v.depth >= content_part_depth) medium_counted_ = false;
    if (!v.key.empty()) {
      parent_ = v.key;
      parent_depth_ = v.depth;
    }
  }
  if (v.kind != json_kind::string) return;
  if (v.key == "type" && one_of(v.raw, media_types)) count_medium();
  if (is_media_data(v)) {
    count_medium();
  } else {
    facts_.prompt_bytes += text_size(v);
  }
}

void prompt_meter::count_texts(const json_value& v) {
  const bool list_item = v.depth == 2 && v.key.empty();
  const bool text = v.kind == json_kind::string || v.kind == json_kind::array;
  if (is_prompt_list_ && list_item && text) ++prompts_;
  if (v.kind == json_kind::string) facts_.prompt_bytes += text_size(v);
  if (v.kind == json_kind::number && v.key.empty()) ++facts_.prompt_tokens;
}

void prompt_meter::count_json(const json_value& v) {
  if (v.depth == 1 && v.kind != json_kind::string) return;
  facts_.prompt_bytes += text_size(v);
  if (v.depth > 1) facts_.prompt_bytes += static_cast<std::int64_t>(v.key.size()) + punctuation;
}

// A content part is one medium, however often it says so.
void prompt_meter::count_medium() {
  if (!medium_counted_) ++facts_.media;
  medium_counted_ = true;
}

bool prompt_meter::is_media_data(const json_value& v) const {
  if (v.key == "file_data") return true;
  if (one_of(v.key, url_fields)) return is_data_url(v.raw);
  return v.key == "data" && v.depth == parent_depth_ + 1 &&
         (parent_ == "input_audio" || parent_ == "source");
}

}  // namespace weir::wire
