// What a worker does beside its calls: fetching signing keys when they are due, and trying ejected
// providers again.
#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include "gateway/worker.hpp"
#include "net/fetch.hpp"

namespace weir::gateway {
namespace {

constexpr std::size_t max_jwks_bytes = 1024 * 1024;
constexpr microseconds keys_patience{5s};
constexpr microseconds keys_poll{20ms};
constexpr microseconds probe_patience{2s};

struct target {
  net::endpoint where;
  std::string path;
  bool tls{false};
};

std::optional<target> parse_url(std::string_view text) {
  const auto url = boost::urls::parse_uri(text);
  if (!url) return std::nullopt;
  target out;
  out.tls = url->scheme() == "https";
  out.where.host = url->host_address();
  out.where.port =
      url->has_port() ? url->port_number() : static_cast<std::uint16_t>(out.tls ? 443 : 80);
  out.path = url->encoded_target();
  if (out.path.empty()) out.path = "/";
  return out;
}

}  // namespace

task<> worker::refresh_keys(std::shared_ptr<const book> plan) {
  auto& keys = plan->authenticator();
  const mono_time until = with_.time.mono() + keys_patience;
  if (!keys.begin_fetch(with_.time.now())) {
    while (keys.fetch_in_flight(with_.time.now()) && with_.time.mono() < until) {
      co_await on_.sleep_until(with_.time.mono() + keys_poll);
    }
    co_return;
  }
  result<std::size_t> installed = fail("the server did not answer with a key set");
  if (keys.jwks_is_url()) {
    const std::string text = co_await fetch_keys(keys.jwks_source());
    if (!text.empty()) installed = keys.install_jwks(text, with_.time.now());
  } else {
    installed = keys.reload_jwks_file(with_.time.now());
  }
  metrics_.add(observe::family::jwks_fetches, {installed ? "ok" : "error"});
  if (installed) co_return;
  keys.fetch_failed();
  with_.log.warn(
      "the signing keys could not be refreshed; known keys go on working until jwks_max_age",
      {{"source", keys.jwks_source()}, {"why", installed.error().message}});
}

// The text of a key set, or nothing.
task<std::string> worker::fetch_keys(std::string source) {
  auto parsed = parse_url(source);
  if (!parsed) co_return std::string{};
  std::optional<net::tls_context> tls;
  if (parsed->tls) {
    auto made = net::tls_context::client({}, true);
    if (!made) co_return std::string{};
    tls = std::move(*made);
    parsed->where.tls = &*tls;
  }
  net::fetch_request ask;
  ask.target = parsed->path;
  ask.max_bytes = max_jwks_bytes;
  ask.patience = keys_patience;
  net::fetched got = co_await net::fetch(on_, parsed->where, std::move(ask));
  co_return got.ok() && got.status == 200 ? std::move(got.body) : std::string{};
}

// `plan` keeps the provider's settings alive.
task<> worker::probe([[maybe_unused]] std::shared_ptr<const book> plan,
                     const book_provider& provider) {
  const auto& settings = *provider.settings;
  net::endpoint where{settings.url.host, settings.url.port,
                      provider.tls ? &*provider.tls : nullptr};
  bool reached = false;
  if (settings.health_path.empty()) {
    net::wait_slot slot;
    net::lease line = co_await net::connect(on_, std::move(where), probe_patience, slot);
    reached = line.status == net::connect_status::ok;
    if (line.socket) line.socket->close();
  } else {
    net::fetch_request ask;
    ask.target = settings.url.path + settings.health_path;
    ask.patience = probe_patience;
    const net::fetched got = co_await net::fetch(on_, std::move(where), std::move(ask));
    reached = got.ok() && got.status >= 200 && got.status < 300;
  }
  if (reached && provider.state->set_ejected(false)) {
    with_.log.info("a provider can be reached again", {{"provider", settings.name}});
  }
  probes_[settings.name].running = false;
}

void worker::look_after() {
  const mono_time now = with_.time.mono();
  for (const auto& [name, provider] : plan_->providers()) {
    auto& probe_of = probes_[name];
    if (!provider.state->ejected() || probe_of.running || now < probe_of.due) continue;
    probe_of = {now + provider.settings->health_every, true};
    net::spawn(probe(plan_, provider), "probe", with_.log, with_.spawned);
  }
  auto& keys = plan_->authenticator();
  if (keys.jwks_source().empty() || refreshing_ || now < next_refresh_) return;
  refreshing_ = true;
  next_refresh_ = now + 1s;
  net::spawn(refresh_in_background(plan_), "keys", with_.log, with_.spawned);
}

task<> worker::refresh_in_background(std::shared_ptr<const book> plan) {
  co_await refresh_keys(std::move(plan));
  refreshing_ = false;
}

}  // namespace weir::gateway
