// JSON objects as security decisions need them: one meaning only. Not for request bodies.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace weir::identity {

// The object that `text` holds; nothing where it is no JSON object, has a member twice at any
// depth, is not UTF-8, or holds a number that a double cannot (1e400). Time and memory are linear
// in the text; bound it before.
[[nodiscard]] std::optional<nlohmann::json> parse_strict_object(std::string_view text);

// The string member `name`; null where it is absent or something else.
[[nodiscard]] const std::string* string_member(const nlohmann::json& object, std::string_view name);

}  // namespace weir::identity
