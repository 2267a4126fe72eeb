// See strict_json.hpp.
#include "identity/strict_json.hpp"

#include <set>
#include <string>
#include <vector>

namespace weir::identity {

std::optional<nlohmann::json> parse_strict_object(std::string_view text) {
  using json = nlohmann::json;
  bool twice = false;
  std::vector<std::set<std::string>> names;  // of the objects that are open, outermost first
  const auto watch = [&](int, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start) {
      names.emplace_back();
    } else if (event == json::parse_event_t::object_end) {
      names.pop_back();
    } else if (event == json::parse_event_t::key) {
      twice = twice || !names.back().insert(parsed.get_ref<const std::string&>()).second;
    }
    return true;
  };
  auto document = json::parse(text, watch, false);
  if (twice || !document.is_object()) return std::nullopt;
  return document;
}

const std::string* string_member(const nlohmann::json& object, std::string_view name) {
  const auto found = object.find(name);
  return found == object.end() ? nullptr : found->get_ptr<const std::string*>();
}

}  // namespace weir::identity
