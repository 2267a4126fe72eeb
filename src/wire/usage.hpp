// Token counts as engines report them. The last report wins and is never added to an earlier one;
// null is no news.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "wire/json.hpp"
#include "wire/openai.hpp"

namespace weir::wire {

struct usage {
  std::optional<std::int64_t> prompt;      // all input tokens, cached ones included
  std::optional<std::int64_t> completion;  // all output tokens, reasoning included
  std::optional<std::int64_t> total;
  std::optional<std::int64_t> cached;       // the cached part of prompt
  std::optional<std::int64_t> cache_write;  // the part of prompt that was written to a cache
  std::optional<std::int64_t> reasoning;    // the reasoning part of completion

  [[nodiscard]] bool known() const {
    return prompt.has_value() || completion.has_value() || total.has_value();
  }
  // What the call used: prompt and completion, or the total where the parts are not known.
  [[nodiscard]] std::int64_t all() const;
};

// Collects the members of one usage object while a text is walked. Numbers that are negative,
// fractional or no numbers are no news.
class usage_reader {
 public:
  // A member of the usage object, or of one of its details objects.
  void member(std::string_view parent, const json_value& v);
  // What was read, merged over what was known. Reasoning that is reported beside completion (total
  // = prompt + completion
  // + reasoning) is added to it.
  void merge_into(usage& known) const;

 private:
  usage seen_;
};

// What a whole JSON answer says of itself.
struct answer_facts {
  usage used;
  bool is_error{false};  // a top-level "error" that is not null
  std::int64_t choices{0};
  std::int64_t content_bytes{0};  // of the texts in choices or output
};

// Reads a whole answer. False: it is not JSON.
bool read_answer(std::string_view body, answer_facts& out);

}  // namespace weir::wire
