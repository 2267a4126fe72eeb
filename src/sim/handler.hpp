// The engine's HTTP surface: vLLM's endpoints, and /sim/ for whoever tests against it.
#pragma once

#include <optional>

#include "net/http_server.hpp"
#include "sim/fast.hpp"
#include "sim/simulator.hpp"

namespace weir::sim {

class sim_handler final : public net::http_handler {
 public:
  explicit sim_handler(simulator& sim);

  task<> handle(net::http_exchange& exchange) override;
  task<> refuse(net::http_exchange& exchange, const wire::http_error& error) override;

 private:
  task<> generate(net::http_exchange& exchange, sim_api api);
  task<bool> prepare(net::http_exchange& exchange, call& c, ask& asked);
  task<bool> obey_early_faults(net::http_exchange& exchange, call& c);
  task<> answer_whole(net::http_exchange& exchange, call& c, const ask& asked);
  task<> send_error(net::http_exchange& exchange, call& c, sim_error error);
  task<bool> take_faults(net::http_exchange& exchange, call& c);
  [[nodiscard]] bool knows(std::string_view model) const;

  simulator& sim_;
  std::optional<fast_answers> fast_;
};

// A streamed answer, from its head to its end or to where its faults break it.
task<> answer_stream(net::http_exchange& exchange, simulator& sim, call& c, writer_options options);

// Everything but the four model endpoints: probes, models, tokenize, metrics, and /sim/.
task<> answer_other(net::http_exchange& exchange, simulator& sim);

}  // namespace weir::sim
