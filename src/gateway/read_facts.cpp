// Step 2: what is asked for. The body is read within its limits and looked through once; the model
// found here is the one that is limited, routed and served.
#include "gateway/pipeline.hpp"
#include "gateway/query.hpp"
#include "gateway/worker.hpp"
#include "wire/plain.hpp"

namespace weir::gateway {
namespace {

constexpr std::int64_t completions_default =
    16;  // max_tokens of /v1/completions where none is given (OpenAI's API)
constexpr std::int64_t most_tokens = std::int64_t{1} << 49;

bool refuse_read(exchange& x, net::body_status why) {
  switch (why) {
    case net::body_status::ok:
      return true;
    case net::body_status::too_large:
      refuse_simple(x, 413, "body_too_large",
                    "the body is larger than " +
                        std::to_string(x.plan->settings().server.max_body) +
                        " bytes (server.max_body)");
      break;
    case net::body_status::timeout:
      refuse_simple(x, 408, "body_timeout",
                    "the body did not arrive in time (server.body_timeout)");
      break;
    case net::body_status::bad:
      refuse_simple(x, 400, "bad_request", "the body's chunked framing is broken");
      break;
    case net::body_status::gone:
      x.how = outcome::client_gone;
      break;
  }
  return false;
}

bool needs_body(operation op) { return op != operation::models && op != operation::model; }

// The plain dialect becomes a chat body first.
bool convert(exchange& x) {
  if (!x.plain()) return true;
  wire::body_error error;
  const std::string model = query_value(x.http.head().query, "model");
  if (!wire::plain_to_chat(x.open->body, model, x.plan->settings().server.max_depth,
                           x.open->converted, error)) {
    refuse_body(x, error);
    return false;
  }
  x.open->body = x.open->converted;
  return true;
}

bool find_model(exchange& x) {
  x.asked_model = x.open->facts.model;
  x.model = x.plan->model(x.asked_model);
  if (x.model == nullptr) {
    refuse_simple(x, 404, "model_not_found",
                  "no model of this name is served here; GET /v1/models lists them");
    x.refused->param = "model";
    return false;
  }
  if (x.who.may_use(x.asked_model) || x.who.may_use(x.model->label)) return true;
  refuse_simple(x, 403, "model_not_allowed", "this API key may not use this model");
  x.refused->param = "model";
  return false;
}

std::int64_t times(std::int64_t a, std::int64_t b) {
  return a > most_tokens / b ? most_tokens : a * b;
}

// The most one answer may be: what the caller says, else the model's ceiling, which then goes into
// the request.
std::int64_t answer_bound(const exchange& x) {
  const auto& facts = x.open->facts;
  if (x.op == operation::embeddings) return 0;
  if (facts.max_tokens) return *facts.max_tokens;
  const auto& model = *x.model->settings;
  if (x.op == operation::completions) return std::min(completions_default, model.max_tokens);
  if (model.context <= 0) return model.max_tokens;
  return std::max<std::int64_t>(
      1, std::min(model.max_tokens, model.context - x.estimated_prompt.count));
}

void estimate(exchange& x) {
  const auto& facts = x.open->facts;
  x.prompt = {facts.prompt_bytes, facts.messages,
              facts.media * x.plan->settings().estimate.media_tokens};
  x.estimated_prompt = x.model->estimate->load().prompt(x.prompt) + tokens{facts.prompt_tokens};
  x.reserved = x.estimated_prompt + tokens{times(answer_bound(x), facts.answers)};
}

bool read_model_call(exchange& x) {
  auto& open = *x.open;
  if (!convert(x)) return false;
  wire::body_error error;
  if (!wire::read_request(open.body, x.endpoint(), x.plan->settings().server.max_depth, open.facts,
                          error)) {
    refuse_body(x, error);
    return false;
  }
  x.stream = open.facts.stream;
  if (!find_model(x)) return false;
  if (x.model->targets.empty()) {
    refuse_simple(x, 503, "no_target", "this model has no engine configured");
    return false;
  }
  estimate(x);
  const bool counts_by_chunk = x.op == operation::chat || x.op == operation::completions;
  x.strip_usage = x.stream && counts_by_chunk && !open.facts.include_usage;
  return true;
}

}  // namespace

task<bool> read_facts(exchange& x) {
  const auto& server = x.plan->settings().server;
  if (!needs_body(x.op)) co_return true;
  const auto body =
      co_await x.http.read_body(static_cast<std::uint64_t>(server.max_body), server.body_timeout);
  if (!refuse_read(x, body.status)) co_return false;
  x.open->body = body.bytes;
  x.body_bytes = static_cast<std::int64_t>(body.bytes.size());
  if (x.op == operation::backend) co_return true;
  if (x.op == operation::passthrough) {
    x.reserved = tokens{x.route->settings->passthrough_tokens};
    x.model = x.plan->model("");
    if (x.model != nullptr && !x.model->targets.empty()) co_return true;
    refuse_simple(x, 404, "unknown_path",
                  "this path is passed through only where the model \"*\" has a target");
    co_return false;
  }
  co_return read_model_call(x);
}

// The body as it goes to the target that was chosen.
void prepare_body(exchange& x) {
  auto& open = *x.open;
  open.rewritten.reset();
  if (x.op == operation::backend || x.op == operation::passthrough) return;
  wire::rewrite_wish wish;
  if (!x.target->model.empty())
    wish.model = x.target->model;
  else if (x.model->label != "*")
    wish.model = x.model->label;
  if (x.op != operation::embeddings) wish.max_tokens = answer_bound(x);
  wish.ask_for_usage = x.strip_usage;
  open.rewritten.emplace(open.body, x.endpoint(), open.facts, wish);
}

}  // namespace weir::gateway
