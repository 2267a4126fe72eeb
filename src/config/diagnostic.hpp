// A mistake in a configuration file and where it stands. Not a log record: whoever loads decides
// what to print.
#pragma once

#include <string>
#include <string_view>

namespace weir::config {

// One mistake: where it stands, what was expected, what to do. The message holds no secret's value.
struct diagnostic {
  std::string file;     // as given to the loader
  int line{1};          // from 1; 1 too where the file as a whole is meant
  int column{1};        // from 1, in bytes of the line
  std::string message;  // one sentence without the place
};

// "weir.yaml:3:5: unknown option 'lissen'; did you mean 'listen'?"
[[nodiscard]] std::string to_text(const diagnostic& mistake);

// A text of the file for a message: in quotation marks, at most 60 bytes, nothing a terminal obeys.
[[nodiscard]] std::string quoted(std::string_view written);

}  // namespace weir::config
