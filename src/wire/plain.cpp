// From plain chat to chat.
#include "wire/plain.hpp"

#include <optional>
#include <vector>

namespace weir::wire {
namespace {

struct member {
  std::string_view name;  // as written, between its quotes
  std::string_view text;  // the value, whole
  json_kind kind;
};

// The top-level members with the text of their values.
class members_reader final : public json_visitor {
 public:
  explicit members_reader(std::string_view body) : body_{body} {}

  bool value(const json_value& v, body_error& out) override {
    if (v.depth == 0 && v.kind != json_kind::object) {
      out = {400, "invalid_json", "", "expected a JSON object"};
      return false;
    }
    if (v.depth != 1) return true;
    found.push_back({v.key, body_.substr(v.offset, v.size), v.kind});
    offset_ = v.offset;
    return true;
  }
  bool end(int depth, std::size_t offset, body_error&) override {
    if (depth == 1) found.back().text = body_.substr(offset_, offset - offset_);
    return true;
  }
  std::vector<member> found;

 private:
  std::string_view body_;
  std::size_t offset_{0};
};

const member* find(const std::vector<member>& members, std::string_view name) {
  for (const auto& one : members) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

void add(std::string& out, std::string_view name, std::string_view value) {
  if (out.size() > 1) out += ',';
  out += '"';
  out += name;
  out += "\":";
  out += value;
}

}  // namespace

bool plain_to_chat(std::string_view body, std::string_view model, int max_depth, std::string& out,
                   body_error& error) {
  members_reader reader{body};
  if (!walk_json(body, max_depth, reader, error)) return false;
  const member* message = find(reader.found, "message");
  const bool full = find(reader.found, "messages") != nullptr;
  if (message == nullptr && !full) {
    error = {400, "missing_value", "message",
             "expected a member 'message' with the text, or a chat body with 'messages'"};
    return false;
  }
  if (message != nullptr && (full || message->kind != json_kind::string)) {
    error = {
        400, "invalid_value", "message",
        full ? "'message' and 'messages' both stand in the body" : "'message' must be a string"};
    return false;
  }
  out = "{";
  if (!model.empty() && find(reader.found, "model") == nullptr) add(out, "model", quote(model));
  for (const auto& one : reader.found) {
    if (one.name == "user_id" || &one == message) continue;
    add(out, one.name, one.text);
  }
  if (message != nullptr) {
    const std::string messages =
        R"([{"role":"user","content":)" + std::string{message->text} + "}]";
    add(out, "messages", messages);
  }
  out += '}';
  return true;
}

}  // namespace weir::wire
