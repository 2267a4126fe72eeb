// The network side of a stress run: sends each call when it is due, whatever earlier answers do,
// and tallies what becomes of it. Decides nothing about good or bad. Belongs to one loop's thread.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <boost/intrusive/list.hpp>
#include <optional>

#include "net/http_client.hpp"
#include "net/loop.hpp"
#include "net/spawn.hpp"
#include "net/tls.hpp"
#include "sim/stress_answer.hpp"
#include "sim/stress_schedule.hpp"
#include "sim/stress_tally.hpp"
#include "sim/stress_target.hpp"

namespace weir::sim {

class stress_load {
 public:
  // All references must outlive the load; `tls` is null for plain http. `pressure` is the
  // tally's.
  stress_load(net::loop& owner, const stress_plan& plan, std::int64_t pressure,
              const net::tls_context* tls, observe::logger& log);
  ~stress_load();

  // Sends all calls and waits for the last answer, then stops the loop.
  void start();
  // Sends no more and gives up what is open; the loop is stopped as soon as all of it has ended.
  void end_early();

  [[nodiscard]] const stress_tally& tally() const { return tally_; }
  [[nodiscard]] std::size_t in_flight() const { return in_flight_; }
  [[nodiscard]] bool ended_early() const { return ended_early_; }
  // Since the start; at most until the last call ended.
  [[nodiscard]] microseconds elapsed() const;
  // How long calls were sent.
  [[nodiscard]] microseconds sent_for() const;

 private:
  // A call that is open, so that it can be given up.
  struct open_call : boost::intrusive::list_base_hook<> {
    net::wait_slot slot;
    call_outcome outcome;
    mono_time due{};
    mono_time until{};
    bool ask_stream{false};
  };

  task<> drive();
  void send(const arrival& at, mono_time now);
  task<> call(arrival at, bool ask_stream);
  task<call_end> exchange(open_call& of);
  task<call_end> attempt(open_call& of, bool fresh, bool& stale);
  task<call_end> read_answer(open_call& of, net::answer_reader& reader);
  task<net::answer_status> read_body(open_call& of, net::answer_reader& reader,
                                     answer_check* check);
  void finish_if_done();

  net::loop& owner_;
  const stress_plan& plan_;
  observe::logger& log_;
  net::spawn_counters spawned_;
  net::connection_pool pool_;
  schedule schedule_;
  seeded random_;
  stress_tally tally_;
  boost::asio::steady_timer timer_;
  boost::intrusive::list<open_call, boost::intrusive::constant_time_size<false>> open_;
  mono_time began_{};
  mono_time stopped_sending_{};
  mono_time ended_{};
  std::size_t in_flight_{0};
  bool driving_{false};
  bool ended_early_{false};
};

}  // namespace weir::sim
