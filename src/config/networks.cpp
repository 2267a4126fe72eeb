// CIDR networks, with the system's own reader of addresses.
#include <arpa/inet.h>
#include <array>
#include <fmt/format.h>

#include "config/places.hpp"
#include "config/values.hpp"

namespace weir::config {

namespace {

constexpr std::string_view expected =
    "expected a network such as 10.0.0.0/8 or fd00::/8, or a single address";

struct ip {
  int family{AF_INET};
  std::array<unsigned char, 16> bytes{};
  [[nodiscard]] int bits() const { return family == AF_INET ? 32 : 128; }
};

result<ip> parse_ip(const std::string& text) {
  ip out;
  if (inet_pton(AF_INET, text.c_str(), out.bytes.data()) == 1) return out;
  out.family = AF_INET6;
  if (inet_pton(AF_INET6, text.c_str(), out.bytes.data()) == 1) return out;
  return fail(std::string{expected});
}

// Clears the bits beyond the prefix; whether there were any.
bool clear_beyond(ip& address, int prefix) {
  bool any = false;
  for (int bit = prefix; bit < address.bits(); ++bit) {
    const auto mask = static_cast<unsigned char>(0x80U >> static_cast<unsigned>(bit % 8));
    auto& byte = address.bytes.at(static_cast<std::size_t>(bit / 8));
    any = any || (byte & mask) != 0;
    byte = static_cast<unsigned char>(byte & ~mask);
  }
  return any;
}

}  // namespace

result<std::string> parse_network(std::string_view text) {
  const auto slash = text.find('/');
  auto address = parse_ip(std::string{text.substr(0, slash)});
  if (!address) return address.error();
  int prefix = address->bits();
  if (slash != std::string_view::npos) {
    const auto length = parse_integer(text.substr(slash + 1));
    if (!length || *length > address->bits()) {
      return fail(fmt::format("expected a prefix length from 0 to {}", address->bits()));
    }
    prefix = static_cast<int>(*length);
  }
  const bool beyond = clear_beyond(*address, prefix);
  std::array<char, INET6_ADDRSTRLEN> written{};
  inet_ntop(address->family, address->bytes.data(), written.data(), written.size());
  auto canonical = fmt::format("{}/{}", written.data(), prefix);
  if (beyond) return fail(fmt::format("bits are set beyond the prefix; write {}", canonical));
  return canonical;
}

}  // namespace weir::config
