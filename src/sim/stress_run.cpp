// Wires a run: loop, signals, ticks.
#include "sim/stress_run.hpp"

#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <memory>

#include "net/loop.hpp"
#include "net/tls.hpp"
#include "sim/stress_load.hpp"

namespace weir::sim {
namespace {

constexpr microseconds look_every{200ms};

// Calls the viewer again and again while the loop runs.
class ticker {
 public:
  ticker(net::loop& owner, const stress_load& load, stress_viewer& viewer)
      : timer_{owner.io()}, load_{load}, viewer_{viewer} {
    next();
  }

 private:
  void next() {
    timer_.expires_after(look_every);
    timer_.async_wait([this](const boost::system::error_code& problem) {
      if (problem) return;
      viewer_.look(load_.tally(), load_.elapsed(), load_.in_flight());
      next();
    });
  }

  boost::asio::steady_timer timer_;
  const stress_load& load_;
  stress_viewer& viewer_;
};

}  // namespace

result<stress_result> run_plan(const stress_plan& plan, const stress_options& options,
                               const clock& time, observe::logger& log, stress_viewer* viewer) {
  std::unique_ptr<net::tls_context> tls;
  if (plan.target.https) {
    auto made = net::tls_context::client(options.ca_file, options.verify_tls);
    if (!made) return made.error();
    tls = std::make_unique<net::tls_context>(std::move(*made));
  }
  net::loop loop{time};
  stress_load load{loop, plan, options.pressure, tls.get(), log};
  boost::asio::signal_set signals{loop.io(), SIGINT, SIGTERM};
  signals.async_wait([&load](const boost::system::error_code& problem, int) {
    if (!problem) load.end_early();
  });
  std::unique_ptr<ticker> ticking;
  if (viewer != nullptr) ticking = std::make_unique<ticker>(loop, load, *viewer);
  loop.post([&load] { load.start(); });
  loop.run();
  return stress_result{load.tally(), load.elapsed(), load.sent_for(), load.ended_early()};
}

stress_report make_report(const stress_options& options, const stress_result& ran) {
  expectations expected;
  expected.limit = options.limit.value_or(shipped_limit(options.tier));
  expected.limit_given = options.limit.has_value();
  expected.pressure = options.pressure;
  expected.max_variation = options.max_variation;
  expected.sent_for = ran.sent_for;
  expected.elapsed = ran.elapsed;
  const steadiness steady = measure_steadiness(ran.tally, ran.sent_for, options.ramp);
  return {options,     ran.tally,    steady,         judge(ran.tally, steady, expected),
          ran.elapsed, ran.sent_for, ran.ended_early};
}

}  // namespace weir::sim
