// All metrics of weir, once: name, kind, help, labels, buckets. Below the table the names by which
// the code updates them. gen_ai_* follow OpenTelemetry's GenAI semantic conventions 1.41, written
// the Prometheus way (dots to underscores, unit at the end).
#pragma once

#include <algorithm>
#include <array>

#include "observe/family.hpp"

namespace weir::observe {

namespace buckets {

// Upper bounds in microseconds. An answer takes minutes, so the last bound is far out.
inline constexpr std::array<std::int64_t, 18> duration{
    5'000,      10'000,     25'000,      50'000,      100'000,     250'000,
    500'000,    1'000'000,  2'500'000,   5'000'000,   10'000'000,  20'000'000,
    30'000'000, 60'000'000, 120'000'000, 300'000'000, 600'000'000, 1'200'000'000};
inline constexpr std::array<std::int64_t, 15> first_token{
    5'000,     10'000,    25'000,     50'000,     100'000,    250'000,    500'000,    1'000'000,
    2'500'000, 5'000'000, 10'000'000, 20'000'000, 30'000'000, 60'000'000, 120'000'000};
inline constexpr std::array<std::int64_t, 13> token_gap{
    1'000,   2'500,   5'000,   10'000,    25'000,    50'000,    75'000,
    100'000, 250'000, 500'000, 1'000'000, 2'500'000, 10'000'000};
inline constexpr std::array<std::int64_t, 13> overhead{
    10, 25, 50, 100, 200, 350, 500, 1'000, 2'500, 5'000, 10'000, 25'000, 100'000};
// Tokens of one call.
inline constexpr std::array<std::int64_t, 14> token_count{
    1,      4,      16,      64,        256,       1'024,      4'096,
    16'384, 65'536, 262'144, 1'048'576, 4'194'304, 16'777'216, 67'108'864};
// Thousandths of real by estimated.
inline constexpr std::array<std::int64_t, 12> estimate{250,   500,   750,   900,   950,   1'000,
                                                       1'050, 1'100, 1'250, 1'500, 2'000, 4'000};

}  // namespace buckets

inline constexpr std::array family_table{
    // What OpenTelemetry names. gen_ai_operation_name: chat, text_completion, embeddings.
    family_row{
        "gen_ai_server_request_duration_seconds",
        kind::histogram,
        unit::seconds,
        "Time from a model call's head to the end of its answer.",
        {"gen_ai_operation_name", "gen_ai_request_model", "gen_ai_provider_name", "error_type"},
        buckets::duration},
    family_row{"gen_ai_server_time_to_first_token_seconds",
               kind::histogram,
               unit::seconds,
               "Time from a streamed call's head to its first content.",
               {"gen_ai_operation_name", "gen_ai_request_model", "gen_ai_provider_name"},
               buckets::first_token},
    family_row{"gen_ai_server_time_per_output_token_seconds",
               kind::histogram,
               unit::seconds,
               "Mean time between the tokens of a streamed answer after the first.",
               {"gen_ai_operation_name", "gen_ai_request_model", "gen_ai_provider_name"},
               buckets::token_gap},
    family_row{"gen_ai_client_token_usage",
               kind::histogram,
               unit::one,
               "Tokens of a call; gen_ai_token_type is input or output.",
               {"gen_ai_operation_name", "gen_ai_request_model", "gen_ai_provider_name",
                "gen_ai_token_type"},
               buckets::token_count},

    // Calls and decisions.
    family_row{"weir_requests_total",
               kind::counter,
               unit::one,
               "Calls that ended, by what became of them.",
               {"route", "model", "status", "outcome"}},
    family_row{"weir_refusals_total",
               kind::counter,
               unit::one,
               "Calls that weir refused, by the rule that refused them.",
               {"reason", "rule", "scope"}},
    family_row{"weir_would_refuse_total",
               kind::counter,
               unit::one,
               "Calls let through in observe mode that the rule would have refused.",
               {"rule"}},
    family_row{"weir_tokens_total",
               kind::counter,
               unit::one,
               "Tokens settled; kind is prompt, completion or cached (a part of prompt).",
               {"model", "kind"}},
    family_row{"weir_tokens_source_total",
               kind::counter,
               unit::one,
               "Settled calls by where their token counts came from: usage or estimate.",
               {"source"}},
    family_row{"weir_estimate_error_ratio",
               kind::histogram,
               unit::ratio,
               "Real prompt tokens divided by the estimate; 1 is exact.",
               {"model"},
               buckets::estimate},
    family_row{"weir_overhead_seconds",
               kind::histogram,
               unit::seconds,
               "The part of a call's time that weir itself took.",
               {},
               buckets::overhead},
    family_row{"weir_auth_failures_total",
               kind::counter,
               unit::one,
               "Calls whose credentials were not accepted.",
               {"reason"}},
    family_row{"weir_jwks_fetches_total",
               kind::counter,
               unit::one,
               "Attempts to fetch the signing keys; result is ok or error.",
               {"result"}},

    // Providers.
    family_row{"weir_inflight_requests", kind::gauge, unit::one, "Calls being handled now."},
    family_row{"weir_inflight_upstream",
               kind::gauge,
               unit::one,
               "Calls being answered by a provider now.",
               {"provider"}},
    family_row{"weir_provider_up",
               kind::gauge,
               unit::one,
               "1 while a provider is used, 0 while its failures keep it out.",
               {"provider"},
               {},
               across_threads::least},
    family_row{"weir_provider_draining",
               kind::gauge,
               unit::one,
               "1 while a provider gets no new calls by an operator's wish.",
               {"provider"},
               {},
               across_threads::greatest},
    family_row{"weir_upstream_connections_total",
               kind::counter,
               unit::one,
               "Calls sent to a provider, by whether an open connection was reused: true or false.",
               {"provider", "reused"}},
    family_row{"weir_upstream_errors_total",
               kind::counter,
               unit::one,
               "Attempts that failed at a provider.",
               {"provider", "kind"}},

    // The limit store.
    family_row{"weir_limit_keys", kind::gauge, unit::one, "Limit states held in memory."},
    family_row{"weir_limit_held_reservations", kind::gauge, unit::one,
               "Calls whose reservation is not settled yet."},
    family_row{"weir_limit_held_concurrent", kind::gauge, unit::one,
               "Places taken in limits on concurrent calls."},

    // The process.
    family_row{"weir_connections", kind::gauge, unit::one, "Open connections of callers."},
    family_row{"weir_connections_refused_total",
               kind::counter,
               unit::one,
               "Connections closed before a request was read.",
               {"reason"}},
    family_row{"weir_config_reload_success",
               kind::gauge,
               unit::one,
               "1 if the last attempt to load the configuration succeeded.",
               {},
               {},
               across_threads::least},
    family_row{"weir_config_reloads_total",
               kind::counter,
               unit::one,
               "Attempts to reload the configuration; result is ok or error.",
               {"result"}},
    family_row{"weir_config_info",
               kind::gauge,
               unit::one,
               "1 for the configuration in force.",
               {"version"},
               {},
               across_threads::greatest},
    family_row{"weir_build_info",
               kind::gauge,
               unit::one,
               "1 for the program that runs.",
               {"version"},
               {},
               across_threads::greatest},
    family_row{"weir_log_lines_lost_total", kind::counter, unit::one,
               "Log lines that could not be written."},
    family_row{"weir_coroutines_running", kind::gauge, unit::one, "Spawned coroutines that run."},
    family_row{"weir_coroutines_failed_total", kind::counter, unit::one,
               "Spawned coroutines that ended by an exception, which is a bug."},
    family_row{"weir_process_resident_memory_bytes", kind::gauge, unit::one,
               "Resident memory of the process."},
    family_row{"weir_process_open_fds", kind::gauge, unit::one, "Open file descriptors."},
    family_row{"weir_process_max_fds", kind::gauge, unit::one,
               "File descriptors the process may open."},
    family_row{"weir_process_cpu_seconds_total", kind::counter, unit::seconds,
               "User and system CPU time of the process."},
    family_row{"weir_process_start_time_seconds", kind::gauge, unit::seconds,
               "When the process started, as seconds since 1970."},
};

// The row of a name; a name that is not in the table does not compile.
consteval std::size_t family_index(std::string_view name) {
  const auto* found = std::ranges::find(family_table, name, &family_row::name);
  if (found == family_table.end()) throw "no family of this name in family_table";
  return static_cast<std::size_t>(found - family_table.begin());
}

template <std::size_t Row>
inline constexpr family_handle<family_table[Row].type, family_table[Row].measured,
                               family_table[Row].label_count()>
    handle_of{Row};

// Labels in the order of the row.
namespace family {

inline constexpr auto request_duration =
    handle_of<family_index("gen_ai_server_request_duration_seconds")>;
inline constexpr auto ttft = handle_of<family_index("gen_ai_server_time_to_first_token_seconds")>;
inline constexpr auto time_per_output_token =
    handle_of<family_index("gen_ai_server_time_per_output_token_seconds")>;
inline constexpr auto token_usage = handle_of<family_index("gen_ai_client_token_usage")>;

inline constexpr auto requests = handle_of<family_index("weir_requests_total")>;
inline constexpr auto refusals = handle_of<family_index("weir_refusals_total")>;
inline constexpr auto would_refuse = handle_of<family_index("weir_would_refuse_total")>;
inline constexpr auto tokens = handle_of<family_index("weir_tokens_total")>;
inline constexpr auto tokens_source = handle_of<family_index("weir_tokens_source_total")>;
inline constexpr auto estimate_error = handle_of<family_index("weir_estimate_error_ratio")>;
inline constexpr auto overhead = handle_of<family_index("weir_overhead_seconds")>;
inline constexpr auto auth_failures = handle_of<family_index("weir_auth_failures_total")>;
inline constexpr auto jwks_fetches = handle_of<family_index("weir_jwks_fetches_total")>;

inline constexpr auto inflight = handle_of<family_index("weir_inflight_requests")>;
inline constexpr auto inflight_upstream = handle_of<family_index("weir_inflight_upstream")>;
inline constexpr auto provider_up = handle_of<family_index("weir_provider_up")>;
inline constexpr auto provider_draining = handle_of<family_index("weir_provider_draining")>;
inline constexpr auto upstream_connections =
    handle_of<family_index("weir_upstream_connections_total")>;
inline constexpr auto upstream_errors = handle_of<family_index("weir_upstream_errors_total")>;

inline constexpr auto limit_keys = handle_of<family_index("weir_limit_keys")>;
inline constexpr auto held_reservations = handle_of<family_index("weir_limit_held_reservations")>;
inline constexpr auto held_concurrent = handle_of<family_index("weir_limit_held_concurrent")>;

inline constexpr auto connections = handle_of<family_index("weir_connections")>;
inline constexpr auto connections_refused =
    handle_of<family_index("weir_connections_refused_total")>;
inline constexpr auto config_reload_success = handle_of<family_index("weir_config_reload_success")>;
inline constexpr auto config_reloads = handle_of<family_index("weir_config_reloads_total")>;
inline constexpr auto config_info = handle_of<family_index("weir_config_info")>;
inline constexpr auto build_info = handle_of<family_index("weir_build_info")>;
inline constexpr auto log_lines_lost = handle_of<family_index("weir_log_lines_lost_total")>;
inline constexpr auto coroutines_running = handle_of<family_index("weir_coroutines_running")>;
inline constexpr auto coroutines_failed = handle_of<family_index("weir_coroutines_failed_total")>;
inline constexpr auto resident_memory =
    handle_of<family_index("weir_process_resident_memory_bytes")>;
inline constexpr auto open_fds = handle_of<family_index("weir_process_open_fds")>;
inline constexpr auto max_fds = handle_of<family_index("weir_process_max_fds")>;
inline constexpr auto cpu_seconds = handle_of<family_index("weir_process_cpu_seconds_total")>;
inline constexpr auto start_time = handle_of<family_index("weir_process_start_time_seconds")>;

}  // namespace family
}  // namespace weir::observe
