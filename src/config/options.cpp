// The rows of `timeouts`, `log` and `estimate`, the names that this version knows but does not
// have, and the whole table.
#include "config/options.hpp"

#include "config/option_rows.hpp"

namespace weir::config {

namespace {

constexpr std::int64_t ms = 1000;
constexpr std::int64_t hour = 3'600'000'000;

template <auto Member>
constexpr auto of_timeouts = &field<&settings::timeouts, Member>;

void add_timeouts(std::vector<option>& rows) {
  rows.push_back({.path = "timeouts", .sentence = "How long weir waits for providers."});
  rows.push_back({.path = "timeouts.connect",
                  .type = kind::duration,
                  .assign = of_timeouts<&timeout_settings::connect>,
                  .fallback = "2s",
                  .least = 10 * ms,
                  .most = hour,
                  .sentence = "For a connection, TLS included."});
  rows.push_back({.path = "timeouts.first_token",
                  .type = kind::duration,
                  .assign = of_timeouts<&timeout_settings::first_token>,
                  .fallback = "30s",
                  .least = 10 * ms,
                  .most = 24 * hour,
                  .sentence = "From the request to the first token of a stream."});
  rows.push_back({.path = "timeouts.token_gap",
                  .type = kind::duration,
                  .assign = of_timeouts<&timeout_settings::token_gap>,
                  .fallback = "15s",
                  .least = 10 * ms,
                  .most = 24 * hour,
                  .sentence = "Between two events of a stream."});
  rows.push_back({.path = "timeouts.total",
                  .type = kind::duration,
                  .assign = of_timeouts<&timeout_settings::total>,
                  .fallback = "10m",
                  .least = 10 * ms,
                  .most = 24 * hour,
                  .sentence = "For a whole call; the others cannot be longer."});
}

}  // namespace

void add_running_options(std::vector<option>& rows) {
  add_timeouts(rows);
  rows.push_back({.path = "log", .sentence = "What weir writes to its standard error."});
  rows.push_back({.path = "log.level",
                  .type = kind::choice,
                  .assign = &field<&settings::log, &log_settings::level>,
                  .fallback = "info",
                  .choices = "debug info warn error off",
                  .sentence = "The least important record that is written."});
  rows.push_back({.path = "log.format",
                  .type = kind::choice,
                  .assign = &field<&settings::log, &log_settings::json>,
                  .fallback = "json",
                  .choices = "text json",
                  .sentence = "One JSON object per line, or text for people."});
  rows.push_back({.path = "estimate", .sentence = "How tokens are guessed before a call."});
  rows.push_back({.path = "estimate.media_tokens",
                  .type = kind::integer,
                  .assign = &field<&settings::estimate, &estimate_settings::media_tokens>,
                  .fallback = "1100",
                  .most = 1'000'000,
                  .sentence = "Tokens counted for each picture, sound or file in a prompt."});
}

void add_unbuilt_options(std::vector<option>& rows) {
  const auto later = [&](std::string_view path, std::string_view sentence) {
    rows.push_back({.path = path, .built = false, .sentence = sentence});
  };
  later("store.redis", "State shared by several weir processes.");
  later("store.when_unreachable", "What holds while the shared store cannot be reached.");
  later("store.namespace", "The hash tag of a deployment's keys.");
  later("tiers.*.cap", "A cap on what each user of the tier may spend in a period.");
  later("teams.*.cap", "A cap on what the team may spend in a period.");
  later("teams.*.reset", "When a team's period begins.");
  later("teams.*.steps", "What happens as a team nears its cap.");
  later("sessions.cap", "A cap on what a session may spend.");
  later("sessions.wall", "The longest a session may run.");
  later("sessions.repeats", "How often a session may repeat the same call.");
  later("routes.*.priority_header", "The header that chooses between interactive and batch.");
  later("providers.*.signals", "Readings of the hardware and the engine that hold calls back.");
  later("providers.*.breaker", "The provider's own circuit breaker settings.");
  later("models.*.fallback", "Where calls go when the targets fail.");
  later("models.*.objectives", "Targets for latency that are guaranteed by admitting less.");
  later("models.*.breaker", "The model's own circuit breaker settings.");
  later("models.*.cap", "A cap on what the model may cost in a period.");
  later("pricing", "What tokens cost.");
  later("breaker", "Circuit breakers.");
  later("retry", "Trying again after transient errors.");
  later("admission", "Adaptive concurrency.");
  later("queue", "The wait line and the batch queue.");
  later("kill_switch", "The switch to a cloud provider.");
  later("mcp", "The proxy for MCP servers.");
}

std::vector<option> all_options() {
  std::vector<option> rows;
  add_server_options(rows);
  add_identity_options(rows);
  add_share_options(rows);
  add_traffic_options(rows);
  add_running_options(rows);
  add_unbuilt_options(rows);
  return rows;
}

}  // namespace weir::config
