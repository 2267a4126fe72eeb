// Token counts as engines report them. The last report wins and is never added to an earlier one;
// null is no news; a report with anything but whole numbers in it is none.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "wire/json.hpp"

namespace weir::wire {

// Each at most 2^53 - 1.
struct usage {
  std::optional<std::int64_t> prompt;       // all input tokens, cached ones included
  std::optional<std::int64_t> completion;   // all output tokens, reasoning included
  std::optional<std::int64_t> total;        // as reported
  std::optional<std::int64_t> cached;       // the cached part of prompt
  std::optional<std::int64_t> cache_write;  // the part of prompt that was written to a cache
  std::optional<std::int64_t> reasoning;    // the reasoning part of completion

  [[nodiscard]] bool known() const {
    return prompt.has_value() || completion.has_value() || total.has_value();
  }
  // What the call used: prompt and completion, or the total where the parts are not known.
  [[nodiscard]] std::int64_t all() const;
};

// Collects the members of one usage object while a text is walked.
class usage_reader {
 public:
  // A value within the usage object. `depth`: of the object's own members.
  void value(const json_value& v, int depth);
  // What was read, merged over what was known; an invalid report changes nothing. Reasoning that is
  // reported beside completion (total = prompt + completion + reasoning) is added to it; a
  // completion that is not reported is total - prompt.
  void merge_into(usage& known) const;
  // A count is there that is no whole number within 0..2^53 - 1.
  [[nodiscard]] bool invalid() const { return invalid_; }

 private:
  std::optional<std::int64_t>* place(std::string_view key, bool detail);

  usage seen_;
  bool invalid_{false};
  std::string_view parent_;  // the details object that is being read
};

// Whether a top-level member of a whole answer or an event tells of an error: "error" with anything
// that clients take for true, or "object":"error".
bool tells_error(const json_value& v);

// What a whole JSON answer says of itself.
struct answer_facts {
  usage used;                     // of the top-level usage
  bool usage_invalid{false};      // a usage object was there and is not believed
  bool is_error{false};           // an error that came with status 200
  std::int64_t choices{0};        // items of choices or output
  std::int64_t content_bytes{0};  // of the texts in them
};

// Reads a whole answer of chat, completions, embeddings or responses. False: it is not JSON, or
// nested deeper than 128 levels; `out` then has what stood before.
bool read_answer(std::string_view body, answer_facts& out);

}  // namespace weir::wire
