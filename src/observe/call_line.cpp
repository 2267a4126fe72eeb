// One line per call is most of the log, so that its cost and its length are bounded by hand.
#include "observe/call_line.hpp"

namespace weir::observe {
namespace {

constexpr std::size_t max_data = 128;  // bytes of a text that a caller chose

void who(line& to, const call_record& call) {
  to.text_if("request_id", call.request_id, max_data);
  to.text_if("user", call.user, max_data);
  to.text_if("tier", call.tier, max_data);
  to.text_if("team", call.team, max_data);
  to.text_if("key_id", call.key_id, max_data);
  to.text_if("how", call.how);
  to.text_if("address", call.address, max_data);
  to.text_if("session", call.session, max_data);
}

void what(line& to, const call_record& call) {
  to.text_if("method", call.method, max_data);
  to.text_if("route", call.route);
  to.text_if("endpoint", call.endpoint, max_data);
  to.text_if("model", call.model, max_data);
  to.text_if("served_model", call.served_model, max_data);
  to.text_if("provider", call.provider);
}

void decided(line& to, const call_record& call) {
  to.number_if("status", call.status);
  to.text_if("outcome", call.outcome);
  to.text_if("decision", call.decision);
  to.text_if("reason", call.reason);
  to.text_if("rule", call.rule);
  to.text_if("scope", call.scope);
  to.number_if("limit", call.limit);
  to.number_if("used", call.used);
  to.number_if("retry_after", call.retry_after);
}

void counted(line& to, const call_record& call) {
  to.number_if("prompt_tokens", call.prompt_tokens);
  to.number_if("completion_tokens", call.completion_tokens);
  to.number_if("cached_tokens", call.cached_tokens);
  to.text_if("tokens_source", call.tokens_source);
  to.number_if("reserved_tokens", call.reserved_tokens);
  to.number_if("attempts", call.attempts);
  if (call.stream) to.flag("stream", true);
  to.number("duration_us", call.duration_us);
  to.number_if("ttft_us", call.ttft_us);
  to.number_if("overhead_us", call.overhead_us);
  to.number("bytes_in", call.bytes_in);
  to.number("bytes_out", call.bytes_out);
  to.text_if("trace_id", call.trace_id, max_data);
}

}  // namespace

void append_call_line(line_buffer& out, bool json, const call_record& record) {
  line to{out, json};
  to.begin(record.at, "info", "call");
  who(to, record);
  what(to, record);
  decided(to, record);
  counted(to, record);
  to.end();
}

}  // namespace weir::observe
