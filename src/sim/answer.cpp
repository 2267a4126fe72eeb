// Whole answers of the chat, completions and embeddings endpoints.
#include "sim/answer.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

#include "sim/answer_text.hpp"
#include "wire/json.hpp"

namespace weir::sim {
namespace {

// RFC 4648, section 4.
std::string to_base64(std::string_view bytes) {
  constexpr std::string_view alphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto size = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8U | (k < size ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      out += k <= size ? alphabet[group >> (18 - 6 * k) & 63U] : '=';
  }
  return out;
}

std::vector<float> embedding(std::uint64_t seed, std::int64_t dimensions) {
  std::vector<float> out;
  double squares = 0;
  for (std::int64_t i = 0; i < dimensions; ++i) {
    const auto bits = mix(seed, static_cast<std::uint64_t>(i)) >> 40U;
    const double value = static_cast<double>(bits) / static_cast<double>(1U << 23U) - 1.0;
    squares += value * value;
    out.push_back(static_cast<float>(value));
  }
  const double length = squares > 0 ? std::sqrt(squares) : 1.0;
  for (float& value : out) value = static_cast<float>(value / length);
  return out;
}

std::string vector_json(const std::vector<float>& values, bool base64) {
  if (!base64) return fmt::format("[{}]", fmt::join(values, ","));
  static_assert(std::endian::native == std::endian::little, "clients decode little-endian floats");
  const std::string_view bytes{reinterpret_cast<const char*>(values.data()),
                               values.size() * sizeof(float)};
  return fmt::format("\"{}\"", to_base64(bytes));
}

void append_choice(std::string& out, const answer& of, std::size_t index) {
  const auto& part = of.parts[index];
  std::string text;
  append_answer(text, part.text_seed, 0, part.produced);
  if (of.api == sim_api::chat) {
    fmt::format_to(std::back_inserter(out),
                   R"({{"index":{},"message":{{"role":"assistant","content":"{}","refusal":null,)"
                   R"("annotations":null,"audio":null,"function_call":null,"tool_calls":[]}},)"
                   R"("logprobs":null,"finish_reason":"{}","stop_reason":null}})",
                   index, text, name_of(part.finish));
    return;
  }
  fmt::format_to(std::back_inserter(out),
                 R"({{"index":{},"text":"{}","logprobs":null,"finish_reason":"{}",)"
                 R"("stop_reason":null}})",
                 index, text, name_of(part.finish));
}

}  // namespace

std::int64_t answer::produced() const {
  std::int64_t sum = 0;
  for (const auto& part : parts) sum += part.produced;
  return sum;
}

std::int64_t answer::written() const {
  std::int64_t sum = 0;
  for (const auto& part : parts) sum += part.written;
  return sum;
}

bool answer::finished() const {
  return std::ranges::all_of(parts,
                             [](const auto& part) { return part.finish != finish_reason::none; });
}

std::string_view name_of(finish_reason why) {
  switch (why) {
    case finish_reason::stop:
      return "stop";
    case finish_reason::length:
      return "length";
    case finish_reason::abort:
      return "abort";
    case finish_reason::none:
      break;
  }
  return "none";
}

std::string usage_json(const answer& of, std::int64_t completion) {
  return fmt::format(R"({{"prompt_tokens":{},"total_tokens":{},"completion_tokens":{},)"
                     R"("prompt_tokens_details":null}})",
                     of.prompt_tokens, of.prompt_tokens + completion, completion);
}

std::string whole_json(const answer& of, bool usage) {
  if (of.api == sim_api::responses) {
    const bool cut = of.parts.front().finish == finish_reason::length;
    return response_json(of, cut ? "incomplete" : "completed", usage);
  }
  const bool chat = of.api == sim_api::chat;
  std::string out =
      fmt::format(R"({{"id":{},"object":"{}","created":{},"model":{},"choices":[)",
                  wire::quote((chat ? "chatcmpl-" : "cmpl-") + of.id),
                  chat ? "chat.completion" : "text_completion", of.created, wire::quote(of.model));
  for (std::size_t i = 0; i < of.parts.size(); ++i) {
    if (i > 0) out += ',';
    append_choice(out, of, i);
  }
  out += "],\"service_tier\":null,\"system_fingerprint\":null";
  if (usage) out += ",\"usage\":" + usage_json(of, of.produced());
  out += '}';
  return out;
}

std::string embeddings_json(const answer& of, std::int64_t dimensions, bool base64, bool usage) {
  std::string out = fmt::format(R"({{"id":{},"object":"list","created":{},"model":{},"data":[)",
                                wire::quote("embd-" + of.id), of.created, wire::quote(of.model));
  for (std::size_t i = 0; i < of.parts.size(); ++i) {
    const auto values = embedding(of.parts[i].text_seed, dimensions);
    fmt::format_to(std::back_inserter(out),
                   R"({}{{"index":{},"object":"embedding","embedding":{}}})", i > 0 ? "," : "", i,
                   vector_json(values, base64));
  }
  out += ']';
  if (usage) {
    fmt::format_to(std::back_inserter(out),
                   R"(,"usage":{{"prompt_tokens":{0},"total_tokens":{0},"completion_tokens":0,)"
                   R"("prompt_tokens_details":null}})",
                   of.prompt_tokens);
  }
  out += '}';
  return out;
}

}  // namespace weir::sim
