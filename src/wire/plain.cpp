// From plain chat to chat.
#include "wire/plain.hpp"

#include <fmt/format.h>
#include <vector>

#include "wire/json_scan.hpp"
#include "wire/member_names.hpp"

namespace weir::wire {
namespace {

struct member {
  std::string_view written;  // its name, between its quotes
  std::string_view name;     // ... escapes resolved
  std::string_view text;     // the value, whole
  json_kind kind;
};

// The top-level members with the text of their values.
class members_reader {
 public:
  explicit members_reader(std::string_view body) : body_{body} {}

  bool value(const json_value& v, body_error& out) {
    if (v.depth == 0 && v.kind != json_kind::object) {
      out = {400, "invalid_json", "", fmt::format("expected a JSON object at byte {}", v.offset)};
      return false;
    }
    if (v.depth != 1) return true;
    std::string_view name;
    if (names_.add(v.key, name) != member_names::verdict::fresh) {
      out = {400, "duplicate_key", "",
             fmt::format("a member stands twice in the body, the second time with its value at "
                         "byte {}, or there are more than {} members",
                         v.offset, member_names::most)};
      return false;
    }
    found.push_back({v.key, name, body_.substr(v.offset, v.size), v.kind});
    offset_ = v.offset;
    return true;
  }
  bool end(int depth, std::size_t offset, body_error&) {
    if (depth == 1) found.back().text = body_.substr(offset_, offset - offset_);
    return true;
  }
  [[nodiscard]] const member* find(std::string_view name) const {
    for (const auto& one : found) {
      if (one.name == name) return &one;
    }
    return nullptr;
  }

  std::vector<member> found;

 private:
  std::string_view body_;
  std::size_t offset_{0};
  member_names names_;
};

bool check_message(const member* message, bool full, body_error& error) {
  if (message == nullptr && !full) {
    error = {400, "missing_value", "message",
             "expected a member 'message' with the text, or a chat body with 'messages'"};
    return false;
  }
  if (message == nullptr || (!full && message->kind == json_kind::string)) return true;
  error = {400, "invalid_value", "message",
           full ? "'message' and 'messages' both stand in the body" : "'message' must be a string"};
  return false;
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
  members_reader members{body};
  if (!walk_json(body, max_depth, members, error)) return false;
  const member* message = members.find("message");
  const bool full = members.find("messages") != nullptr;
  if (!check_message(message, full, error)) return false;
  const bool add_model = !model.empty() && members.find("model") == nullptr;
  if (full && !add_model && members.find("user_id") == nullptr) {
    out = body;
    return true;
  }
  out = "{";
  if (add_model) add(out, "model", quote(model));
  for (const auto& one : members.found) {
    if (one.name != "user_id" && &one != message) add(out, one.written, one.text);
  }
  if (message != nullptr) {
    add(out, "messages", fmt::format(R"([{{"role":"user","content":{}}}])", message->text));
  }
  out += '}';
  return true;
}

}  // namespace weir::wire
