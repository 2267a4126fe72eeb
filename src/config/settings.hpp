// The configuration as plain values, checked and complete: what the loader returns and everything
// else reads. One immutable settings object is shared by all threads; a reload makes a new one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "policy/limit.hpp"

namespace weir::config {

struct address {
  std::string host;       // name or literal; empty: all interfaces
  std::uint16_t port{0};  // 0: chosen by the system
};

// A provider's or backend's base URL, taken apart. No query, fragment or userinfo.
struct url {
  bool tls{false};  // https
  std::string host;
  std::uint16_t port{80};
  std::string path;  // "" or "/prefix", never a trailing slash; a trailing "/v1" of a model
                     // provider is removed
};

// A file of PEM certificates and its key; both empty where TLS is off.
struct tls_files {
  std::string cert;
  std::string key;
};

// CORS is off while `origins` is empty.
struct cors_settings {
  std::vector<std::string> origins;  // exact origins, as browsers send them
};

struct server_settings {
  address listen{"0.0.0.0", 8080};
  tls_files tls;
  std::int64_t max_body{20 * 1024 * 1024};   // bytes of one request body
  std::int32_t max_header{64 * 1024};        // bytes of one head
  std::int32_t max_depth{128};               // nesting of JSON
  std::vector<std::string> trusted_proxies;  // CIDR networks whose X-Forwarded-For counts
  microseconds header_timeout{10s};          // from the first byte to the end of the head
  microseconds body_timeout{30s};            // for a whole request body
  microseconds idle_timeout{75s};            // a kept-alive connection between requests
  microseconds write_timeout{30s};           // a caller that takes nothing for so long is dropped
  microseconds drain_timeout{30s};           // after SIGTERM, how long running answers may go on
  microseconds heartbeat{0};                 // comment lines in a silent stream; 0: none
  std::int32_t threads{0};                   // workers; 0: one per core
  std::int32_t max_connections_per_address{0};  // 0: no cap
  cors_settings cors;
};

struct admin_settings {
  address listen{"127.0.0.1", 8081};
  std::string token;  // empty: made at the start and kept in data_dir
};

struct jwt_settings {
  bool enabled{false};                  // a jwt section with a key source stood in the file
  std::vector<std::string> algorithms;  // HS/RS/PS/ES 256, 384, 512
  std::string secret;                   // for HS*
  std::string public_key;               // PEM file, for RS*, PS*, ES*
  std::string jwks;                     // file or http(s) URL
  std::string issuer;                   // required value of iss; empty: not checked
  std::string audience;                 // required member of aud; empty: not checked
  std::string user_claim{"sub"};
  std::string tier_claim{"tier"};
  microseconds leeway{0};          // clock skew allowed for exp and nbf
  microseconds jwks_max_age{24h};  // how long known keys serve while the JWKS cannot be fetched
};

struct identity_settings {
  jwt_settings jwt;
  std::string api_keys_file;  // empty: no API keys
  bool anonymous{true};       // false: a call without credentials is 401
  std::string anonymous_tier{"FREE"};
  std::string default_tier{"FREE"};
};

// Which calls share a limit: the values of these, together, are its subject.
struct limit_scope {
  bool user{false}, tier{false}, api_key{false}, address{false}, session{false};
  bool endpoint{false}, model{false}, provider{false};
};

// One limit as configured. `where` names it in refusals, e.g. "tiers.FREE.limits[0]".
struct limit_settings {
  std::string text;  // as written, e.g. "10 requests/min"
  std::string where;
  policy::limit_rule rule;
  limit_scope per;
  bool observe{false};  // count and report, refuse nothing
};

struct tier_settings {
  std::string name;  // upper case
  std::vector<limit_settings> limits;
};

struct team_settings {
  std::string name;
  std::vector<std::string> users;
  std::vector<limit_settings> limits;
};

struct session_settings {
  std::string header{"X-Session-Id"};
  std::vector<limit_settings> limits;
};

enum class api : std::uint8_t {
  openai,  // /v1/*
  plain,   // /api/v1/ai/*
  http,    // any other backend
};

struct route_settings {
  std::string prefix;  // "/v1/"; longest prefix wins
  config::api dialect{api::openai};
  std::optional<url> to;               // api: http only
  bool passthrough{false};             // openai: other paths are relayed at a fixed cost per call
  std::int64_t passthrough_tokens{0};  // tokens charged for each such call
  std::vector<limit_settings> limits;
};

enum class engine : std::uint8_t {
  vllm,
  ollama,
  llamacpp,
  openai
};

struct provider_settings {
  std::string name;
  config::url url;
  config::engine engine{engine::openai};
  bool cloud{false};  // leaves the house: not used by a plain target list
  std::string key;    // sent as a bearer token; never logged
  std::string ca;     // PEM file of extra trust roots for https
  bool tls_verify{true};
  std::int32_t max_connections{0};  // per worker; 0: no cap
  std::string health_path;          // probed while the provider is ejected; empty: connect only
  microseconds health_every{2s};
};

struct target_settings {
  std::string provider;
  std::string model;  // the name the provider knows; empty: the same
};

struct model_settings {
  std::string name;  // "*" is the rule for all others
  std::vector<std::string> aliases;
  std::vector<limit_settings> limits;
  std::vector<target_settings> targets;  // balanced by what they have in flight
  std::int64_t max_tokens{4096};         // ceiling of the answer where the caller names none
  std::int64_t context{0};               // tokens of prompt and answer together; 0: unknown
};

struct timeout_settings {
  microseconds connect{2s};
  microseconds first_token{30s};
  microseconds token_gap{15s};
  microseconds total{10min};
};

enum class log_level : std::uint8_t {
  debug,
  info,
  warn,
  error,
  off
};

struct log_settings {
  log_level level{log_level::info};
  bool json{true};
};

struct estimate_settings {
  std::int64_t media_tokens{1100};  // flat amount per picture, sound or file in a prompt
};

struct settings {
  std::string source;   // file name, or "(defaults)"
  std::string version;  // hash of the text, to tell two configurations apart
  server_settings server;
  admin_settings admin;
  std::string data_dir{"./weir-data"};
  identity_settings identity;
  std::map<std::string, tier_settings, std::less<>> tiers;
  std::vector<team_settings> teams;
  session_settings sessions;
  std::vector<route_settings> routes;  // sorted by length of prefix, longest first
  std::map<std::string, provider_settings, std::less<>> providers;
  std::map<std::string, model_settings, std::less<>> models;
  timeout_settings timeouts;
  log_settings log;
  estimate_settings estimate;
};

}  // namespace weir::config
