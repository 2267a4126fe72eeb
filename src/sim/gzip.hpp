// Content-Encoding: gzip, for answers that are compressed on demand.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace weir::sim {

// Compresses piece by piece; each piece can be read as soon as it is there.
class gzip_stream {
 public:
  gzip_stream();
  ~gzip_stream();
  gzip_stream(const gzip_stream&) = delete;
  gzip_stream& operator=(const gzip_stream&) = delete;
  // `last` writes the trailer; nothing may follow.
  std::string add(std::string_view piece, bool last);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace weir::sim
