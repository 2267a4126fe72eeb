// Decoding of gzip bodies, for counting only.
#pragma once

#include <string>
#include <string_view>

namespace weir::gateway {

// False: not gzip, damaged, or larger than `max_bytes` when decoded.
bool gunzip(std::string_view coded, std::size_t max_bytes, std::string& out);

}  // namespace weir::gateway
