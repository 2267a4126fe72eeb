// zlib's deflate with a gzip header.
#include "sim/gzip.hpp"

#include <stdexcept>
#include <zlib.h>

namespace weir::sim {

struct gzip_stream::state {
  z_stream z{};
};

gzip_stream::gzip_stream() : state_{std::make_unique<state>()} {
  constexpr int gzip_window = 15 + 16;  // zlib's way to say gzip
  if (::deflateInit2(&state_->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, 8,
                     Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc{};
}

gzip_stream::~gzip_stream() { ::deflateEnd(&state_->z); }

std::string gzip_stream::add(std::string_view piece, bool last) {
  auto& z = state_->z;
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
  z.avail_in = static_cast<uInt>(piece.size());
  std::string out;
  char buffer[16 * 1024];
  do {
    z.next_out = reinterpret_cast<Bytef*>(buffer);
    z.avail_out = sizeof buffer;
    ::deflate(&z, last ? Z_FINISH : Z_SYNC_FLUSH);
    out.append(buffer, sizeof buffer - z.avail_out);
  } while (z.avail_out == 0);
  return out;
}

}  // namespace weir::sim
