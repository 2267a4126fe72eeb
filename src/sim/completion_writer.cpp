// Streams of /v1/chat/completions and /v1/completions.
#include <fmt/format.h>
#include <iterator>

#include "sim/answer.hpp"
#include "sim/answer_text.hpp"
#include "wire/json.hpp"

namespace weir::sim {
namespace {

class completion_writer final : public stream_writer {
 public:
  completion_writer(const answer& of, writer_options options)
      : options_{options},
        chat_{of.api == sim_api::chat},
        head_{fmt::format(R"({{"id":{},"object":"{}","created":{},"model":{},)",
                          wire::quote((chat_ ? "chatcmpl-" : "cmpl-") + of.id),
                          chat_ ? "chat.completion.chunk" : "text_completion", of.created,
                          wire::quote(of.model))} {}

  void begin(event_buffer& out, const answer& of, std::size_t part) override {
    if (!chat_) return;
    std::string event = head_;
    fmt::format_to(std::back_inserter(event),
                   R"("choices":[{{"index":{},"delta":{{"role":"assistant","content":""}},)"
                   R"("logprobs":null,"finish_reason":null}}])",
                   part);
    close(event, of, 0);
    out.add({}, event);
  }

  void token(event_buffer& out, const answer& of, std::size_t part, bool last) override {
    const auto& choice = of.parts[part];
    const auto text = answer_token(choice.text_seed, choice.written);
    std::string event;
    event.reserve(head_.size() + 192);
    event += head_;
    event += R"("choices":[{"index":)";
    fmt::format_to(std::back_inserter(event), "{}", part);
    event += chat_ ? R"(,"delta":{"content":")" : R"(,"text":")";
    event += text;
    event +=
        chat_ ? R"("},"logprobs":null,"finish_reason":)" : R"(","logprobs":null,"finish_reason":)";
    if (last) {
      event.append("\"").append(name_of(choice.finish)).append(R"(","stop_reason":null}])");
    } else {
      event += "null}]";
    }
    close(event, of, of.written() + 1);
    out.add({}, event);
  }

  void end(event_buffer& out, const answer& of) override {
    if (!options_.usage) return;
    std::string event = head_;
    if (!options_.bare_usage) event += "\"choices\":[],";
    event += "\"usage\":" + usage_json(of, of.produced()) + "}";
    out.add({}, event);
  }

  void huge(event_buffer& out, std::int64_t bytes) override {
    const std::string filler(static_cast<std::size_t>(bytes), 'x');
    std::string event = head_;
    event += R"("choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1",)"
             R"("type":"function","function":{"name":"save","arguments":")";
    event += filler;
    event += R"("}}]},"logprobs":null,"finish_reason":null}]})";
    out.add({}, event);
  }

  void error(event_buffer& out, const sim_error& why) override { out.add({}, error_json(why)); }

 private:
  void close(std::string& event, const answer& of, std::int64_t completion) const {
    if (options_.continuous) event += ",\"usage\":" + usage_json(of, completion);
    event += '}';
  }

  writer_options options_;
  bool chat_;
  std::string head_;  // what all events of the stream begin with
};

}  // namespace

std::unique_ptr<stream_writer> make_completion_writer(const answer& of, writer_options options) {
  return std::make_unique<completion_writer>(of, options);
}

}  // namespace weir::sim
