// weir serve and weir check.
#include <cstdio>
#include <fmt/format.h>
#include <memory>

#include "app/commands.hpp"
#include "app/serve.hpp"
#include "config/loader.hpp"
#include "config/options.hpp"

namespace weir::app {
namespace {

int check(const std::string& path) {
  const auto loaded = config::load_file(path, config::process_environment());
  for (const auto& mistake : loaded.mistakes) fmt::print(stderr, "{}\n", config::to_text(mistake));
  if (!loaded.value) {
    fmt::print(stderr, "{}: {} mistake{}\n", path, loaded.mistakes.size(),
               loaded.mistakes.size() == 1 ? "" : "s");
    return 1;
  }
  fmt::print("{}: ok\n", path);
  return 0;
}

}  // namespace

void add_serve(CLI::App& root, command& run) {
  auto* verb = root.add_subcommand(
      "serve", "run the gateway; without a file, the defaults against 127.0.0.1:8000");
  const auto options = std::make_shared<serve_options>();
  verb->add_option("-c,--config", options->config, "configuration file");
  verb->add_option("--threads", options->threads, "worker threads; 0: as configured")
      ->check(CLI::Range(0, 256));
  verb->callback([options, &run] { run = [options] { return serve(*options); }; });
}

void add_check(CLI::App& root, command& run) {
  auto* verb =
      root.add_subcommand("check", "check a configuration file; says every mistake with its place");
  struct choice {
    std::string path{"weir.yaml"};
    bool schema{false};
    bool options{false};
    bool defaults{false};
  };
  const auto chosen = std::make_shared<choice>();
  verb->add_option("-c,--config", chosen->path, "configuration file");
  verb->add_flag("--schema", chosen->schema,
                 "print the JSON schema of configuration files and stop");
  verb->add_flag("--options", chosen->options,
                 "print the table of all options (docs/options.md) and stop");
  verb->add_flag("--defaults", chosen->defaults,
                 "print the configuration that runs without a file and stop");
  verb->callback([chosen, &run] {
    run = [chosen] {
      if (chosen->schema) {
        fmt::print("{}", config::options_schema());
      } else if (chosen->options) {
        fmt::print("{}", config::options_markdown());
      } else if (chosen->defaults) {
        fmt::print("{}", config::defaults_text());
      } else {
        return check(chosen->path);
      }
      return 0;
    };
  });
}

}  // namespace weir::app
