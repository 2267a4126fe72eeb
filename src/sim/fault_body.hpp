// The error bodies of real engines and gateways, for answers that fail on demand.
#pragma once

#include <optional>
#include <string_view>

namespace weir::sim {

struct canned_body {
  std::string_view shape;  // its name in the fault `body`
  std::string_view content_type;
  std::string_view text;  // STATUS stands for the status
};

// None: there is no such shape.
std::optional<canned_body> fault_body(std::string_view shape);

}  // namespace weir::sim
