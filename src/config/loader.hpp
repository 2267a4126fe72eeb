// From a configuration file's text to checked settings, or to every mistake in it at once. The
// options themselves stand in options.hpp. Safe to call from any thread; nothing is kept between
// calls.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/diagnostic.hpp"
#include "config/environment.hpp"
#include "config/settings.hpp"

namespace weir::config {

// Either a value and no mistakes, or no value and at least one mistake, in the order of the file.
struct load_outcome {
  std::shared_ptr<const settings> value;
  std::vector<diagnostic> mistakes;
};

// Checks the text of a whole file. `file_name` is used in mistakes and as settings::source. An
// empty text is a mistake. A top-level section that is left out has its shipped value
// (defaults_text()); one that is there replaces it whole. settings::version is the FNV-1a-64 hash
// of the text, as 16 hexadecimal digits.
[[nodiscard]] load_outcome load_text(std::string_view text, std::string_view file_name,
                                     const environment& variables);

// Reads a regular file of at most 1 MiB, following links. A missing, unreadable, special or
// changing file is a mistake.
[[nodiscard]] load_outcome load_file(const std::string& path, const environment& variables);

// What weir runs with when there is no file: an engine at http://127.0.0.1:8000 and the shipped
// limits.
[[nodiscard]] settings defaults();

// The text that defaults() comes from, to print or to start a file with.
[[nodiscard]] std::string_view defaults_text();

}  // namespace weir::config
