// One entry of keys.yaml, from its YAML and back to it. Pure; the file is key_file.hpp.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "config/yaml_tree.hpp"
#include "identity/key_file.hpp"

namespace weir::identity {

// Messages never quote a hash.
[[nodiscard]] std::variant<api_key, config::mistake_at> read_key(const config::node& entry);

// The whole file, comment included.
[[nodiscard]] std::string write_keys(const std::vector<api_key>& keys);

// Letters, digits, '.', '_' and '-', 1 to 64 of them.
[[nodiscard]] bool acceptable_key_id(std::string_view id);

// The limits of the key `id`; a limit without `per` is the key's own. Errors: the notation, by its
// position.
[[nodiscard]] result<std::vector<config::limit_settings>> key_limits(
    const std::vector<std::string>& texts, std::string_view id);

}  // namespace weir::identity
