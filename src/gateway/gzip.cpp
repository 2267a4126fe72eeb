// gzip by zlib.
#include "gateway/gzip.hpp"

#include <array>
#include <zlib.h>

namespace weir::gateway {

bool gunzip(std::string_view coded, std::size_t max_bytes, std::string& out) {
  constexpr int gzip_only = 16 + MAX_WBITS;
  z_stream stream{};
  if (::inflateInit2(&stream, gzip_only) != Z_OK) return false;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(coded.data()));
  stream.avail_in = static_cast<uInt>(coded.size());
  std::array<char, 16 * 1024> block{};
  int state = Z_OK;
  while (state == Z_OK && out.size() <= max_bytes) {
    stream.next_out = reinterpret_cast<Bytef*>(block.data());
    stream.avail_out = static_cast<uInt>(block.size());
    state = ::inflate(&stream, Z_NO_FLUSH);
    out.append(block.data(), block.size() - stream.avail_out);
    if (state == Z_OK && stream.avail_in == 0 && stream.avail_out != 0) break;
  }
  ::inflateEnd(&stream);
  return state == Z_STREAM_END && out.size() <= max_bytes;
}

}  // namespace weir::gateway
