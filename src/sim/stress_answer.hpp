// Looks at the body of a 200 as it arrives: was it whole, was it what was asked for, how many
// tokens does it report. Takes payload without its framing; no I/O.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/stress_tally.hpp"
#include "wire/sse.hpp"
#include "wire/usage.hpp"

namespace weir::sim {

class answer_check {
 public:
  // `asked`: a streamed answer was asked for. `content_type`: what the head says came.
  answer_check(bool asked, std::string_view content_type);

  // The next bytes. Whole answers above 4 MiB and events above 1 MiB are not read to their end, and
  // count as broken.
  void feed(std::string_view payload);
  // The body ended in order. What is wrong with it, if anything.
  answer_fault finish();

  [[nodiscard]] bool streamed() const { return streamed_; }
  // A stream has brought its first text, reasoning or tool call.
  [[nodiscard]] bool has_content() const { return content_; }
  [[nodiscard]] std::optional<std::int64_t> tokens() const { return used_.completion; }

 private:
  void look_at(const wire::sse_event& event);
  answer_fault finish_stream();
  answer_fault finish_whole();
  void note(answer_fault what);

  wire::sse_scanner scanner_;
  std::string whole_;
  wire::usage used_;
  answer_fault fault_{answer_fault::none};  // the first that was seen
  bool asked_;
  bool streamed_;
  bool content_{false};
  bool done_{false};
  bool finished_{false};
};

}  // namespace weir::sim
