// SHA-256 as a value: what credentials are known by once they are out of the request. Not for
// passwords.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace weir::identity {

using digest = std::array<std::uint8_t, 32>;

// Thread-safe, no allocation after a thread's first call.
[[nodiscard]] digest sha256(std::string_view text);

// 64 lower-case hexadecimal digits, and back; nothing where the text is anything else.
[[nodiscard]] std::string to_hex(const digest& d);
[[nodiscard]] std::optional<digest> digest_from_hex(std::string_view text);

// For hash tables: a digest is already uniform, so its first bytes do.
struct digest_hash {
  std::size_t operator()(const digest& d) const {
    std::size_t h{};
    std::memcpy(&h, d.data(), sizeof h);
    return h;
  }
};

}  // namespace weir::identity
