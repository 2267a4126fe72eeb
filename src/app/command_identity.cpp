// weir key and weir token.
#include <cstdio>
#include <fmt/format.h>
#include <memory>

#include "app/commands.hpp"
#include "app/loaded_settings.hpp"
#include "config/values.hpp"
#include "identity/key_file.hpp"
#include "identity/token.hpp"
#include "net/system_clock.hpp"

namespace weir::app {
namespace {

int complain(const error& what) {
  fmt::print(stderr, "weir: {}\n", what.message);
  return 1;
}

// The key file of a configuration, or the one named outright.
std::string key_file(const std::string& config, const std::string& file) {
  if (!file.empty()) return file;
  const auto settings = settings_or_complain(config);
  if (!settings) return {};
  const auto& named = settings->identity.api_keys_file;
  if (named.empty())
    fmt::print(stderr, "weir: identity.api_keys names no file; name one with --file\n");
  return named;
}

int list_keys(const std::string& path) {
  const auto keys = identity::load_keys(path);
  if (!keys) return complain(keys.error());
  for (const auto& key : keys->keys()) {
    fmt::print("{}\tuser {}\ttier {}\tteam {}\t{} models\t{}\n", key.id, key.user,
               key.tier.empty() ? "-" : key.tier, key.team.empty() ? "-" : key.team,
               key.models.empty() ? "all" : std::to_string(key.models.size()),
               key.expires ? "expires" : "does not expire");
  }
  return 0;
}

struct key_choice {
  std::string config;
  std::string file;
  std::string id;
  std::string expires;
  identity::new_key wanted;
};

int create(key_choice& chosen) {
  const std::string path = key_file(chosen.config, chosen.file);
  if (path.empty()) return 1;
  if (!chosen.expires.empty()) {
    const auto parsed = config::parse_duration(chosen.expires);
    if (!parsed) return complain(parsed.error());
    chosen.wanted.expires_in = *parsed;
  }
  const auto made = identity::create_key(path, chosen.wanted, net::system_clock{}.now().wall);
  if (!made) return complain(made.error());
  fmt::print("{}\n", made->secret);
  fmt::print(
      stderr,
      "key {} is in {}; the secret is shown this once. A running weir takes it over on SIGHUP.\n",
      made->id, path);
  return 0;
}

int revoke(const key_choice& chosen) {
  const std::string path = key_file(chosen.config, chosen.file);
  if (path.empty()) return 1;
  if (const auto done = identity::revoke_key(path, chosen.id); !done) return complain(done.error());
  fmt::print(stderr, "key {} is revoked; a running weir refuses it after SIGHUP\n", chosen.id);
  return 0;
}

}  // namespace

void add_key(CLI::App& root, command& run) {
  auto* verb = root.add_subcommand("key", "API keys: create, list, revoke");
  verb->require_subcommand(1);
  const auto chosen = std::make_shared<key_choice>();
  verb->add_option("-c,--config", chosen->config,
                   "configuration whose identity.api_keys names the file");
  verb->add_option("--file", chosen->file, "the key file itself");
  auto* made = verb->add_subcommand("create", "make a key; its secret is printed once");
  made->fallthrough();
  made->add_option("--user", chosen->wanted.user, "whose key it is")->required();
  made->add_option("--tier", chosen->wanted.tier,
                   "the user's tier; the default tier where left out");
  made->add_option("--team", chosen->wanted.team, "the user's team");
  made->add_option("--id", chosen->wanted.id, "name of the key in logs; made up where left out");
  made->add_option("--model", chosen->wanted.models, "a model it may use; all where left out");
  made->add_option("--limit", chosen->wanted.limits,
                   "a limit of its own, such as '10 requests/min'");
  made->add_option("--expires", chosen->expires, "how long it is good for, such as 720h");
  made->callback([chosen, &run] { run = [chosen] { return create(*chosen); }; });
  auto* listed = verb->add_subcommand("list", "the keys, without their secrets");
  listed->fallthrough();
  listed->callback([chosen, &run] {
    run = [chosen] {
      const std::string path = key_file(chosen->config, chosen->file);
      return path.empty() ? 1 : list_keys(path);
    };
  });
  auto* revoked = verb->add_subcommand("revoke", "end a key");
  revoked->fallthrough();
  revoked->add_option("id", chosen->id, "the key's id")->required();
  revoked->callback([chosen, &run] { run = [chosen] { return revoke(*chosen); }; });
}

void add_token(CLI::App& root, command& run) {
  auto* verb =
      root.add_subcommand("token", "make a signed token for a user, for tests and scripts");
  struct choice {
    std::string config, user, tier, secret, expires{"1h"};
  };
  const auto chosen = std::make_shared<choice>();
  verb->add_option("-c,--config", chosen->config, "configuration with the jwt section to sign by");
  verb->add_option("--user", chosen->user, "the token's user")->required();
  verb->add_option("--tier", chosen->tier, "the token's tier");
  verb->add_option("--secret", chosen->secret, "HS256 secret; instead of a configuration")
      ->envname("WEIR_JWT_SECRET");
  verb->add_option("--expires", chosen->expires, "how long it is good for")->capture_default_str();
  verb->callback([chosen, &run] {
    run = [chosen] {
      config::jwt_settings jwt;
      if (!chosen->config.empty()) {
        const auto settings = settings_or_complain(chosen->config);
        if (!settings) return 1;
        jwt = settings->identity.jwt;
      }
      if (!chosen->secret.empty()) jwt.secret = chosen->secret;
      const auto lasting = config::parse_duration(chosen->expires);
      if (!lasting) return complain(lasting.error());
      const auto made = identity::mint_token(jwt, chosen->user, chosen->tier, *lasting,
                                             net::system_clock{}.now());
      if (!made) return complain(made.error());
      fmt::print("{}\n", *made);
      return 0;
    };
  });
}

}  // namespace weir::app
