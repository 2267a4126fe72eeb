// How a mistake is written for people and editors.
#include "config/diagnostic.hpp"

#include <fmt/format.h>

namespace weir::config {

std::string to_text(const diagnostic& mistake) {
  return fmt::format("{}:{}:{}: {}", mistake.file, mistake.line, mistake.column, mistake.message);
}

}  // namespace weir::config
