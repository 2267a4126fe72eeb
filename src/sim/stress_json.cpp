// The report as JSON.
#include <nlohmann/json.hpp>

#include "sim/stress_report.hpp"
#include "sim/stress_words.hpp"

namespace weir::sim {
namespace {

using json = nlohmann::ordered_json;

double ms(microseconds t) { return static_cast<double>(t.count()) / 1e3; }

json times(const duration_histogram& of) {
  json out{{"count", of.count()}};
  if (of.count() == 0) return out;
  for (const auto& one : shown_percentiles) out[one.name] = ms(of.percentile(one.percent));
  out["max"] = ms(of.max());
  return out;
}

json retry_after(const retry_after_tally& seen) {
  json out{{"good", seen.good}, {"missing", seen.absent}, {"bad", seen.bad}};
  out["min_s"] = seen.good > 0 ? json(seen.min_s) : json(nullptr);
  out["max_s"] = seen.good > 0 ? json(seen.max_s) : json(nullptr);
  return out;
}

json asked_of(const stress_options& o) {
  return {{"url", o.url},          {"users", o.users},
          {"rate", o.rate},        {"duration_ms", ms(o.duration)},
          {"ramp_ms", ms(o.ramp)}, {"model", o.model},
          {"stream", o.stream},    {"max_tokens", o.max_tokens},
          {"seed", o.seed}};
}

json statuses_of(const stress_tally& t) {
  json out = json::object();
  for (const int always : {200, 429, 503}) out[std::to_string(always)] = t.with_status(always);
  for (const auto& [status, count] : t.statuses) out[std::to_string(status)] = count;
  return out;
}

json shares_of(const stress_tally& t) {
  const auto share = [&t](std::int64_t count) {
    return t.sent == 0 ? 0.0 : static_cast<double>(count) / static_cast<double>(t.sent);
  };
  const auto ok = t.with_status(200), limited = t.with_status(429), shed = t.with_status(503);
  const auto lost = t.transport_errors();
  return {{"200", share(ok)},
          {"429", share(limited)},
          {"503", share(shed)},
          {"other", share(t.sent - ok - limited - shed - lost)},
          {"transport_errors", share(lost)}};
}

json transport_of(const stress_tally& t) {
  json out = json::object();
  for (std::size_t i = 1; i < t.ends.size(); ++i)
    if (const auto end = static_cast<call_end>(i); end != call_end::abandoned)
      out[std::string{name_of(end)}] = t.ends[i];
  return out;
}

json faults_of(const stress_tally& t) {
  json out = json::object();
  for (std::size_t i = 1; i < t.faults.size(); ++i)
    out[std::string{name_of(static_cast<answer_fault>(i))}] = t.faults[i];
  return out;
}

json steady_of(const stress_report& r) {
  json per_second = json::array();
  for (const auto& second : r.tally.seconds) per_second.push_back(second.ok);
  return {{"from_s", r.steady.from_s},
          {"to_s", r.steady.to_s},
          {"admitted", r.steady.ok},
          {"variation_per_second", r.steady.per_second_cv},
          {"window_s", r.steady.window_s},
          {"windows", r.steady.windows},
          {"variation_per_window", r.steady.window_cv},
          {"admitted_per_second", std::move(per_second)}};
}

json checks_of(const stress_report& r) {
  json out = json::array();
  for (const auto& one : r.checks) {
    const char* state = one.state == check_state::pass   ? "pass"
                        : one.state == check_state::fail ? "fail"
                                                         : "not_judged";
    out.push_back({{"name", one.name}, {"state", state}, {"reason", one.reason}});
  }
  return out;
}

}  // namespace

std::string to_json(const stress_report& r) {
  const stress_tally& t = r.tally;
  json out{{"verdict", passed(r.checks) ? "pass" : "fail"},
           {"checks", checks_of(r)},
           {"asked", asked_of(r.asked)},
           {"elapsed_ms", ms(r.elapsed)},
           {"sent_for_ms", ms(r.sent_for)},
           {"ended_early", r.ended_early},
           {"sent", t.sent},
           {"not_sent", t.unsent},
           {"abandoned", t.ends[static_cast<std::size_t>(call_end::abandoned)]},
           {"statuses", statuses_of(t)},
           {"shares", shares_of(t)},
           {"transport_errors", transport_of(t)},
           {"answer_faults", faults_of(t)},
           {"streams", t.streams},
           {"tokens_received", t.tokens},
           {"answers_without_usage", t.without_usage}};
  out["percentile_error"] = duration_histogram::max_relative_error;
  out["ttft_ms"] = times(t.first_token);
  out["latency_ms"] = times(t.latency);
  out["refusal_ms"] = times(t.refusal);
  out["sent_late_ms"] = times(t.send_lag);
  out["steady"] = steady_of(r);
  out["retry_after"] = {{"429", retry_after(t.retry_429)}, {"503", retry_after(t.retry_503)}};
  out["calm_503"] = t.calm_503;
  return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace weir::sim
