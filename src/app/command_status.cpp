// weir status and weir provider: the running gateway, asked over its admin plane.
#include <cstdio>
#include <fmt/format.h>
#include <memory>

#include "app/commands.hpp"
#include "app/loaded_settings.hpp"
#include "app/secret_file.hpp"
#include "net/fetch.hpp"
#include "net/system_clock.hpp"
#include "observe/log.hpp"

namespace weir::app {
namespace {

struct admin_choice {
  std::string config;
  std::string provider;
};

task<> ask(net::loop& on, net::endpoint where, net::fetch_request what, net::fetched& out) {
  out = co_await net::fetch(on, std::move(where), std::move(what));
  on.stop();
}

// Asks the admin plane of the gateway that runs by this configuration. Returns the exit status.
int call_admin(const std::string& config, const std::string& method, const std::string& path) {
  const auto settings = settings_or_complain(config);
  if (!settings) return 1;
  std::string token = settings->admin.token;
  if (token.empty()) {
    const auto kept = read_secret(settings->data_dir, "admin-token");
    if (!kept) {
      fmt::print(stderr, "weir: {}; is weir running with this configuration?\n",
                 kept.error().message);
      return 1;
    }
    token = *kept;
  }
  const net::system_clock time;
  net::loop on{time};
  const observe::log_options quiet{.level = observe::log_level::off};
  observe::logger log{quiet, time};
  net::spawn_counters spawned;
  const auto& listen = settings->admin.listen;
  const bool any = listen.host.empty() || listen.host == "0.0.0.0" || listen.host == "::";
  net::endpoint where{any ? "127.0.0.1" : listen.host, listen.port, nullptr};
  net::fetch_request what;
  what.method = method;
  what.target = path;
  what.authorization = "Bearer " + token;
  net::fetched got;
  net::spawn(ask(on, std::move(where), std::move(what), got), "ask", log, spawned);
  on.run();
  if (!got.ok()) {
    fmt::print(stderr, "weir: no answer from the admin plane at {}:{}; is weir running?\n",
               listen.host, listen.port);
    return 1;
  }
  fmt::print(got.status < 300 ? stdout : stderr, "{}", got.body);
  return got.status < 300 ? 0 : 1;
}

}  // namespace

void add_status(CLI::App& root, command& run) {
  auto* verb = root.add_subcommand("status", "what the running gateway does right now");
  const auto chosen = std::make_shared<admin_choice>();
  verb->add_option("-c,--config", chosen->config, "the configuration it runs by");
  verb->callback([chosen, &run] {
    run = [chosen] { return call_admin(chosen->config, "GET", "/internal/status"); };
  });
}

void add_provider(CLI::App& root, command& run) {
  auto* verb = root.add_subcommand("provider", "take an engine out of service, or back");
  verb->require_subcommand(1);
  const auto chosen = std::make_shared<admin_choice>();
  verb->add_option("-c,--config", chosen->config, "the configuration weir runs by");
  const auto add = [&](const char* name, const char* help) {
    auto* action = verb->add_subcommand(name, help);
    action->fallthrough();
    action->add_option("name", chosen->provider, "the provider's name")->required();
    action->callback([chosen, name, &run] {
      run = [chosen, name] {
        return call_admin(chosen->config, "POST",
                          fmt::format("/internal/providers/{}/{}", chosen->provider, name));
      };
    });
  };
  add("drain", "new calls go elsewhere, running ones go on");
  add("undrain", "it takes calls again");
}

}  // namespace weir::app
