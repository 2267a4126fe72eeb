// One answer as far as it got, and how it is written in each of OpenAI's forms. Data and text
// only: no I/O, no engine.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/ask.hpp"
#include "sim/engine.hpp"
#include "sim/event_buffer.hpp"

namespace weir::sim {

// One choice.
struct answer_part {
  sequence_id id{0};
  std::uint64_t text_seed{0};
  std::int64_t produced{0};  // tokens the engine made
  std::int64_t written{0};   // tokens that went into events
  finish_reason finish{finish_reason::none};
};

struct answer {
  sim_api api{sim_api::chat};
  std::string id;           // without the prefix of its form
  std::string model;        // as it was asked for
  std::int64_t created{0};  // seconds since 1970
  std::int64_t prompt_tokens{0};
  std::vector<answer_part> parts;

  [[nodiscard]] std::int64_t produced() const;
  [[nodiscard]] std::int64_t written() const;
  [[nodiscard]] bool finished() const;
};

// "stop", "length" or "abort".
std::string_view name_of(finish_reason why);

// {"prompt_tokens":...}, with `completion` as the tokens of the answer.
std::string usage_json(const answer& of, std::int64_t completion);

// A whole answer as JSON; without usage where the fault says so.
std::string whole_json(const answer& of, bool usage);

// The Responses API's object; `status` is in_progress, completed or incomplete.
std::string response_json(const answer& of, std::string_view status, bool usage);

// Its one output item, a message with the text so far; `status` as above.
std::string response_item_json(const answer& of, std::string_view status);

// An embedding of each input; deterministic, of length one.
std::string embeddings_json(const answer& of, std::int64_t dimensions, bool base64, bool usage);

// How a stream is put into events.
class stream_writer {
 public:
  virtual ~stream_writer() = default;
  // What comes before the first token of a choice.
  virtual void begin(event_buffer& out, const answer& of, std::size_t part) = 0;
  // The next token of a choice that was not written yet. `last` where it ends with that.
  virtual void token(event_buffer& out, const answer& of, std::size_t part, bool last) = 0;
  // What comes behind the last token of the last choice, but for [DONE].
  virtual void end(event_buffer& out, const answer& of) = 0;
  // An event that carries so many bytes in one member.
  virtual void huge(event_buffer& out, std::int64_t bytes) = 0;
  // An error in the middle of the stream.
  virtual void error(event_buffer& out, const sim_error& why) = 0;
  // Whether [DONE] ends the stream.
  [[nodiscard]] virtual bool wants_done() const { return true; }
};

struct writer_options {
  bool usage{false};       // a usage event at the end
  bool continuous{false};  // running totals in each event
  bool bare_usage{false};  // the usage event has no choices
};

std::unique_ptr<stream_writer> make_completion_writer(const answer& of, writer_options options);
std::unique_ptr<stream_writer> make_responses_writer(bool usage);

}  // namespace weir::sim
