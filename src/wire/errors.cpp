// Bodies and headers of refusals.
#include "wire/errors.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace weir::wire {
namespace {

using nlohmann::ordered_json;

std::string text_of(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

// Which rule refused, for both dialects.
void add_rule(const refusal& why, ordered_json& to) {
  if (why.rule.empty()) return;
  to["rule"] = why.rule;
  to["scope"] = why.scope;
  to["limit"] = why.limit;
  to["used"] = why.used;
  if (!why.resets_at.empty()) to["resets_at"] = why.resets_at;
}

ordered_json openai_error(const refusal& why) {
  ordered_json error{
      {"message", why.message}, {"type", error_type(why.status)}, {"param", nullptr}};
  if (!why.param.empty()) error["param"] = why.param;
  error["code"] = why.code;
  if (why.retry_after) error["retry_after_seconds"] = *why.retry_after;
  add_rule(why, error);
  return error;
}

ordered_json plain_error(const refusal& why) {
  ordered_json error{{"status", "error"}, {"error", why.code}, {"message", why.message}};
  if (!why.param.empty()) error["param"] = why.param;
  if (why.code == "rate_limit_exceeded") error["tier"] = why.tier;
  if (why.code == "model_capacity_exceeded") error["model"] = why.model;
  if (why.retry_after) error["retry_after_seconds"] = *why.retry_after;
  add_rule(why, error);
  return error;
}

}  // namespace

std::string_view error_type(int status) {
  switch (status) {
    case 401:
      return "authentication_error";
    case 403:
      return "permission_error";
    case 429:
      return "rate_limit_error";
    case 503:
      return "service_unavailable_error";
    default:
      return status >= 500 ? "server_error" : "invalid_request_error";
  }
}

std::string error_body(const refusal& why, dialect in) {
  const ordered_json body =
      in == dialect::plain ? plain_error(why) : ordered_json{{"error", openai_error(why)}};
  return text_of(body) + "\n";
}

std::vector<std::pair<std::string_view, std::string>> error_headers(const refusal& why) {
  std::vector<std::pair<std::string_view, std::string>> fields;
  if (why.retry_after) {
    fields.emplace_back("Retry-After", std::to_string(std::max<std::int64_t>(1, *why.retry_after)));
  }
  if (why.should_retry) fields.emplace_back("x-should-retry", *why.should_retry ? "true" : "false");
  return fields;
}

std::string error_event(const refusal& why, dialect in) {
  switch (in) {
    case dialect::openai:
      return "data: " + text_of(ordered_json{{"error", openai_error(why)}}) + "\n\n";
    case dialect::plain:
      return "data: " + text_of(plain_error(why)) + "\n\n";
    case dialect::responses:
      break;
  }
  const ordered_json error = openai_error(why);
  const ordered_json event{{"type", "error"},
                           {"code", why.code},
                           {"message", why.message},
                           {"param", error["param"]},
                           {"error", error}};
  return "event: error\ndata: " + text_of(event) + "\n\n";
}

}  // namespace weir::wire
