// Reading the facts of a request.
#include "wire/openai.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "wire/count.hpp"
#include "wire/json_scan.hpp"
#include "wire/member_names.hpp"
#include "wire/prompt_meter.hpp"

namespace weir::wire {
namespace {

constexpr std::size_t max_model_bytes = 256;

// Fields by which routers let an engine pick another model.
constexpr std::array<std::string_view, 4> rerouting{"models", "route", "fallbacks", "provider"};
// The last two are engines' own names, obeyed by some beside the standard ones.
constexpr std::array<std::string_view, 5> max_names{
    "max_tokens", "max_completion_tokens", "max_output_tokens", "n_predict", "max_new_tokens"};
// What is acted on here must not be hidden in another spelling.
constexpr std::array<std::string_view, 5> acted_on{"model", "stream", "stream_options", "n",
                                                   "best_of"};

template <std::size_t N>
bool one_of(std::string_view text, const std::array<std::string_view, N>& list) {
  return std::ranges::find(list, text) != list.end();
}

template <std::size_t N>
bool misspells_one_of(std::string_view text, const std::array<std::string_view, N>& list,
                      std::string_view& meant) {
  const auto found = std::ranges::find_if(
      list, [text](std::string_view plain) { return is_misspelt(text, plain); });
  if (found == list.end()) return false;
  meant = *found;
  return true;
}

bool is_lower_case(std::string_view text) {
  return std::ranges::none_of(text,
                              [](char c) { return (c >= 'A' && c <= 'Z') || (c & 0x80) != 0; });
}

std::string_view name_of(json_kind kind) {
  switch (kind) {
    case json_kind::null:
      return "null";
    case json_kind::boolean:
      return "a boolean";
    case json_kind::number:
      return "a number";
    case json_kind::string:
      return "a string";
    case json_kind::array:
      return "an array";
    case json_kind::object:
      break;
  }
  return "an object";
}

bool refuse_type(std::string_view field, std::string_view expected, const json_value& v,
                 body_error& out) {
  out = {400, "invalid_value", std::string{field},
         fmt::format("'{}' must be {}, found {} at byte {}", field, expected, name_of(v.kind),
                     v.offset)};
  return false;
}

bool refuse_rerouting(std::string field, body_error& out) {
  out.message = fmt::format(
      "'{}' would let another model answer than the one that is limited and priced; leave it out",
      field);
  out.status = 400;
  out.code = "unsupported_parameter";
  out.param = std::move(field);
  return false;
}

// Whether engines of the endpoint obey a max field.
bool is_obeyed(std::string_view field, endpoint at) {
  if (at == endpoint::responses) return field == "max_output_tokens";
  return field == "max_tokens" || (field == "max_completion_tokens" && at == endpoint::chat);
}

class reader {
 public:
  reader(request_facts& facts, endpoint at) : facts_{facts}, at_{at}, meter_{facts, at} {}

  bool value(const json_value& v, body_error& out) {
    if (v.depth == 0) return root(v, out);
    if (v.depth == 1 && !top_level(v, out)) return false;
    if (v.depth == 2 && field_ == "stream_options" && !stream_option(v, out)) return false;
    if (v.depth == 2 && field_ == "extra_body" && !extra(v, out)) return false;
    meter_.count(v);
    return true;
  }

  bool end(int depth, std::size_t offset, body_error&) {
    if (depth == 1 && field_ == "stream_options") {
      facts_.stream_options->size = offset - facts_.stream_options->offset;
    }
    return true;
  }

  bool finish(body_error& out) {
    facts_.answers = saturated_product(facts_.answers, meter_.prompts());
    if (!facts_.model.empty()) return true;
    out = {400, "missing_value", "model", "expected a member 'model' with the name of a model"};
    return false;
  }

 private:
  bool root(const json_value& v, body_error& out) {
    facts_.root = v.offset;
    if (v.kind == json_kind::object) return true;
    out = {400, "invalid_json", "",
           fmt::format("expected a JSON object, found {} at byte {}", name_of(v.kind), v.offset)};
    return false;
  }

  bool top_level(const json_value& v, body_error& out) {
    if (!note_name(v, out)) return false;
    meter_.begin(field_);
    if (field_ == "model") return model(v, out);
    if (one_of(field_, rerouting)) return refuse_rerouting(std::string{field_}, out);
    if (field_ == "stream") return stream(v, out);
    if (field_ == "stream_options") return stream_options(v, out);
    if (field_ == "n" || (field_ == "best_of" && at_ == endpoint::completions))
      return answers(v, out);
    if (one_of(field_, max_names)) return maximum(v, out);
    return true;
  }

