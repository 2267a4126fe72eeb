// Everything but the model endpoints: vLLM's probes, models, tokenize and metrics, and /sim/, by
// which a test sets faults and reads what happened.
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/answer_text.hpp"
#include "sim/exposition.hpp"
#include "sim/handler.hpp"

namespace weir::sim {
namespace {

using nlohmann::json;

constexpr std::uint64_t max_body = 16 * 1024 * 1024;
constexpr microseconds body_timeout{60s};
constexpr std::string_view json_type = "application/json";
constexpr std::string_view metrics_type = "text/plain; version=0.0.4; charset=utf-8";
constexpr std::string_view imitated_version = "0.32.0";

struct reply {
  int status{200};
  std::string_view type{json_type};
  std::string body;
};

reply detail(int status, std::string_view text) {
  return {status, json_type, json{{"detail", text}}.dump()};
}

reply bad(const sim_error& error) { return {error.status, json_type, error_json(error)}; }

reply health(simulator&, std::string_view) { return {200, "text/plain", {}}; }

reply version(simulator&, std::string_view) {
  return {200, json_type, json{{"version", imitated_version}}.dump()};
}

reply load(simulator& sim, std::string_view) {
  return {200, json_type, json{{"server_load", sim.open_calls()}}.dump()};
}

reply models(simulator& sim, std::string_view) {
  const auto created =
      std::chrono::duration_cast<std::chrono::seconds>(sim.created().time_since_epoch()).count();
  auto data = json::array();
  for (const auto& name : sim.options().models) {
    if (name == "*") continue;
    data.push_back({{"id", name},
                    {"object", "model"},
                    {"created", created},
                    {"owned_by", "vllm"},
                    {"root", name},
                    {"parent", nullptr},
                    {"max_model_len", sim.options().engine.max_model_len},
                    {"permission", json::array()}});
  }
  return {200, json_type, json{{"object", "list"}, {"data", std::move(data)}}.dump()};
}

reply tokenize(simulator& sim, std::string_view body) {
  std::string text;
  sim_error error;
  if (!read_tokenize(body, text, error)) return bad(error);
  auto numbers = json::array();
  for (std::string_view rest = text; !rest.empty();) {
    const auto size = first_token_size(rest);
    numbers.push_back(hash(rest.substr(0, size)) % 128'000);
    rest.remove_prefix(size);
  }
  return {200, json_type,
          json{{"count", numbers.size()},
               {"max_model_len", sim.options().engine.max_model_len},
               {"tokens", std::move(numbers)},
               {"token_strs", nullptr}}
              .dump()};
}

reply metrics(simulator& sim, std::string_view) {
  return {200, metrics_type,
          vllm_exposition(sim.model(), sim.options().models.front(), sim.created())};
}

reply gpu_metrics(simulator& sim, std::string_view) {
  return {200, metrics_type, dcgm_exposition(sim.model(), sim.now().mono)};
}

json faults_in_force(simulator& sim) {
  const auto& plan = sim.faults();
  const auto left = plan.left();
  json out{{"faults", plan.text()}, {"left", nullptr}};
  if (left) out["left"] = *left;
  return out;
}

reply stats(simulator& sim, std::string_view) {
  const auto& c = sim.counters();
  return {200, json_type,
          json{{"requests", c.requests},
               {"streams", c.streams},
               {"finished", c.finished},
               {"refused", c.refused},
               {"aborted", c.aborted},
               {"cut", c.cut},
               {"deaf", c.deaf},
               {"prompt_tokens", c.prompt_tokens},
               {"completion_tokens", c.completion_tokens},
               {"open", sim.open_calls()},
               {"running", sim.model().running()},
               {"waiting", sim.model().waiting()},
               {"kv_usage", sim.model().kv_usage()},
               {"log_lines_lost", sim.log().lost()},
               {"faults", faults_in_force(sim)}}
              .dump()};
}

reply reset(simulator& sim, std::string_view) {
  sim.reset();
  return {200, json_type, "{}"};
}

reply show_faults(simulator& sim, std::string_view) {
  json out = faults_in_force(sim);
  out["known"] = json::parse(describe_faults());
  return {200, json_type, out.dump()};
}

reply clear_faults(simulator& sim, std::string_view) {
  sim.faults().clear();
  return {200, json_type, faults_in_force(sim).dump()};
}

reply set_faults(simulator& sim, std::string_view body) {
  const json in = json::parse(body, nullptr, false);
  const bool usable = in.is_object() && in.contains("faults") && in["faults"].is_string();
  const json count = usable ? in.value("count", json{}) : json{};
  const bool countable =
      count.is_null() || (count.is_number_unsigned() && count > 0 && count < 1'000'000'000);
  if (!usable || !countable) {
    return bad({400,
                "BadRequestError",
                R"(expected {"faults": "name[=argument];...", "count": N or null for all})",
                {}});
  }
  const auto& text = in["faults"].get_ref<const std::string&>();
  auto read = read_faults(text);
  if (!read) return bad({400, "BadRequestError", read.error().message, "faults"});
  sim.faults().set(text, std::move(*read),
                   count.is_null() ? std::nullopt : std::optional{count.get<std::int64_t>()});
  return {200, json_type, faults_in_force(sim).dump()};
}

struct route {
  std::string_view method;
  std::string_view path;
  reply (*answer)(simulator&, std::string_view body);
};

constexpr std::array routes{
    route{"GET", "/health", health},
    route{"GET", "/ping", health},
    route{"POST", "/ping", health},
    route{"GET", "/version", version},
    route{"GET", "/load", load},
    route{"GET", "/v1/models", models},
    route{"POST", "/tokenize", tokenize},
    route{"GET", "/metrics", metrics},
    route{"GET", "/gpu/metrics", gpu_metrics},
    route{"GET", "/sim/stats", stats},
    route{"POST", "/sim/reset", reset},
    route{"GET", "/sim/faults", show_faults},
    route{"POST", "/sim/faults", set_faults},
    route{"DELETE", "/sim/faults", clear_faults},
};

bool is_model_path(std::string_view path) {
  return path == "/v1/chat/completions" || path == "/v1/completions" || path == "/v1/embeddings" ||
         path == "/v1/responses";
}

reply dispatch(simulator& sim, std::string_view method, std::string_view path,
               std::string_view body) {
  bool known = is_model_path(path);
  const std::string_view wanted = method == "HEAD" ? "GET" : method;
  for (const auto& one : routes) {
    if (one.path != path) continue;
    if (one.method == wanted) return one.answer(sim, body);
    known = true;
  }
  return known ? detail(405, "Method Not Allowed") : detail(404, "Not Found");
}

}  // namespace

task<> answer_other(net::http_exchange& exchange, simulator& sim) {
  const net::body_result body = co_await exchange.read_body(max_body, body_timeout);
  if (body.status != net::body_status::ok) co_return;
  const reply made = dispatch(sim, exchange.head().method, exchange.head().path, body.bytes);
  net::response_head head{made.status};
  head.add("Server", "weir-sim").add("Content-Type", made.type);
  co_await exchange.send(std::move(head), made.body);
}

}  // namespace weir::sim
