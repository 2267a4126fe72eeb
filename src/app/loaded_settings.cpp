// Loading for commands.
#include "app/loaded_settings.hpp"

#include <cstdio>
#include <fmt/format.h>

#include "config/loader.hpp"

namespace weir::app {

std::shared_ptr<const config::settings> settings_or_complain(const std::string& path) {
  if (path.empty()) return std::make_shared<const config::settings>(config::defaults());
  const auto loaded = config::load_file(path, config::process_environment());
  for (const auto& mistake : loaded.mistakes) fmt::print(stderr, "{}\n", config::to_text(mistake));
  return loaded.value;
}

}  // namespace weir::app
