// Requests of the admin plane.
#include "admin/admin.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "observe/process.hpp"

namespace weir::admin {

using nlohmann::json;

namespace {

constexpr std::uint64_t max_body = 64 * 1024;
constexpr microseconds body_patience{5s};

// In constant time, so that the token can't be guessed byte by byte.
bool same(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0U : 1U;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  }
  return difference == 0;
}

std::string problem(std::string_view code, std::string_view message) {
  return json{{"status", "error"}, {"error", code}, {"message", message}}.dump() + "\n";
}

// Collects what the workers' threads hand over, and resumes the scrape on its own thread when all
// have.
struct collection {
  explicit collection(std::size_t n) : parts(n), left{n} {}
  std::vector<std::optional<observe::snapshot>> parts;
  std::atomic<std::size_t> left;
  std::coroutine_handle<> waiting;
};

}  // namespace

admin_api::admin_api(net::loop& on, gateway::shared& with, std::vector<worker_handle> workers,
                     reload_state& reloads, std::string token, wall_time started,
                     std::string version)
    : on_{on},
      with_{with},
      workers_{std::move(workers)},
      reloads_{reloads},
      token_{std::move(token)},
      started_{started},
      version_{std::move(version)} {}

bool admin_api::authorised(const wire::request_head& head) const {
  constexpr std::string_view scheme = "Bearer ";
  const auto given = head.get(wire::field::authorization);
  if (given.size() <= scheme.size() || !wire::iequals(given.substr(0, scheme.size()), scheme))
    return false;
  return same(given.substr(scheme.size()), token_);
}

task<> admin_api::handle(net::http_exchange& http) {
  const std::string method{http.head().method};
  const std::string path{http.head().path};
  const bool allowed = authorised(http.head());
  answer out;
  const auto body = co_await http.read_body(max_body, body_patience);
  const bool reading = method == "GET" || method == "HEAD";
  if (body.status != net::body_status::ok) {
    out = {400, "application/json", problem("bad_request", "the body could not be read")};
  } else if (path.starts_with("/internal/")) {
    if (allowed) {
      out = co_await internal(method, path.substr(10));
    } else {
      out = {401, "application/json",
             problem(
                 "unauthorized",
                 "send 'Authorization: Bearer TOKEN' with the admin token; it is in admin.token of "
                 "the configuration or in the file admin-token of the data directory")};
    }
  } else if (!reading) {
    out = {405, "application/json", problem("method_not_allowed", "use GET")};
  } else if (path == "/metrics") {
    out = co_await metrics();
  } else if (path == "/healthz") {
    out = {200, "text/plain; charset=utf-8", "ok\n"};
  } else if (path == "/readyz") {
    out = ready();
  } else {
    out = {404, "application/json",
           problem("not_found", "see /metrics, /healthz, /readyz and /internal/")};
  }
  net::response_head head{out.status};
  head.add("Content-Type", out.type);
  head.add("Cache-Control", "no-store");
  if (out.status == 401) head.add("WWW-Authenticate", "Bearer");
  co_await http.send(std::move(head), out.body);
}

task<> admin_api::refuse(net::http_exchange& http, const wire::http_error& error) {
  net::response_head head{error.status};
  head.add("Content-Type", "application/json");
  const std::string body = problem(error.code, error.message);
  co_await http.send(std::move(head), body);
}

task<observe::snapshot> admin_api::collect() {
  const auto shared = std::make_shared<collection>(workers_.size());
  struct gather {
    admin_api& api;
    std::shared_ptr<collection> all;
    [[nodiscard]] bool await_ready() const { return api.workers_.empty(); }
    void await_suspend(std::coroutine_handle<> h) const {
      all->waiting = h;
      for (std::size_t i = 0; i < api.workers_.size(); ++i) {
        api.workers_[i].loop->post([one = api.workers_[i], i, to = all, &back = api.on_] {
          one.worker->refresh_gauges(one.server->counters());
          to->parts[i] = one.worker->metrics().copy();
          if (to->left.fetch_sub(1) == 1) back.post([to] { to->waiting.resume(); });
        });
      }
    }
    void await_resume() const {}
  };
  gather waiting{*this, shared};
  co_await waiting;
  observe::metrics own;
  observe::set_process_figures(own, started_);
  namespace family = observe::family;
  const auto totals = with_.limits.totals();
  own.set(family::limit_keys, {}, static_cast<std::int64_t>(totals.entries));
  own.set(family::held_reservations, {}, totals.open);
  own.set(family::held_concurrent, {}, totals.held);
  own.set(family::log_lines_lost, {}, static_cast<std::int64_t>(with_.log.lost()));
  own.set(family::coroutines_running, {}, with_.spawned.running.load());
  own.set(family::coroutines_failed, {}, with_.spawned.failed.load());
  own.set(family::config_reload_success, {}, reloads_.last_good.load() ? 1 : 0);
  own.set(family::config_reloads, {"ok"}, reloads_.good.load());
  own.set(family::config_reloads, {"error"}, reloads_.bad.load());
  own.set(family::config_info, {plan_->settings().version}, 1);
  own.set(family::build_info, {version_}, 1);
  observe::snapshot merged = own.copy();
  for (const auto& part : shared->parts) merged.merge(*part);
  co_return merged;
}

