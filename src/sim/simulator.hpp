// The engine in real time: steps are timed by one timer, tokens go to the calls they belong to.
// One thread's; not thread-safe. Knows no HTTP.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "net/loop.hpp"
#include "sim/call.hpp"
#include "sim/engine.hpp"
#include "sim/event_buffer.hpp"
#include "sim/fault_plan.hpp"
#include "sim/sim.hpp"
#include "sim/token_log.hpp"

namespace weir::sim {

struct sim_counters {
  std::int64_t requests{0};           // to the four model endpoints
  std::int64_t streams{0};            // of these, those that asked for a stream
  std::int64_t finished{0};           // answered in full
  std::int64_t refused{0};            // answered with an error
  std::int64_t aborted{0};            // the caller hung up
  std::int64_t cut{0};                // ended by a fault or a reset
  std::int64_t deaf{0};               // went on after the caller hung up
  std::int64_t prompt_tokens{0};      // of calls that ended
  std::int64_t completion_tokens{0};  // really produced for calls that ended
};

class simulator {
 public:
  // `options` must have passed check_engine(); both references must outlive the simulator.
  simulator(net::loop& owner, const sim_options& options, token_log& log);

  // Submits a choice for each prompt and answer that was asked for. Not accepted: nothing stays
  // submitted.
  admission submit(call& c, const ask& asked);
  // The call has ended: cancels what still runs, counts it and writes its line in the log. Goes
  // before the last bytes, so that who has an answer finds it in the log. A second time: nothing.
  void end(call& c);
  // Makes the call known, so that a reset ends it.
  void begin(call& c);
  // Ends every call and the ticking, for ever.
  void stop();
  // As if just started: no calls, no counts, no faults, the seed at its beginning.
  void reset();

  [[nodiscard]] net::loop& owner() { return owner_; }
  [[nodiscard]] const sim_options& options() const { return options_; }
  [[nodiscard]] const engine& model() const { return engine_; }
  [[nodiscard]] instant now() const { return owner_.time().now(); }
  [[nodiscard]] wall_time created() const { return created_; }
  [[nodiscard]] fault_plan& faults() { return faults_; }
  [[nodiscard]] sim_counters& counters() { return counters_; }
  [[nodiscard]] token_log& log() { return log_; }
  [[nodiscard]] std::int64_t open_calls() const { return open_calls_; }
  // Emptied by begin(); shared by all streams.
  [[nodiscard]] event_buffer& events() { return events_text_; }
  // A name for a call that brought none; the next in the order of requests.
  std::string make_id();

 private:
  struct place {
    call* of;
    std::size_t part;
  };
  void catch_up(mono_time now);
  void arm(mono_time now);
  void on_timer();
  void tell_changed();
  void drop_all();

  net::loop& owner_;
  const sim_options& options_;
  token_log& log_;
  engine engine_;
  boost::asio::steady_timer timer_;
  std::optional<mono_time> armed_for_;
  std::uint64_t armings_{0};
  std::unordered_map<sequence_id, place> places_;
  std::vector<engine_event> events_;
  std::vector<sequence_id> changed_;  // sequences whose calls must be told
  boost::intrusive::list<call,
                         boost::intrusive::member_hook<call, decltype(call::hook), &call::hook>,
                         boost::intrusive::constant_time_size<false>>
      calls_;
  fault_plan faults_;
  sim_counters counters_;
  event_buffer events_text_;
  wall_time created_;
  std::uint64_t ids_{0};
  std::int64_t open_calls_{0};
  bool stopped_{false};
};

}  // namespace weir::sim
