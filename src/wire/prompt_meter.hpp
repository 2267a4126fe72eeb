// Measures what of a request's body an engine may put before the model: text, tokens given as
// numbers, messages, and media, whose base64 is not text.
#pragma once

#include <cstdint>
#include <string_view>

#include "wire/json.hpp"
#include "wire/openai.hpp"

namespace weir::wire {

class prompt_meter {
 public:
  prompt_meter(request_facts& facts, endpoint at) : facts_{facts}, at_{at} {}

  // A top-level member begins; `name` with its escapes resolved.
  void begin(std::string_view name);
  // Each value of that member, its own value first.
  void count(const json_value& v);
  // How many prompts a list of them holds; each is answered by itself. At least 1.
  [[nodiscard]] std::int64_t prompts() const { return prompts_ == 0 ? 1 : prompts_; }

 private:
  enum class part : std::uint8_t {
    none,   // never reaches the model
    turns,  // messages or items: their texts count, their structure does not
    texts,  // strings, or tokens as numbers
    other,  // tools, schemas, documents, whatever is not known here: engines put it in as JSON
  };

  void count_turns(const json_value& v);
  void count_texts(const json_value& v);
  void count_json(const json_value& v);
  void count_medium();
  [[nodiscard]] bool is_media_data(const json_value& v) const;

  request_facts& facts_;
  endpoint at_;
  part part_{part::none};
  bool is_prompt_list_{false};  // prompt of /v1/completions
  bool medium_counted_{false};  // of the content part that is being read
  std::string_view parent_;     // the last named object that began
  int parent_depth_{-1};        // where
  std::int64_t prompts_{0};
};

}  // namespace weir::wire
