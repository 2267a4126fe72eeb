// Fast mode: no engine, the same answer for everybody, put together once. For measuring what lies
// in front of it: an answer costs little more than its system calls.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "net/http_server.hpp"
#include "sim/ask.hpp"
#include "sim/sim.hpp"
#include "sim/simulator.hpp"

namespace weir::sim {

// What is sent to everybody. Immutable.
class fast_answers {
 public:
  static constexpr std::int64_t prompt_tokens = 8;  // whatever the prompt is

  explicit fast_answers(const sim_options& options);

  // One write of a stream, with and without HTTP chunk framing.
  struct burst {
    std::string framed;
    std::string bare;
    std::int64_t tokens{0};
  };
  struct of_api {
    std::string whole;                 // the whole answer
    std::vector<burst> with_usage;     // the stream for who asked for its usage
    std::vector<burst> without_usage;  // and for who did not
  };
  [[nodiscard]] const of_api& get(sim_api api) const {
    return answers_[static_cast<std::size_t>(api)];
  }
  [[nodiscard]] const std::string& model() const { return model_; }
  [[nodiscard]] std::int64_t tokens() const { return tokens_; }

 private:
  std::string model_;
  std::int64_t tokens_;
  std::vector<of_api> answers_;
};

// Whether a body has `"name": true`, found without parsing it.
bool says_true(std::string_view body, std::string_view quoted_name);

task<> answer_fast(net::http_exchange& exchange, simulator& sim, const fast_answers& answers,
                   sim_api api);

}  // namespace weir::sim
