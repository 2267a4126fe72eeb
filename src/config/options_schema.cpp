// docs/schema.json, from the option table: JSON Schema 2020-12 for editors. It is looser than the
// loader, which also checks what goes together; any scalar may be written with ${NAME}.
#include <nlohmann/json.hpp>

#include "config/option_tree.hpp"

namespace weir::config {

namespace {

using json = nlohmann::ordered_json;

json pattern(std::string_view regex) { return {{"type", "string"}, {"pattern", regex}}; }

json reference(std::string_view name) { return {{"$ref", "#/$defs/" + std::string{name}}}; }

json definitions() {
  return {{"variable", pattern(R"(\$\{[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?\})")},
          {"duration", pattern(R"(^(0|[0-9]+ ?(us|ms|s|m|min|h|d))$)")},
          {"size", pattern(R"(^[0-9]+ ?(B|KiB|MiB|GiB|kB|KB|MB|GB)?$)")},
          {"address", pattern(R"(^(\[[0-9A-Fa-f:.]+\]|[^:\[\]]*):[0-9]+$)")},
          {"url", pattern(R"(^https?://[^?#@]+$)")},
          {"origin", pattern(R"(^https?://[^/?#@]+$)")},
          {"name", pattern(R"(^[A-Za-z0-9._:/-]{1,64}$)")}};
}

// A scalar's own type, before the variable is allowed beside it.
json plain_scalar(const option& row) {
  if (!row.choices.empty()) return {{"enum", choice_words(row)}};
  switch (row.type) {
    case kind::flag:
      return {{"type", "boolean"}};
    case kind::integer: {
      json number{{"type", "integer"}, {"minimum", row.least}};
      if (row.most != 0) number["maximum"] = row.most;
      return number;
    }
    case kind::duration:
      return {{"anyOf", {reference("duration"), {{"const", 0}}}}};
    case kind::size:
      return {{"anyOf", {reference("size"), {{"type", "integer"}, {"minimum", 0}}}}};
    case kind::address:
      return reference("address");
    case kind::url:
    case kind::provider:
      return reference("url");
    case kind::origin:
      return reference("origin");
    case kind::name:
      return reference("name");
    default:
      return {{"type", {"string", "number"}}};
  }
}

json scalar(const option& row) {
  auto plain = plain_scalar(row);
  const bool any_string = plain.contains("type") && plain["type"].is_array();
  return any_string ? plain : json{{"anyOf", {plain, reference("variable")}}};
}

json schema_of(const option_node& place);

json section(const option_node& place) {
  json out{{"type", "object"}, {"additionalProperties", false}};
  json required = json::array();
  json properties = json::object();
  for (const auto& [name, field] : place.fields) {
    if (!field->built()) continue;
    properties[std::string{name}] = schema_of(*field);
    if (field->row != nullptr && field->row->required) required.push_back(name);
  }
  if (place.member) out["additionalProperties"] = schema_of(*place.member);
  if (!properties.empty()) out["properties"] = properties;
  if (!required.empty()) out["required"] = required;
  return out;
}

bool has_built_fields(const option_node& place) {
  return place.member != nullptr || !place.names().empty();
}

// Every way in which a value may be written here.
json schema_of(const option_node& place) {
  json ways = json::array();
  if (place.item) {
    auto one = schema_of(*place.item);
    const auto described = one["description"];
    one.erase("description");
    ways = {one, {{"type", "array"}, {"items", one}}};
    return {{"description", described}, {"anyOf", ways}};
  }
  const auto& row = *place.row;
  if (row.type == kind::limit) {
    return {{"description", row.sentence}, {"$ref", "#/$defs/limit"}};
  }
  if (row.type != kind::section) ways.push_back(scalar(row));
  if (!row.shorthand.empty()) ways.push_back(scalar(*place.find(row.shorthand)->row));
  if (has_built_fields(place)) ways.push_back(section(place));
  json out{{"description", row.sentence}};
  if (ways.size() == 1) {
    out.update(ways.front());
  } else {
    out["anyOf"] = ways;
  }
  if (!row.fallback.empty()) out["default"] = row.fallback;
  return out;
}

}  // namespace

std::string options_schema() {
  const auto rows = all_options();
  const auto limit_rows = limit_options();
  const auto options = option_tree(rows);
  const auto limit = option_tree(limit_rows);
  json out{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
           {"title", "weir.yaml"},
           {"$comment", "Made from src/config/options*.cpp by `weir check --schema`; edit there."}};
  out.update(section(*options));
  out["$defs"] = definitions();
  out["$defs"]["limit"] = {
      {"anyOf", {{{"type", "string"}, {"description", "10 requests/min"}}, section(*limit)}}};
  return out.dump(2) + "\n";
}

}  // namespace weir::config
