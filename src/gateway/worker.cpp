// The worker: everything of one thread that outlives a call.
#include "gateway/worker.hpp"

#include <fmt/format.h>

#include "gateway/exchange.hpp"
#include "gateway/pipeline.hpp"

namespace weir::gateway {
namespace {

constexpr microseconds pool_idle{60s};  // an idle engine connection is not reused after so long
constexpr std::size_t max_key_limits = 4096;  // API keys whose named limits are remembered

}  // namespace

worker::worker(shared& with, net::loop& on, std::shared_ptr<const book> plan, std::uint32_t number)
    : with_{with}, on_{on}, number_{number} {
  adopt(std::move(plan));
}

void worker::adopt(std::shared_ptr<const book> plan) {
  plan_ = std::move(plan);
  key_limits_.clear();
  pools_.clear();
  declare_series(metrics_, *plan_);
}

task<> worker::handle(net::http_exchange& http) {
  exchange x{*this, http, plan_, with_.time.now()};
  co_await run_pipeline(x);
}

task<> worker::refuse(net::http_exchange& http, const wire::http_error& error) {
  exchange x{*this, http, plan_, with_.time.now()};
  x.request_id = next_request_id();
  refuse_simple(x, error.status, error.code, std::string{error.message});
  co_await answer_refusal(x);
  record(x);
}

std::shared_ptr<net::connection_pool> worker::pool(const book_provider& provider) {
  auto& pool = pools_[provider.settings->name];
  if (!pool) {
    const auto& url = provider.settings->url;
    net::endpoint where{url.host, url.port, provider.tls ? &*provider.tls : nullptr};
    pool = std::make_shared<net::connection_pool>(on_, std::move(where), pool_idle);
  }
  return pool;
}

const std::vector<book_limit>& worker::key_limits(
    const std::shared_ptr<const std::vector<config::limit_settings>>& limits) {
  if (key_limits_.size() > max_key_limits) key_limits_.clear();
  auto& named = key_limits_[limits.get()];
  if (named.source != limits)
    named = {limits, name_limits(*limits, limit_owner::api_key, with_.lasting.hasher)};
  return named.limits;
}

std::string worker::next_request_id() {
  return fmt::format("req_{:012x}{:02x}{:08x}", with_.boot & 0xffff'ffff'ffff, number_ & 0xff,
                     ++sequence_);
}

void worker::refresh_gauges(const net::http_server_counters& edge) {
  namespace family = observe::family;
  metrics_.set(family::inflight, {}, running_);
  metrics_.set(family::connections, {}, edge.connections);
  metrics_.set(family::connections_refused, {"per_address"}, edge.refused_per_address);
  metrics_.set(family::connections_refused, {"descriptors"}, edge.refused_descriptors);
  metrics_.set(family::connections_refused, {"header_timeout"}, edge.header_timeouts);
  if (number_ != 0) return;
  for (const auto& [name, provider] : plan_->providers()) {
    metrics_.set(family::inflight_upstream, {name}, provider.state->in_flight());
    metrics_.set(family::provider_up, {name}, provider.state->ejected() ? 0 : 1);
    metrics_.set(family::provider_draining, {name}, provider.state->draining() ? 1 : 0);
  }
}

}  // namespace weir::gateway
