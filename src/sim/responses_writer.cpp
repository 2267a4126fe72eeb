// The Responses API: its object and its streams, whose events carry a name, a type and a number.
#include <fmt/format.h>

#include "sim/answer.hpp"
#include "sim/answer_text.hpp"
#include "wire/json.hpp"

namespace weir::sim {
namespace {

std::string text_of(const answer& of) {
  std::string text;
  const auto& part = of.parts.front();
  append_answer(text, part.text_seed, 0, part.produced);
  return text;
}

std::string text_part_json(std::string_view text) {
  return fmt::format(R"({{"type":"output_text","text":"{}","annotations":[],"logprobs":null}})",
                     text);
}

class responses_writer final : public stream_writer {
 public:
  explicit responses_writer(bool usage) : usage_{usage} {}

  void begin(event_buffer& out, const answer& of, std::size_t) override {
    add(out, "response.created",
        fmt::format(R"("response":{})", response_json(of, "in_progress", false)));
    add(out, "response.in_progress",
        fmt::format(R"("response":{})", response_json(of, "in_progress", false)));
    add(out, "response.output_item.added",
        fmt::format(R"("output_index":0,"item":{})", response_item_json(of, "in_progress")));
    add(out, "response.content_part.added",
        fmt::format("{},\"part\":{}", place(of), text_part_json({})));
  }

  void token(event_buffer& out, const answer& of, std::size_t part, bool) override {
    const auto& choice = of.parts[part];
    add(out, "response.output_text.delta",
        fmt::format(R"({},"delta":"{}","logprobs":[])", place(of),
                    answer_token(choice.text_seed, choice.written)));
  }

  void end(event_buffer& out, const answer& of) override {
    const auto text = text_of(of);
    const bool cut = of.parts.front().finish == finish_reason::length;
    const std::string_view status = cut ? "incomplete" : "completed";
    add(out, "response.output_text.done",
        fmt::format(R"({},"text":"{}","logprobs":[])", place(of), text));
    add(out, "response.content_part.done",
        fmt::format("{},\"part\":{}", place(of), text_part_json(text)));
    add(out, "response.output_item.done",
        fmt::format(R"("output_index":0,"item":{})", response_item_json(of, status)));
    add(out, cut ? "response.incomplete" : "response.completed",
        fmt::format(R"("response":{})", response_json(of, status, usage_)));
  }

  void huge(event_buffer& out, std::int64_t bytes) override {
    const std::string filler(static_cast<std::size_t>(bytes), 'x');
    add(out, "response.output_text.delta",
        fmt::format(R"("item_id":"msg_huge","output_index":0,"content_index":0,"delta":"{}")",
                    filler));
  }

  void error(event_buffer& out, const sim_error& why) override {
    add(out, "error",
        fmt::format(R"("code":"server_error","message":{},"param":null)",
                    wire::quote(why.message)));
  }

  [[nodiscard]] bool wants_done() const override { return false; }

 private:
  void add(event_buffer& out, std::string_view type, std::string_view members) {
    out.add(type,
            fmt::format(R"({{"type":"{}","sequence_number":{},{}}})", type, number_++, members));
  }
  static std::string place(const answer& of) {
    return fmt::format(R"("item_id":{},"output_index":0,"content_index":0)",
                       wire::quote("msg_" + of.id));
  }

  bool usage_;
  std::int64_t number_{0};
};

}  // namespace

std::string response_item_json(const answer& of, std::string_view status) {
  const bool begun = status == "in_progress";
  return fmt::format(
      R"({{"id":{},"type":"message","role":"assistant","status":"{}","content":[{}]}})",
      wire::quote("msg_" + of.id), status, begun ? "" : text_part_json(text_of(of)));
}

std::string response_json(const answer& of, std::string_view status, bool usage) {
  const bool begun = status == "in_progress";
  std::string usage_text = "null";
  if (usage && !begun) {
    usage_text = fmt::format(
        R"({{"input_tokens":{},"input_tokens_details":{{"cached_tokens":0}},"output_tokens":{},)"
        R"("output_tokens_details":{{"reasoning_tokens":0}},"total_tokens":{}}})",
        of.prompt_tokens, of.produced(), of.prompt_tokens + of.produced());
  }
  return fmt::format(
      R"({{"id":{},"object":"response","created_at":{},"status":"{}","error":null,)"
      R"("incomplete_details":{},"instructions":null,"metadata":{{}},"model":{},"output":[{}],)"
      R"("parallel_tool_calls":true,"temperature":1.0,"tool_choice":"auto","tools":[],)"
      R"("top_p":1.0,"usage":{}}})",
      wire::quote("resp_" + of.id), of.created, status,
      status == "incomplete" ? R"({"reason":"max_output_tokens"})" : "null", wire::quote(of.model),
      begun ? std::string{} : response_item_json(of, status), usage_text);
}

std::unique_ptr<stream_writer> make_responses_writer(bool usage) {
  return std::make_unique<responses_writer>(usage);
}

}  // namespace weir::sim
