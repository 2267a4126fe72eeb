// Bodies into asks. The chat template is a made-up one: 4 tokens around each message, 3 at the end.
#include "sim/ask.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/answer_text.hpp"
#include "wire/json.hpp"

namespace weir::sim {
namespace {

using nlohmann::json;

constexpr std::int64_t tokens_around_message = 4;
constexpr std::int64_t tokens_of_template = 3;
constexpr std::int64_t tokens_of_media = 256;
constexpr std::int64_t max_answers = 128;

bool refuse(sim_error& error, std::string_view param, std::string message) {
  error = sim_error{400, "BadRequestError", std::move(message), param};
  return false;
}

bool parse(std::string_view body, json& out, sim_error& error) {
  out = json::parse(body, nullptr, false);
  if (out.is_discarded()) return refuse(error, "", "the body is not JSON");
  if (!out.is_object()) return refuse(error, "", "the body is JSON but no object");
  return true;
}

bool read_flag(const json& in, const char* name, bool& out) {
  const auto at = in.find(name);
  if (at != in.end() && at->is_boolean()) out = at->get<bool>();
  return out;
}

// A whole number of at least `least`; null and absence are no news.
bool read_number(const json& in, const char* name, std::int64_t least,
                 std::optional<std::int64_t>& out, sim_error& error) {
  const auto at = in.find(name);
  if (at == in.end() || at->is_null()) return true;
  const bool fits = at->is_number_integer() &&
                    !(at->is_number_unsigned() && at->get<std::uint64_t>() > INT64_MAX);
  if (!fits || at->get<std::int64_t>() < least)
    return refuse(error, name,
                  fmt::format("{} must be a whole number of at least {}", name, least));
  out = at->get<std::int64_t>();
  return true;
}

std::int64_t content_tokens(const json& content) {
  if (content.is_string()) return count_tokens(content.get_ref<const std::string&>());
  std::int64_t sum = 0;
  if (!content.is_array()) return 0;
  for (const auto& part : content) {
    const auto text = part.is_object() ? part.find("text") : part.end();
    const bool is_text = part.is_object() && text != part.end() && text->is_string();
    sum += is_text ? count_tokens(text->get_ref<const std::string&>()) : tokens_of_media;
  }
  return sum;
}

std::int64_t message_tokens(const json& messages) {
  std::int64_t sum = tokens_of_template;
  for (const auto& message : messages) {
    sum += tokens_around_message;
    if (message.is_object() && message.contains("content"))
      sum += content_tokens(message["content"]);
  }
  return sum;
}

// A string, a list of strings, a list of token numbers, or a list of such lists.
bool read_prompts(const json& in, const char* name, std::vector<std::int64_t>& out,
                  sim_error& error) {
  const auto at = in.find(name);
  const auto one = [&out](const json& prompt) {
    const auto count = prompt.is_string() ? count_tokens(prompt.get_ref<const std::string&>())
                                          : static_cast<std::int64_t>(prompt.size());
    out.push_back(std::max<std::int64_t>(count, 1));
  };
  if (at != in.end() && at->is_string()) {
    one(*at);
    return true;
  }
  if (at == in.end() || !at->is_array() || at->empty())
    return refuse(error, name,
                  fmt::format("{} must be a string or a list that is not empty", name));
  if (at->front().is_number()) {
    one(*at);
    return true;
  }
  for (const auto& prompt : *at) {
    if (!prompt.is_string() && !prompt.is_array())
      return refuse(error, name, fmt::format("{} must hold strings or lists of tokens", name));
    one(prompt);
  }
  return true;
}

bool read_prompt(const json& in, ask& out, sim_error& error) {
  switch (out.api) {
    case sim_api::chat: {
      const auto messages = in.find("messages");
      if (messages == in.end() || !messages->is_array() || messages->empty())
        return refuse(error, "messages", "messages must be a list that is not empty");
      out.prompts.push_back(message_tokens(*messages));
      return true;
    }
    case sim_api::completions:
      return read_prompts(in, "prompt", out.prompts, error);
    case sim_api::embeddings:
      return read_prompts(in, "input", out.prompts, error);
    case sim_api::responses: {
      const auto input = in.find("input");
      if (input == in.end() || !(input->is_string() || input->is_array()))
        return refuse(error, "input", "input must be a string or a list");
      std::int64_t count = input->is_array() ? message_tokens(*input) : content_tokens(*input);
      if (in.contains("instructions")) count += content_tokens(in["instructions"]);
      out.prompts.push_back(std::max<std::int64_t>(count, 1) + tokens_around_message);
      return true;
    }
  }
  return false;
}

// The later name wins where both stand, as in vLLM.
bool read_bounds(const json& in, ask& out, sim_error& error) {
  if (out.api == sim_api::responses)
    return read_number(in, "max_output_tokens", 1, out.max_tokens, error);
  if (!read_number(in, "max_tokens", 1, out.max_tokens, error)) return false;
  if (out.api == sim_api::completions && !out.max_tokens) out.max_tokens = 16;
  if (out.api != sim_api::chat) return true;
  return read_number(in, "max_completion_tokens", 1, out.max_tokens, error);
}

bool read_sampling(const json& in, ask& out, sim_error& error) {
  std::optional<std::int64_t> n;
  std::optional<std::int64_t> least;
  std::optional<std::int64_t> seed;
  std::optional<std::int64_t> dimensions;
  if (!read_number(in, "n", 1, n, error) || !read_number(in, "min_tokens", 0, least, error) ||
      !read_number(in, "seed", INT64_MIN, seed, error) ||
      !read_number(in, "dimensions", 1, dimensions, error))
    return false;
  if (n.value_or(1) > max_answers || dimensions.value_or(1) > 8192)
    return refuse(error, n.value_or(1) > max_answers ? "n" : "dimensions",
                  "the value is too large");
  out.n = n.value_or(1);
  out.min_tokens = least.value_or(0);
  out.dimensions = dimensions.value_or(out.dimensions);
  if (seed) out.seed = static_cast<std::uint64_t>(*seed);
  read_flag(in, "ignore_eos", out.ignore_eos);
  return true;
}

void read_streaming(const json& in, ask& out) {
  read_flag(in, "stream", out.stream);
  const auto options = in.find("stream_options");
  if (options == in.end() || !options->is_object()) return;
  read_flag(*options, "include_usage", out.include_usage);
  if (out.include_usage) read_flag(*options, "continuous_usage_stats", out.continuous_usage);
}

}  // namespace

bool read_ask(sim_api api, std::string_view body, ask& out, sim_error& error) {
  json in;
  if (!parse(body, in, error)) return false;
  out.api = api;
  const auto model = in.find("model");
  if (model != in.end() && !model->is_null()) {
    if (!model->is_string()) return refuse(error, "model", "model must be a string");
    out.model = model->get<std::string>();
  }
  out.base64 = in.value("encoding_format", json{}) == "base64";
  if (api != sim_api::embeddings) read_streaming(in, out);
  return read_prompt(in, out, error) && read_bounds(in, out, error) &&
         read_sampling(in, out, error);
}

bool read_tokenize(std::string_view body, std::string& text, sim_error& error) {
  json in;
  if (!parse(body, in, error)) return false;
  const auto prompt = in.find("prompt");
  if (prompt != in.end() && prompt->is_string()) {
    text = prompt->get<std::string>();
    return true;
  }
  const auto messages = in.find("messages");
  if (messages == in.end() || !messages->is_array())
    return refuse(error, "prompt", "expected prompt, a string, or messages, a list");
  for (const auto& message : *messages) {
    if (!message.is_object()) continue;
    const auto content = message.find("content");
    text += "<|im|>";
    if (content != message.end() && content->is_string()) text += content->get<std::string>();
  }
  return true;
}

std::string error_json(const sim_error& error) {
  return fmt::format(R"({{"error":{{"message":{},"type":"{}","param":{},"code":{}}}}})",
                     wire::quote(error.message), error.type,
                     error.param.empty() ? "null" : wire::quote(error.param), error.status);
}

}  // namespace weir::sim