  // Keeps the name of the member that is being read. Refuses one that stands twice, or that some
  // engines would read as one that is acted on here.
  bool note_name(const json_value& v, body_error& out) {
    switch (names_.add(v.key, field_)) {
      case member_names::verdict::fresh:
        break;
      case member_names::verdict::twice:
        out = {400, "duplicate_key", known_name(),
               fmt::format("a member stands twice in the body, the second time with its value at "
                           "byte {}; which one counts would be ambiguous",
                           v.offset)};
        return false;
      case member_names::verdict::too_many:
        out = {400, "invalid_json", "",
               fmt::format("more than {} members in the body", member_names::most)};
        return false;
    }
    std::string_view meant;
    const bool misspelt = !is_lower_case(field_) && (misspells_one_of(field_, acted_on, meant) ||
                                                     misspells_one_of(field_, max_names, meant) ||
                                                     misspells_one_of(field_, rerouting, meant));
    if (!misspelt) return true;
    out = {
        400, "invalid_value", std::string{meant},
        fmt::format("the member whose value is at byte {} must be spelt '{}': some engines would "
                    "read it as that",
                    v.offset, meant)};
    return false;
  }

  // A name that was not made up by the caller, else nothing.
  std::string known_name() const {
    const bool known = one_of(field_, acted_on) || one_of(field_, max_names) ||
                       field_ == "messages" || field_ == "prompt" || field_ == "input";
    return known ? std::string{field_} : std::string{};
  }

  bool model(const json_value& v, body_error& out) {
    const auto refuse = [&out](std::string message) {
      out = {400, "invalid_value", "model", std::move(message)};
      return false;
    };
    if (v.kind != json_kind::string) return refuse_type("model", "a string", v, out);
    if (!unescape(v.raw, facts_.model)) return refuse("'model' holds half a surrogate pair");
    if (facts_.model.empty() || facts_.model.size() > max_model_bytes) {
      return refuse(fmt::format("'model' must have 1 to {} bytes", max_model_bytes));
    }
    const bool odd = std::ranges::any_of(facts_.model, [](char c) {
      const auto byte = static_cast<unsigned char>(c);
      return byte < 0x20 || byte == 0x7f;
    });
    if (odd) return refuse("'model' holds a control character");
    if (facts_.model.front() == ' ' || facts_.model.back() == ' ')
      return refuse("'model' has blanks around it");
    facts_.model_value = {v.offset, v.size};
    return true;
  }

  bool stream(const json_value& v, body_error& out) {
    if (v.kind != json_kind::boolean && v.kind != json_kind::null)
      return refuse_type("stream", "true or false", v, out);
    facts_.stream = v.raw == "true";
    return true;
  }

  bool stream_options(const json_value& v, body_error& out) {
    if (v.kind != json_kind::object && v.kind != json_kind::null)
      return refuse_type("stream_options", "an object", v, out);
    facts_.stream_options = span{v.offset, v.size};
    facts_.stream_options_object = v.kind == json_kind::object;
    return true;
  }

  // A number below 1 or with a fraction counts as at least 1 and is the engine's to judge; a string
  // is refused, because some engines read "5" as 5.
  bool answers(const json_value& v, body_error& out) {
    if (v.kind == json_kind::string) return refuse_type(field_, "a whole number", v, out);
    if (v.kind != json_kind::number) return true;
    facts_.answers = std::max(facts_.answers, read_asked(v.raw).value_or(1));
    return true;
  }

  bool maximum(const json_value& v, body_error& out) {
    if (v.kind != json_kind::number && v.kind != json_kind::null)
      return refuse_type(field_, "a whole number", v, out);
    max_field field{{v.offset, v.size}, {}, v.kind == json_kind::null, is_obeyed(field_, at_)};
    if (!field.is_null) field.amount = read_asked(v.raw);
    if (field.amount) facts_.max_tokens = std::max(facts_.max_tokens.value_or(0), *field.amount);
    facts_.max_fields.push_back(field);
    return true;
  }

  bool stream_option(const json_value& v, body_error& out) {
    facts_.stream_options_empty = false;
    std::string name;
    unescape(v.key, name);
    if (name != "include_usage") return true;
    if (v.kind != json_kind::boolean && v.kind != json_kind::null)
      return refuse_type("stream_options.include_usage", "true or false", v, out);
    if (facts_.usage_option) {
      out = {400, "duplicate_key", "stream_options.include_usage",
             fmt::format("include_usage stands twice, the second time at byte {}", v.offset)};
      return false;
    }
    facts_.usage_option = span{v.offset, v.size};
    facts_.include_usage = v.raw == "true";
    return true;
  }

  bool extra(const json_value& v, body_error& out) {
    std::string name;
    unescape(v.key, name);
    std::string_view meant = name;
    const bool model = name == "model" || is_misspelt(name, "model");
    if (model || one_of(meant, rerouting) || misspells_one_of(name, rerouting, meant))
      return refuse_rerouting("extra_body." + std::string{model ? "model" : meant}, out);
    return true;
  }

  request_facts& facts_;
  endpoint at_;
  prompt_meter meter_;
  member_names names_;
  std::string_view field_;  // the top-level member that is being read
};

}  // namespace

bool read_request(std::string_view body, endpoint at, int max_depth, request_facts& out,
                  body_error& error) {
  reader visitor{out, at};
  return walk_json(body, max_depth, visitor, error) && visitor.finish(error);
}

}  // namespace weir::wire
