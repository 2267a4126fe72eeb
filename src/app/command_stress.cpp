// weir stress.
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <memory>

#include "app/commands.hpp"
#include "config/values.hpp"
#include "sim/stress.hpp"

namespace weir::app {
namespace {

struct stress_choice {
  sim::stress_options options;
  std::string duration{"60s"};
  std::string ramp{"0"};
  std::string timeout{"60s"};
  std::string stream{"0.5"};
  std::string tokens_file;
  bool insecure{false};
};

int complain(std::string_view where, std::string_view what) {
  fmt::print(stderr, "weir stress: {}: {}\n", where, what);
  return 2;
}

// One token a line; empty lines do not count.
bool read_tokens(const std::string& path, std::vector<std::string>& into) {
  std::ifstream file{path};
  std::string line;
  while (std::getline(file, line))
    if (!line.empty()) into.push_back(line);
  return !into.empty();
}

bool read_share(const std::string& text, double& into) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), into);
  return problem == std::errc{} && end == text.data() + text.size();
}

int stress(const stress_choice& chosen) {
  sim::stress_options options = chosen.options;
  const struct {
    const char* name;
    const std::string& text;
    microseconds& into;
  } durations[] = {{"--duration", chosen.duration, options.duration},
                   {"--ramp", chosen.ramp, options.ramp},
                   {"--timeout", chosen.timeout, options.timeout}};
  for (const auto& one : durations) {
    const auto parsed = config::parse_duration(one.text);
    if (!parsed) return complain(one.name, parsed.error().message);
    one.into = *parsed;
  }
  if (!read_share(chosen.stream, options.stream))
    return complain("--stream", "expected a share from 0 to 1");
  if (!chosen.tokens_file.empty() && !read_tokens(chosen.tokens_file, options.tokens))
    return complain("--tokens", "expected a file with one token a line");
  if (options.secret.empty() && options.tokens.empty() && options.api_key.empty())
    if (const char* secret = std::getenv("WEIR_JWT_SECRET")) options.secret = secret;
  options.verify_tls = !chosen.insecure;
  return sim::run_stress(options);
}

void add_load_options(CLI::App& verb, stress_choice& chosen) {
  auto& o = chosen.options;
  verb.add_option("--users", o.users, "callers")->capture_default_str();
  verb.add_option("--rate", o.rate, "calls per second of each user")->capture_default_str();
  verb.add_option("--duration", chosen.duration, "how long calls are sent")->capture_default_str();
  verb.add_option("--ramp", chosen.ramp, "users begin one after another over this long")
      ->capture_default_str();
  verb.add_option("--jitter", o.jitter, "share of its period by which a call may be late")
      ->capture_default_str();
  verb.add_option("--model", o.model, "the model asked for")->capture_default_str();
  verb.add_option("--stream", chosen.stream, "share of calls that stream, 0 to 1; alone: all")
      ->capture_default_str()
      ->expected(0, 1);
  verb.add_option("--max-tokens", o.max_tokens, "the most an answer may have")
      ->capture_default_str();
  verb.add_option("--prompt-bytes", o.prompt_bytes, "size of the question")->capture_default_str();
  verb.add_option("--in-flight", o.in_flight, "calls open at once; more are not sent")
      ->capture_default_str();
  verb.add_option("--timeout", chosen.timeout, "of one call, from when it was due")
      ->capture_default_str();
  verb.add_option("--seed", o.seed, "of the moments at which calls are due")->capture_default_str();
}

void add_caller_options(CLI::App& verb, stress_choice& chosen) {
  auto& o = chosen.options;
  verb.add_option("--secret", o.secret,
                  "HS256 secret: each user gets a token of its own (env WEIR_JWT_SECRET, where "
                  "neither --tokens nor --key is given)");
  verb.add_option("--tier", o.tier, "tier of those tokens")->capture_default_str();
  verb.add_option("--tokens", chosen.tokens_file, "file of tokens, one a line, for the users");
  verb.add_option("--key", o.api_key, "one API key or token for all users");
  verb.add_option("--ca", o.ca_file, "PEM file to trust for https; the system's where left out");
  verb.add_flag("--insecure", chosen.insecure, "take any certificate");
}

void add_verdict_options(CLI::App& verb, stress_choice& chosen) {
  auto& o = chosen.options;
  verb.add_option("--limit", o.limit,
                  "calls a minute each caller is limited to, also held as an upper bound; 0: none; "
                  "left out: as the tier ships");
  verb.add_option("--pressure", o.pressure, "calls in flight that excuse a 503")
      ->capture_default_str();
  verb.add_option("--max-variation", o.max_variation, "of the 200s that is steady")
      ->capture_default_str();
  verb.add_flag("--json", o.json, "print the report as one JSON object");
  verb.add_flag("--quiet", o.quiet, "no progress line");
}

}  // namespace

void add_stress(CLI::App& root, command& run) {
  auto* verb = root.add_subcommand("stress", "offer a gateway too much and judge what it does");
  const auto chosen = std::make_shared<stress_choice>();
  verb->add_option("url", chosen->options.url, "the gateway, such as http://127.0.0.1:8080")
      ->required();
  add_load_options(*verb, *chosen);
  add_caller_options(*verb, *chosen);
  add_verdict_options(*verb, *chosen);
  verb->callback([chosen, verb, &run] {
    // The option's name alone, without a share.
    if (verb->count("--stream") > 0 && chosen->stream.empty()) chosen->stream = "1";
    run = [chosen] { return stress(*chosen); };
  });
}

}  // namespace weir::app
