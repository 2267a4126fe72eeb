// Whose address counts: the peer's, or what trusted proxies say of it. Pure functions on text; no
// sockets.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace weir::identity {

// An IPv4 or IPv6 address; IPv4 is held as its v4-mapped form, so that both spellings of one
// address are equal.
struct ip_address {
  std::array<std::uint8_t, 16> bytes{};
  friend bool operator==(const ip_address&, const ip_address&) = default;

  // Accepts "1.2.3.4", "1.2.3.4:80", "::1", "[::1]", "[::1]:80" and "fe80::1%eth0" (the zone is
  // dropped).
  static std::optional<ip_address> parse(std::string_view text);
  [[nodiscard]] bool is_v4() const;
};

// What limits count an address as: IPv4 whole, IPv6 by its /64 ("2001:db8::/64").
[[nodiscard]] std::string limit_subject(const ip_address& a);

// The networks whose word on X-Forwarded-For is taken. Immutable, safe to share.
class trusted_networks {
 public:
  trusted_networks() = default;
  // Errors: text that is no address or CIDR network, a prefix that is too long, host bits set after
  // the prefix.
  static result<trusted_networks> make(const std::vector<std::string>& cidrs);
  [[nodiscard]] bool contains(const ip_address& a) const;

 private:
  struct network {
    ip_address address;
    int prefix{128};  // of the 128-bit form
  };
  std::vector<network> networks_;
};

// The values of a header, one per header line, in the order they came.
using header_values = std::span<const std::string_view>;

// The address that limits count for a request that came from `peer`. Headers count only if the peer
// is trusted; then it is the right-most hop that is not trusted, or the left-most one if all are.
// Back to the peer: a hop on the way that is no address ("unknown", "_hidden", garbage), more than
// 32 trusted hops, or X-Forwarded-For and Forwarded (RFC 7239) that disagree, since one of them is
// then not the proxy's. A peer that is no address (a Unix socket) is returned as it is.
[[nodiscard]] std::string client_address(std::string_view peer, header_values x_forwarded_for,
                                         header_values forwarded, const trusted_networks& trusted);

}  // namespace weir::identity
