// The table of faults and how a list of them is read.
#include "sim/faults.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <span>
#include <variant>

#include "sim/fault_body.hpp"

namespace weir::sim {
namespace {

using flag = bool fault_set::*;
using number = std::int64_t fault_set::*;
using maybe_number = std::optional<std::int64_t> fault_set::*;
using text_value = std::string fault_set::*;

struct fault_row {
  std::string_view name;
  std::variant<flag, number, maybe_number, text_value> member;
  std::string_view argument;  // what it is; empty: takes none
  std::string_view without;   // its value when it is left out; empty: must be given
  std::string_view meaning;
};

using f = fault_set;
const fault_row rows[] = {
    {"status", &f::status, "HTTP status", "503", "answers with this status and an error body"},
    {"body", &f::body,
     "vllm, old, openai, ollama, fastapi, llamacpp, array, null, html, empty, "
     "busy or quota",
     "", "the shape of that body"},
    {"retry-after", &f::retry_after, "text", "", "a Retry-After field with that answer"},
    {"delay", &f::delay, "ms", "", "waits before it looks at the request"},
    {"hang", &f::hang, "", "", "never answers"},
    {"redirect", &f::redirect, "URL", "/elsewhere", "answers 307 with this Location"},
    {"slow-headers", &f::slow_headers, "ms per byte", "20", "sends its head byte by byte"},
    {"secret-headers", &f::secret_headers, "", "",
     "adds Authorization, X-Api-Key and Set-Cookie to its answer"},
    {"gzip", &f::gzip, "", "", "compresses the answer, asked or not"},
    {"overrun", &f::overrun, "tokens", "10", "produces more than max_tokens"},
    {"deaf", &f::deaf, "", "", "goes on producing after the caller hung up"},
    {"stall", &f::stall, "tokens", "0", "stream: silent for ever after so many tokens"},
    {"cut", &f::cut, "tokens", "0", "stream: ends without its final chunk"},
    {"reset", &f::reset, "tokens", "0", "stream: ends with a RST"},
    {"malformed", &f::malformed, "tokens", "0", "stream: an event of broken JSON"},
    {"error", &f::error, "tokens", "0", "stream: an error event, then its end"},
    {"huge-event", &f::huge_event, "bytes", "1500000", "stream: one event with that much in it"},
    {"no-usage", &f::no_usage, "", "", "leaves the usage out"},
    {"bare-usage", &f::bare_usage, "", "", "stream: the usage event has no choices field"},
    {"crlf", &f::crlf, "", "", "stream: lines end with CR LF"},
    {"empty-data", &f::empty_data, "", "", "stream: empty data events before the first token"},
    {"comments", &f::comments, "", "", "stream: a comment before every event"},
    {"no-done", &f::no_done, "", "", "stream: no [DONE]"},
    {"unterminated", &f::unterminated, "", "",
     "stream: no [DONE] and no blank line after the last event"},
    {"close-keepalive", &f::close_keepalive, "", "",
     "closes the connection when the next request arrives on it"},
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::string known_names() {
  std::string names;
  for (const auto& row : rows) names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
  return names;
}

std::optional<std::int64_t> read_count(std::string_view text) {
  constexpr std::int64_t most = 1'000'000'000;
  std::int64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) return std::nullopt;
  if (value < 0 || value > most) return std::nullopt;
  return value;
}

result<void> set(const fault_row& row, std::string_view argument, fault_set& out) {
  if (const auto* as_flag = std::get_if<flag>(&row.member)) {
    if (!argument.empty()) return fail(fmt::format("fault {} takes no argument", row.name));
    out.** as_flag = true;
    return {};
  }
  if (argument.empty()) argument = row.without;
  if (argument.empty())
    return fail(fmt::format("fault {}: expected {}={}", row.name, row.name, row.argument));
  if (const auto* as_text = std::get_if<text_value>(&row.member)) {
    out.** as_text = std::string{argument};
    return {};
  }
  const auto value = read_count(argument);
  if (!value) {
    return fail(fmt::format("fault {}: expected a whole number ({}) from 0 to 1000000000", row.name,
                            row.argument));
  }
  if (const auto* plain = std::get_if<number>(&row.member)) out.** plain = *value;
  if (const auto* maybe = std::get_if<maybe_number>(&row.member)) out.** maybe = value;
  return {};
}

result<void> read_one(std::string_view item, fault_set& out) {
  const auto equals = item.find('=');
  const auto name = trimmed(item.substr(0, equals));
  const auto argument =
      equals == std::string_view::npos ? std::string_view{} : trimmed(item.substr(equals + 1));
  const auto* row = std::ranges::find(rows, name, &fault_row::name);
  if (row == std::end(rows))
    return fail(fmt::format("there is no fault of that name; expected one of {}", known_names()));
  return set(*row, argument, out);
}

}  // namespace

result<fault_set> read_faults(std::string_view text) {
  fault_set out;
  while (!text.empty()) {
    const auto end = std::min(text.find(';'), text.size());
    const auto item = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (item.empty()) continue;
    const auto read = read_one(item, out);
    if (!read) return read.error();
  }
  if (out.status && (*out.status < 200 || *out.status > 599))
    return fail("fault status: expected a status from 200 to 599");
  if (!fault_body(out.body))
    return fail(fmt::format("fault body: expected one of {}",
                            std::ranges::find(rows, "body", &fault_row::name)->argument));
  return out;
}

std::string describe_faults() {
  auto list = nlohmann::json::array();
  for (const auto& row : rows) {
    list.push_back({{"name", row.name},
                    {"argument", row.argument},
                    {"default", row.without},
                    {"meaning", row.meaning}});
  }
  return list.dump();
}

}  // namespace weir::sim
