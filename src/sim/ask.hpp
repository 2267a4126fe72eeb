// What a request asks of the engine, read as leniently as vLLM does: unknown fields pass unseen.
// No I/O. Not the gateway's reader of bodies, which is strict.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir::sim {

enum class sim_api : std::uint8_t {
  chat,         // /v1/chat/completions
  completions,  // /v1/completions
  embeddings,   // /v1/embeddings
  responses,    // /v1/responses
};

// An error answer; told in vLLM's words and shape by error_json().
struct sim_error {
  int status{400};
  std::string_view type{"BadRequestError"};
  std::string message;
  std::string_view param;  // the field; empty: none
};

struct ask {
  sim_api api{sim_api::chat};
  std::string model;  // empty: the engine's first
  bool stream{false};
  bool include_usage{false};
  bool continuous_usage{false};  // running totals in every chunk
  bool ignore_eos{false};
  bool base64{false};  // encoding_format of embeddings
  std::int64_t n{1};
  std::int64_t min_tokens{0};
  std::int64_t dimensions{64};  // of an embedding
  std::optional<std::int64_t> max_tokens;
  std::optional<std::uint64_t> seed;
  std::vector<std::int64_t> prompts;  // tokens of each; one but for lists of prompts or inputs
};

// Reads a body. False: `error` says why.
bool read_ask(sim_api api, std::string_view body, ask& out, sim_error& error);

// The text of a tokenize request: `prompt`, or `messages` as the chat template would put them.
// False: `error` says why.
bool read_tokenize(std::string_view body, std::string& text, sim_error& error);

// {"error":{"message","type","param","code"}}, the code a number, as vLLM answers.
std::string error_json(const sim_error& error);

}  // namespace weir::sim
