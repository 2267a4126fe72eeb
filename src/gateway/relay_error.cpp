// An engine's own refusal. What it says of the caller's request passes on in the caller's dialect;
// what it says of weir's key, quota or address does not.
#include <nlohmann/json.hpp>

#include "gateway/headers.hpp"
#include "gateway/pipeline.hpp"
#include "gateway/relay.hpp"
#include "gateway/worker.hpp"
#include "wire/durations.hpp"

namespace weir::gateway {
namespace {

using nlohmann::json;

constexpr std::size_t max_error = 1024 * 1024;
constexpr std::size_t max_message = 4096;

std::string text_member(const json& from, const char* name) {
  const auto found = from.find(name);
  return found != from.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

// The shapes: {"error":{...}}, {"error":"text"}, {"object":"error","message":...},
// {"detail":...}.
void read_shape(const std::string& body, wire::refusal& into) {
  const json parsed = json::parse(body, nullptr, false);
  if (!parsed.is_object()) return;
  // The responses API nests its error in the response.
  const auto response = parsed.find("response");
  const json& around = response != parsed.end() && response->is_object() ? *response : parsed;
  const auto inner = around.find("error");
  const json& error = inner != around.end() && inner->is_object() ? *inner : parsed;
  std::string message = text_member(error, "message");
  if (message.empty()) message = text_member(parsed, "error");
  if (message.empty()) message = text_member(parsed, "detail");
  if (!message.empty()) into.message = message.substr(0, max_message);
  const std::string code = text_member(error, "code");
  if (!code.empty()) into.code = code.substr(0, 128);
  into.param = text_member(error, "param").substr(0, 128);
}

// Whether the body is already what a client of /v1 expects.
bool is_openai_error(const std::string& body) {
  const json parsed = json::parse(body, nullptr, false);
  if (!parsed.is_object()) return false;
  const auto error = parsed.find("error");
  return error != parsed.end() && error->is_object() && error->contains("message");
}

void refuse_own_fault(exchange& x, int status) {
  const bool redirect = status >= 300 && status < 400;
  x.on.metrics().add(observe::family::upstream_errors,
                     {x.provider->settings->name, redirect ? "redirect" : "credentials"});
  if (redirect) {
    refuse_simple(x, 502, "upstream_redirect",
                  "the engine answered with a redirect, which is never followed",
                  outcome::upstream_error);
    return;
  }
  x.on.with().log.warn(
      "a provider refuses weir's own credentials",
      {{"provider", x.provider->settings->name}, {"status", status}, {"request_id", x.request_id}});
  refuse_simple(x, 502, "upstream_auth_failed",
                "the engine does not accept this gateway's credentials", outcome::upstream_error);
}

void add_retry_after(exchange& x, wire::refusal& why) {
  const auto given = x.answer->head().get(wire::field::retry_after);
  if (given.empty()) return;
  const auto wait = wire::parse_retry_after(given, x.decided.wall);
  if (wait) why.retry_after = wire::retry_after_seconds(*wait);
}

}  // namespace

void refuse_stream_error(exchange& x, std::string_view data) {
  refuse_simple(x, 502, "upstream_error", "the engine answered with an error",
                outcome::upstream_error);
  read_shape(std::string{data}, *x.refused);
  if (x.refused->code == "server_is_overloaded" || x.refused->code == "slow_down")
    x.refused->status = 503;
  if (x.refused->code == "rate_limit_exceeded") x.refused->status = 429;
}

task<> relay_error(exchange& x) {
  const int status = x.answer->head().status;
  std::string body;
  x.answer->socket()->expires_at(x.arrived + x.plan->settings().timeouts.total);
  const net::answer_status got = co_await x.answer->read_all(body, max_error, x.waiting);
  if (got != net::answer_status::ok) {
    note_broken(x, got);
    refuse_broken(x);
    co_return;
  }
  if (status < 200 || (status >= 300 && status < 400) || status == 401 || status == 403) {
    refuse_own_fault(x, status);
    co_return;
  }
  if (status >= 500)
    x.on.metrics().add(observe::family::upstream_errors, {x.provider->settings->name, "5xx"});
  if (!x.plain() && is_openai_error(body)) {
    x.how = outcome::upstream_error;
    settle(x);
    net::response_head head = answer_head(x, status);
    pass_from_engine(x.answer->head(), head);
    co_await x.http.send(std::move(head), body);
    co_return;
  }
  refuse_simple(x, status, "upstream_error", "the engine answered with an error",
                outcome::upstream_error);
  read_shape(body, *x.refused);
  add_retry_after(x, *x.refused);
}

}  // namespace weir::gateway
