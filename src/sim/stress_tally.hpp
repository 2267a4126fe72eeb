// What became of the calls of a stress run, counted: the numbers its report shows and its verdict
// is made from. Memory grows with seconds and callers only. No clock, no I/O; not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "base/time.hpp"
#include "sim/stress_histogram.hpp"

namespace weir::sim {

// How far a call got. What breaks within the body of a 200 is an answer_fault.
enum class call_end : std::uint8_t {
  answered,         // there is a status, and the whole body unless it is 200
  unresolved,       // the host's name has no address
  refused,          // nobody listens, or no route
  connect_timeout,  // no connection in time
  tls_failed,       // the handshake failed, or the certificate is not valid for the host
  reset,            // the connection ended before a whole head came, or within a refusal
  timeout,          // no head in time, or no end of a refusal
  malformed,        // what came is not HTTP
  abandoned,        // given up by this program, because the run was ended early
};
inline constexpr std::size_t call_ends = 9;

// What is wrong with the body of a 200.
enum class answer_fault : std::uint8_t {
  none,         // whole, and what was asked for
  cut,          // the connection ended within it
  timeout,      // it did not end in time
  malformed,    // broken framing
  no_done,      // a stream without [DONE]
  no_finish,    // a stream in which no choice finished
  error_event,  // an error within the stream, or as a whole answer
  broken,       // an event or a body that is not JSON
  not_stream,   // a stream was asked for and something else came
  no_choices,   // a whole answer without choices
};
inline constexpr std::size_t answer_faults = 10;

enum class retry_after_state : std::uint8_t {
  absent,  // no such field
  bad,     // not a whole number of at least 1
  good,    // a whole number of at least 1
};

struct call_outcome {
  std::uint32_t identity{0};
  microseconds due{};  // since the start of the run
  call_end end{call_end::answered};
  int status{0};  // where answered
  answer_fault fault{answer_fault::none};
  bool streamed{false};
  microseconds latency{};                   // from the moment it was due to its end
  std::optional<microseconds> first_token;  // ... to the first content of a stream
  retry_after_state retry_after{retry_after_state::absent};
  std::int64_t retry_after_s{0};       // where good
  std::int64_t others_in_flight{0};    // open calls beside it when it was sent
  std::optional<std::int64_t> tokens;  // generated, as the answer's usage says
};

// Retry-After as the text of a header. Digits only, so a date is bad: weir promises seconds.
retry_after_state read_retry_after(std::string_view text, bool present, std::int64_t& seconds);

struct retry_after_tally {
  std::int64_t good{0}, absent{0}, bad{0};
  std::int64_t min_s{std::numeric_limits<std::int64_t>::max()};
  std::int64_t max_s{0};
};

struct second_tally {
  std::int32_t sent{0}, ok{0}, limited{0}, unavailable{0};  // by the second they were due in
};

struct identity_tally {
  std::int64_t sent{0};
  std::int64_t ok{0};
  std::int64_t limited{0};
  microseconds first_limited{microseconds::max()};  // when its first refused call was due
};

struct stress_tally {
  explicit stress_tally(std::size_t identities, std::int64_t pressure_at = 0)
      : callers(identities), pressure{pressure_at} {}

  // A call that was due and did not go out, because too many were open.
  void add_unsent(microseconds due);
  // A call that ended. Abandoned ones are counted as such and nowhere else.
  void add(const call_outcome& call);
  // How long after it was due a call went out.
  void add_lag(microseconds lag) { send_lag.add(lag); }

  [[nodiscard]] std::int64_t with_status(int status) const;
  [[nodiscard]] std::int64_t transport_errors() const;
  [[nodiscard]] std::int64_t faulty_answers() const;

  std::int64_t sent{0};    // calls that went out and were not abandoned
  std::int64_t unsent{0};  // held back by the cap on calls in flight
  std::array<std::int64_t, call_ends> ends{};
  std::array<std::int64_t, answer_faults> faults{};  // of 200s; [none] is the number of good ones
  std::map<int, std::int64_t> statuses;
  retry_after_tally retry_429, retry_503;
  std::int64_t calm_503{0};  // 503s with fewer than `pressure` calls open beside them
  std::int64_t streams{0};   // 200s that came as streams
  std::int64_t tokens{0};
  std::int64_t without_usage{0};  // good 200s that do not say how many tokens
  std::vector<second_tally> seconds;
  std::vector<identity_tally> callers;
  duration_histogram latency;      // of good 200s
  duration_histogram first_token;  // of streams
  duration_histogram refusal;      // of 429s and 503s
  duration_histogram send_lag;     // of this program
  std::int64_t pressure;
};

}  // namespace weir::sim
