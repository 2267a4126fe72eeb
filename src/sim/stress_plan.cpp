// Checking the options of a stress run and putting its requests together.
#include <cmath>
#include <fmt/format.h>

#include "config/settings.hpp"
#include "identity/token.hpp"
#include "sim/stress_target.hpp"
#include "wire/http.hpp"
#include "wire/json.hpp"

namespace weir::sim {
namespace {

constexpr double most_per_second = 1e6;  // calls of all users together

// The first option that makes no sense, as a sentence; empty: none.
std::string_view nonsense(const stress_options& o) {
  if (o.users < 1 || o.users > 100'000) return "--users: expected 1 to 100000";
  if (!(o.rate > 0) || o.rate > 10'000)
    return "--rate: expected calls per second of each user, above 0 and at most 10000";
  if (static_cast<double>(o.users) * o.rate > most_per_second)
    return "--users and --rate: expected at most 1000000 calls per second together";
  if (o.duration <= 0us || o.duration > 24h) return "--duration: expected more than 0, at most 24h";
  if (o.ramp < 0us || o.ramp > o.duration)
    return "--ramp: expected at most the duration; users begin one after another within it";
  if (!(o.jitter >= 0 && o.jitter <= 1)) return "--jitter: expected a share from 0 to 1";
  if (!(o.stream >= 0 && o.stream <= 1)) return "--stream: expected a share from 0 to 1";
  if (o.model.empty()) return "--model: expected the name of a model";
  if (o.max_tokens < 1) return "--max-tokens: expected at least 1";
  if (o.prompt_bytes < 1 || o.prompt_bytes > 1024 * 1024)
    return "--prompt-bytes: expected 1 to 1048576";
  if (o.in_flight < 1) return "--in-flight: expected at least 1";
  if (o.timeout <= 0us) return "--timeout: expected more than 0";
  if (o.limit && *o.limit < 0) return "--limit: expected calls a minute, or 0 for no limit";
  if (o.pressure < 0) return "--pressure: expected a number of calls, 0 or more";
  if (!(o.max_variation > 0)) return "--max-variation: expected more than 0, such as 0.5";
  const int ways = !o.secret.empty() + !o.api_key.empty() + !o.tokens.empty();
  if (ways > 1) return "--secret, --tokens and --key: expected one way to say who calls";
  return {};
}

result<std::string> authorization_line(const std::string& credential) {
  if (credential.empty() || !wire::is_header_value(credential) ||
      credential.find_first_of(" \t") != std::string::npos)
    return fail("--key, --tokens: expected credentials without blanks or control characters");
  return "Authorization: Bearer " + credential + "\r\n";
}

result<std::vector<std::string>> authorizations(const stress_options& o, instant now) {
  std::vector<std::string> made;
  if (!o.secret.empty()) {
    config::jwt_settings jwt;
    jwt.secret = o.secret;
    const microseconds valid = o.duration + o.timeout + 1h;
    for (std::int64_t user = 0; user < o.users; ++user) {
      const std::string name = fmt::format("stress-{}", user + 1);
      const auto token = identity::mint_token(jwt, name, o.tier, valid, now);
      if (!token) return fail("--secret, --tier: " + token.error().message);
      made.push_back("Authorization: Bearer " + *token + "\r\n");
    }
    return made;
  }
  std::vector<std::string> given = o.tokens;
  if (!o.api_key.empty()) given.push_back(o.api_key);
  for (const auto& credential : given) {
    const auto line = authorization_line(credential);
    if (!line) return line.error();
    if (made.size() < static_cast<std::size_t>(o.users)) made.push_back(*line);
  }
  if (made.empty()) made.emplace_back();
  return made;
}

// Words, not one long letter: an engine's tokenizer should see something like text.
std::string prompt_of(std::size_t bytes) {
  constexpr std::string_view words = "Tell me what a weir does to a river, and why. ";
  std::string prompt;
  prompt.reserve(bytes + words.size());
  while (prompt.size() < bytes) prompt += words;
  prompt.resize(bytes);
  return prompt;
}

std::string tail_of(const stress_options& o, bool streamed) {
  const std::string_view streaming =
      streamed ? R"(,"stream":true,"stream_options":{"include_usage":true})" : "";
  const std::string body = fmt::format(
      R"({{"model":{},"messages":[{{"role":"user","content":{}}}],"max_tokens":{}{}}})",
      wire::quote(o.model), wire::quote(prompt_of(o.prompt_bytes)), o.max_tokens, streaming);
  return fmt::format("Content-Length: {}\r\n\r\n{}", body.size(), body);
}

}  // namespace

result<stress_plan> make_plan(const stress_options& o, instant now) {
  const auto target = read_target(o.url);
  if (!target) return target.error();
  if (const auto what = nonsense(o); !what.empty()) return fail(std::string{what});
  auto lines = authorizations(o, now);
  if (!lines) return lines.error();
  stress_plan plan;
  plan.target = *target;
  plan.arrivals = {
      static_cast<std::uint32_t>(o.users), o.rate, o.duration, o.ramp, o.jitter, o.seed};
  plan.authorization = std::move(*lines);
  plan.head = fmt::format(
      "POST {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: weir-stress\r\nAccept: */*\r\n"
      "Content-Type: application/json\r\n",
      target->path, target->authority);
  plan.tail = {tail_of(o, false), tail_of(o, true)};
  plan.in_flight = o.in_flight;
  plan.timeout = o.timeout;
  plan.stream = o.stream;
  return plan;
}

}  // namespace weir::sim
