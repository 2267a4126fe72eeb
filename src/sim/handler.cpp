// A call to one of the model endpoints, from its body to the kind of answer it gets.
#include "sim/handler.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "sim/answer_text.hpp"
#include "sim/fault_body.hpp"
#include "sim/sender.hpp"

namespace weir::sim {
namespace {

constexpr std::uint64_t max_body = 64 * 1024 * 1024;
constexpr microseconds body_timeout{60s};
constexpr std::string_view json_type = "application/json";
constexpr std::string_view no_body;

struct endpoint_path {
  std::string_view path;
  sim_api api;
};

constexpr std::array endpoint_paths{
    endpoint_path{"/v1/chat/completions", sim_api::chat},
    endpoint_path{"/v1/completions", sim_api::completions},
    endpoint_path{"/v1/embeddings", sim_api::embeddings},
    endpoint_path{"/v1/responses", sim_api::responses},
};

// An id that may be given back in a header, a body and the log as it is.
bool is_plain_id(std::string_view id) {
  return !id.empty() && id.size() <= 128 && std::ranges::all_of(id, [](char c) {
    return c > ' ' && c < 0x7F && c != '"' && c != '\\';
  });
}

sim_error error_of(admission why, const simulator& sim, const ask& asked) {
  if (why == admission::too_long) {
    const auto longest = *std::ranges::max_element(asked.prompts);
    return {400, "BadRequestError",
            fmt::format("This model's maximum context length is {} tokens. However, you requested "
                        "{} tokens ({} in the prompt, {} for the completion).",
                        sim.options().engine.max_model_len, longest + asked.max_tokens.value_or(1),
                        longest, asked.max_tokens.value_or(1)),
            "max_tokens"};
  }
  return {503,
          "ServiceUnavailableError",
          fmt::format(
              "The engine's queue is full (by {}); try again later.",
              why == admission::queue_full_reqs ? "max_num_queued_reqs" : "max_num_queued_tokens"),
          {}};
}

std::string with_status(std::string_view text, std::int64_t status) {
  constexpr std::string_view mark = "STATUS";
  std::string out{text};
  const auto at = out.find(mark);
  if (at != std::string::npos) out.replace(at, mark.size(), std::to_string(status));
  return out;
}

}  // namespace

sim_handler::sim_handler(simulator& sim) : sim_{sim} {
  if (sim.options().fast) fast_.emplace(sim.options());
}

task<> sim_handler::handle(net::http_exchange& exchange) {
  const auto& head = exchange.head();
  const auto* found = std::ranges::find(endpoint_paths, head.path, &endpoint_path::path);
  if (head.method != "POST" || found == endpoint_paths.end()) return answer_other(exchange, sim_);
  const bool faulty = sim_.faults().active() || !head.get("x-sim-fault").empty();
  if (fast_ && !faulty) return answer_fast(exchange, sim_, *fast_, found->api);
  return generate(exchange, found->api);
}

task<> sim_handler::refuse(net::http_exchange& exchange, const wire::http_error& error) {
  const sim_error told{error.status, "BadRequestError", std::string{error.message}, {}};
  net::response_head head{error.status};
  head.add("Content-Type", json_type);
  const std::string body = error_json(told);
  co_await exchange.send(std::move(head), body);
}

bool sim_handler::knows(std::string_view model) const {
  const auto& models = sim_.options().models;
  return std::ranges::any_of(models, [&](const auto& one) { return one == "*" || one == model; });
}

task<> sim_handler::generate(net::http_exchange& exchange, sim_api api) {
  call c;
  ask asked;
  asked.api = api;
  const bool ready = co_await prepare(exchange, c, asked);
  if (ready && asked.stream) {
    const writer_options options{c.usage, asked.continuous_usage && c.usage, c.faults.bare_usage};
    co_await answer_stream(exchange, sim_, c, options);
  } else if (ready) {
    co_await answer_whole(exchange, c, asked);
  }
  sim_.end(c);
  if (c.faults.close_keepalive && exchange.answered() && !c.signal.over())
    co_await close_at_reuse(exchange, sim_.options().keep_alive);
}

// Reads the request, obeys the faults that need no engine, and hands the rest to the engine. False:
// the call has been answered, or nobody waits for an answer.
task<bool> sim_handler::prepare(net::http_exchange& exchange, call& c, ask& asked) {
  c.start = sim_.now().wall;
  const auto given = exchange.head().get(wire::field::x_request_id);
  c.out.id = is_plain_id(given) ? std::string{given} : sim_.make_id();
  c.id = c.out.id;
  c.out.api = asked.api;
  c.out.created =
      std::chrono::duration_cast<std::chrono::seconds>(c.start.time_since_epoch()).count();
  sim_.begin(c);
  ++sim_.counters().requests;
  const net::body_result body = co_await exchange.read_body(max_body, body_timeout);
  if (body.status != net::body_status::ok) {
    c.finish = "refused";
    sim_error too_large{413, "BadRequestError", "the body is too large", {}};
    if (body.status == net::body_status::too_large)
      co_await send_error(exchange, c, std::move(too_large));
    co_return false;
  }
  sim_error error;
  const bool understood = read_ask(asked.api, body.bytes, asked, error);
  c.out.model = asked.model.empty() ? sim_.options().models.front() : asked.model;
  const bool go_on = co_await take_faults(exchange, c);
  if (!go_on) co_return false;
  exchange.release_input();
  if (!c.faults.deaf) exchange.watch_caller(&c.signal);
  const bool still = co_await obey_early_faults(exchange, c);
  if (!still) co_return false;
  if (understood && !knows(c.out.model)) {
    error = {404, "NotFoundError", fmt::format("The model `{}` does not exist.", c.out.model),
             "model"};
  } else if (understood) {
    const admission admitted = sim_.submit(c, asked);
    if (admitted == admission::accepted) {
      if (asked.stream) ++sim_.counters().streams;
      c.usage = !c.faults.no_usage &&
                (!asked.stream || asked.include_usage || asked.api == sim_api::responses);
      co_return true;
    }
    error = error_of(admitted, sim_, asked);
  }
  co_await send_error(exchange, c, std::move(error));
  co_return false;
}

// From the request's header, or else from the plan. False: they make no sense; it was answered.
task<bool> sim_handler::take_faults(net::http_exchange& exchange, call& c) {
  const auto wanted = exchange.head().get("x-sim-fault");
  if (wanted.empty()) {
    if (sim_.faults().active()) c.faults = sim_.faults().take();
    co_return true;
  }
  auto read = read_faults(wanted);
  if (read) {
    c.faults = std::move(*read);
    co_return true;
  }
  sim_error error{400, "BadRequestError", "X-Sim-Fault: " + read.error().message, {}};
  co_await send_error(exchange, c, std::move(error));
  co_return false;
}

// False: that was the answer, or the caller has left meanwhile.
task<bool> sim_handler::obey_early_faults(net::http_exchange& exchange, call& c) {
  auto& owner = exchange.owner();
  if (c.faults.delay) {
    const mono_time until = owner.time().mono() + std::chrono::milliseconds{*c.faults.delay};
    owner.deadlines().set(c.signal, until);
    while (owner.time().mono() < until && !c.signal.over()) co_await c.signal.next();
  }
  while (c.faults.hang && !c.signal.over()) co_await c.signal.next();
  if (c.signal.over()) {
    c.finish = "abort";
    co_return false;
  }
  if (!c.faults.redirect.empty()) {
    c.finish = "refused";
    sim_.end(c);
    net::response_head head = make_head(307, "text/plain", c);
    head.add("Location", c.faults.redirect);
    co_await exchange.send(std::move(head), no_body);
    co_return false;
  }
  if (!c.faults.status) co_return true;
  c.finish = "refused";
  sim_.end(c);
  const auto canned = *fault_body(c.faults.body);
  net::response_head head = make_head(static_cast<int>(*c.faults.status), canned.content_type, c);
  if (!c.faults.retry_after.empty()) head.add("Retry-After", c.faults.retry_after);
  const std::string body = with_status(canned.text, *c.faults.status);
  co_await exchange.send(std::move(head), body);
  co_return false;
}

task<> sim_handler::answer_whole(net::http_exchange& exchange, call& c, const ask& asked) {
  while (!c.out.finished() && !c.signal.over()) co_await c.signal.next();
  while (c.faults.stall && !c.signal.over()) co_await c.signal.next();
  if (c.signal.over()) {
    c.finish = c.signal.gone() ? "abort" : "cut";
    co_return;
  }
  if (c.faults.error) {
    sim_error error{500, "InternalServerError", "fault on demand", {}};
    co_await send_error(exchange, c, std::move(error));
    co_return;
  }
  if (c.faults.deaf && has_left(exchange)) ++sim_.counters().deaf;
  if (c.faults.cut || c.faults.reset) c.finish = "cut";
  sim_.end(c);
  std::string body = asked.api == sim_api::embeddings
                         ? embeddings_json(c.out, asked.dimensions, asked.base64, c.usage)
                         : whole_json(c.out, c.usage);
  co_await send_whole(exchange, c, 200, json_type, std::move(body));
}

task<> sim_handler::send_error(net::http_exchange& exchange, call& c, sim_error error) {
  c.finish = "refused";
  sim_.end(c);
  std::string body = error_json(error);
  co_await send_whole(exchange, c, error.status, json_type, std::move(body));
}

}  // namespace weir::sim
