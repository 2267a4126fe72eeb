// What a request body of the OpenAI dialect says that a gateway must know, and the few changes that
// are made to it on the way. Everything else passes byte for byte.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wire/json.hpp"

namespace weir::wire {

enum class endpoint : std::uint8_t {
  chat,         // /v1/chat/completions
  completions,  // /v1/completions
  embeddings,   // /v1/embeddings
  responses,    // /v1/responses
};

// A part of the body, in bytes.
struct span {
  std::size_t offset{0};  // of the first byte
  std::size_t size{0};    // may be 0
};

// A field that says how long an answer may be.
struct max_field {
  span value;                          // where it stands
  std::optional<std::int64_t> amount;  // tokens; nothing for null and for negative ones
  bool is_null{false};                 // null: as if it did not stand
  bool obeyed{false};                  // engines of this endpoint obey it
};

struct request_facts {
  std::string model;                   // exact, escapes resolved; never empty
  span model_value;                    // with its quotes
  std::size_t root{0};                 // offset of the outermost '{'
  bool stream{false};                  // the answer is to come in events
  bool include_usage{false};           // stream_options.include_usage is true
  std::optional<span> stream_options;  // its value, where the field stands (even null)
  bool stream_options_object{false};   // ... and is an object
  bool stream_options_empty{true};     // ... and has no members
  std::optional<span> usage_option;    // the value of include_usage in it
  std::int64_t answers{1};             // the larger of n and best_of, for each prompt; saturated
  std::optional<std::int64_t> max_tokens;  // the largest of all max fields; saturated
  std::vector<max_field> max_fields;       // every max field that stands, null or not
  std::int64_t prompt_bytes{0};            // text that an engine may put before the model
  std::int64_t prompt_tokens{0};           // tokens that came as numbers
  std::int64_t messages{0};                // messages, or items of a response's input
  std::int64_t media{0};                   // pictures, sounds, files
};

// Reads a body. False: `error` says what is wrong and where; it never quotes the body.
// Refused beside broken JSON: a body that is no object; a missing or unusable model; a key that
// stands twice at the top, or include_usage twice; fields by which an engine could serve another
// model than the one that is checked here; fields that are acted on here, in a spelling or type
// that some engines would take and others not (a string as n, "Model").
bool read_request(std::string_view body, endpoint at, int max_depth, request_facts& out,
                  body_error& error);

// The changes to a body before it goes to the engine.
struct rewrite_wish {
  std::string_view model;  // the engine's name for it; empty: leave it
  // The bound: written where no field stands that engines obey, lowers those above it, replaces
  // negative ones (which some engines take for "without end").
  std::optional<std::int64_t> max_tokens;
  bool ask_for_usage{false};  // stream_options.include_usage becomes true
};

class rewrite {
 public:
  rewrite(const rewrite&) = delete;
  rewrite& operator=(const rewrite&) = delete;
  // `body` must outlive the pieces.
  rewrite(std::string_view body, endpoint at, const request_facts& facts, const rewrite_wish& wish);
  // The new body as pieces, in order.
  [[nodiscard]] const std::vector<std::string_view>& pieces() const { return pieces_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  struct edit {
    std::size_t offset;
    std::size_t removed;
    std::string text;
  };
  void edit_bound(endpoint at, const request_facts& facts, std::int64_t bound,
                  std::string& inserted);
  void edit_usage(const request_facts& facts, std::string& inserted);
  void cut(std::string_view body);

  std::vector<edit> edits_;
  std::vector<std::string_view> pieces_;
  std::size_t size_{0};
};

}  // namespace weir::wire