task<admin_api::answer> admin_api::metrics() {
  const observe::snapshot all = co_await collect();
  co_return answer{200, std::string{observe::exposition_type}, all.exposition()};
}

admin_api::answer admin_api::ready() const {
  if (with_.draining.load()) return {503, "text/plain; charset=utf-8", "draining\n"};
  return {200, "text/plain; charset=utf-8", "ready\n"};
}

task<admin_api::answer> admin_api::internal(std::string_view method, std::string_view path) {
  constexpr std::string_view provider_prefix = "providers/";
  if (method == "GET" && path == "status") co_return status();
  if (method == "GET" && path == "config") co_return config();
  if (method == "GET" && path == "providers") co_return providers();
  if (method == "POST" && path == "reload") {
    if (on_reload) on_reload();
    co_return answer{202, "application/json", json{{"status", "ok"}}.dump() + "\n"};
  }
  if (method == "POST" && path.starts_with(provider_prefix)) {
    std::string_view rest = path.substr(provider_prefix.size());
    const auto slash = rest.rfind('/');
    const std::string_view verb =
        slash == std::string_view::npos ? std::string_view{} : rest.substr(slash + 1);
    if (verb == "drain" || verb == "undrain")
      co_return drain_provider(rest.substr(0, slash), verb == "drain");
  }
  co_return answer{
      404, "application/json",
      problem("not_found",
              "known: GET status, config, providers; POST reload, providers/NAME/drain, "
              "providers/NAME/undrain")};
}

admin_api::answer admin_api::status() const {
  const auto totals = with_.limits.totals();
  json out{{"status", with_.draining.load() ? "draining" : "ok"},
           {"version", version_},
           {"enforcement", "per process"},
           {"config", json::parse(config().body)},
           {"limits",
            {{"keys", totals.entries},
             {"open_claims", totals.open},
             {"held_concurrent", totals.held},
             {"reserved_tokens", totals.reserved}}},
           {"providers", json::parse(providers().body)}};
  return {200, "application/json", out.dump(2) + "\n"};
}

admin_api::answer admin_api::config() const {
  const json out{{"source", plan_->settings().source},
                 {"version", plan_->settings().version},
                 {"last_reload_succeeded", reloads_.last_good.load()},
                 {"reloads", reloads_.good.load()},
                 {"failed_reloads", reloads_.bad.load()}};
  return {200, "application/json", out.dump(2) + "\n"};
}

admin_api::answer admin_api::providers() const {
  json out = json::object();
  for (const auto& [name, provider] : plan_->providers()) {
    const auto& url = provider.settings->url;
    out[name] = {{"url", fmt::format("{}://{}:{}{}", url.tls ? "https" : "http", url.host, url.port,
                                     url.path)},
                 {"in_flight", provider.state->in_flight()},
                 {"draining", provider.state->draining()},
                 {"ejected", provider.state->ejected()}};
  }
  return {200, "application/json", out.dump(2) + "\n"};
}

admin_api::answer admin_api::drain_provider(std::string_view name, bool on) {
  const auto found = plan_->providers().find(name);
  if (found == plan_->providers().end()) {
    return {404, "application/json",
            problem("not_found", "no provider of this name; see GET /internal/providers")};
  }
  found->second.state->set_draining(on);
  with_.log.info(on ? "a provider is being drained" : "a provider takes calls again",
                 {{"provider", name}});
  return {200, "application/json",
          json{{"status", "ok"},
               {"provider", name},
               {"draining", on},
               {"in_flight", found->second.state->in_flight()}}
                  .dump() +
              "\n"};
}

}  // namespace weir::admin
