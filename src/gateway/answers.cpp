// Answers without an engine.
#include "gateway/answers.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gateway/cors.hpp"
#include "gateway/pipeline.hpp"
#include "gateway/query.hpp"
#include "gateway/relay.hpp"
#include "gateway/worker.hpp"

namespace weir::gateway {
namespace {

using nlohmann::ordered_json;

ordered_json model_object(std::string_view name, const book_model& model) {
  const auto owner =
      model.targets.empty() ? std::string{"weir"} : model.targets.front().provider->settings->name;
  return {{"id", name}, {"object", "model"}, {"created", 0}, {"owned_by", owner}};
}

bool may_see(const exchange& x, std::string_view name, const book_model& model) {
  return x.who.may_use(name) || x.who.may_use(model.label);
}

ordered_json list_models(const exchange& x) {
  ordered_json data = ordered_json::array();
  for (const auto& model : x.plan->models()) {
    if (model->label == "*") continue;
    if (may_see(x, model->label, *model)) data.push_back(model_object(model->label, *model));
    for (const auto& alias : model->settings->aliases) {
      if (may_see(x, alias, *model)) data.push_back(model_object(alias, *model));
    }
  }
  return {{"object", "list"}, {"data", std::move(data)}};
}

std::string asked_id(const exchange& x) {
  std::string_view rest = std::string_view{x.path}.substr(x.route->settings->prefix.size());
  rest.remove_prefix(std::string_view{"models/"}.size());
  return percent_decode(rest);
}

task<> send_json(exchange& x, const ordered_json& body) {
  net::response_head head = answer_head(x, 200);
  head.add("Content-Type", "application/json");
  const std::string text = body.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  co_await x.http.send(std::move(head), text);
  x.how = outcome::success;
}

}  // namespace

bool is_preflight(const exchange& x) { return is_preflight(x.http.head()); }

task<> answer_preflight(exchange& x) {
  net::response_head head = preflight_answer(x.http.head(), x.plan->settings().server.cors);
  x.status = head.status();
  x.how = outcome::success;
  const std::string_view nothing;
  co_await x.http.send(std::move(head), nothing);
}

bool answers_itself(const exchange& x) {
  return x.op == operation::models || x.op == operation::model;
}

task<> answer_itself(exchange& x) {
  if (x.op == operation::models) {
    const ordered_json body = list_models(x);
    co_await send_json(x, body);
    co_return;
  }
  const std::string id = asked_id(x);
  const book_model* found = x.plan->model(id);
  if (found == nullptr || found->label == "*" || !may_see(x, id, *found)) {
    refuse_simple(x, 404, "model_not_found",
                  "no model of this name is served here; GET /v1/models lists them");
    co_await answer_refusal(x);
    co_return;
  }
  const ordered_json body = model_object(id, *found);
  co_await send_json(x, body);
}

}  // namespace weir::gateway
