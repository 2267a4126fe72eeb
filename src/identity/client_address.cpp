// See client_address.hpp. The headers' syntax is in forwarded.cpp.
#include "identity/client_address.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <charconv>
#include <fmt/format.h>

#include "identity/forwarded.hpp"

namespace weir::identity {

namespace {

constexpr std::size_t max_trusted_hops{32};
constexpr std::array<std::uint8_t, 12> mapped_prefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};

std::optional<int> number_in(std::string_view text, int largest) {
  int value = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, value);
  const bool whole = failure == std::errc{} && stop == end;
  if (!whole || value < 0 || value > largest) return std::nullopt;
  return value;
}

// inet_pton wants a terminated text; the buffer holds the longest address.
bool parse_literal(int family, std::string_view text, std::uint8_t* out) {
  std::array<char, INET6_ADDRSTRLEN> terminated{};
  if (text.empty() || text.size() >= terminated.size()) return false;
  std::ranges::copy(text, terminated.begin());
  return std::ranges::find(text, '\0') == text.end() &&
         ::inet_pton(family, terminated.data(), out) == 1;
}

std::optional<ip_address> parse_v4(std::string_view text) {
  ip_address a;
  std::ranges::copy(mapped_prefix, a.bytes.begin());
  if (!parse_literal(AF_INET, text, a.bytes.data() + mapped_prefix.size())) return std::nullopt;
  return a;
}

std::optional<ip_address> parse_v6(std::string_view text) {
  const auto zone = text.find('%');
  if (zone != std::string_view::npos && zone + 1 == text.size()) return std::nullopt;
  ip_address a;
  if (!parse_literal(AF_INET6, text.substr(0, zone), a.bytes.data())) return std::nullopt;
  return a;
}

bool is_port(std::string_view text) { return number_in(text, 65535).has_value(); }

std::string text_of(const std::array<std::uint8_t, 16>& bytes) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  ::inet_ntop(AF_INET6, bytes.data(), text.data(), text.size());
  return text.data();
}

bool same_bits(const ip_address& a, const ip_address& b, int count) {
  for (int bit = 0; bit < count; ++bit) {
    const auto at = static_cast<std::size_t>(bit / 8);
    const auto mask = 0x80U >> static_cast<unsigned>(bit % 8);
    if ((a.bytes[at] & mask) != (b.bytes[at] & mask)) return false;
  }
  return true;
}

}  // namespace

std::optional<ip_address> ip_address::parse(std::string_view text) {
  if (text.starts_with('[')) {
    const auto close = text.find(']');
    if (close == std::string_view::npos) return std::nullopt;
    const auto rest = text.substr(close + 1);
    if (!rest.empty() && (rest.front() != ':' || !is_port(rest.substr(1)))) return std::nullopt;
    return parse_v6(text.substr(1, close - 1));
  }
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return parse_v4(text);
  if (text.find(':', colon + 1) != std::string_view::npos) return parse_v6(text);
  if (!is_port(text.substr(colon + 1))) return std::nullopt;
  return parse_v4(text.substr(0, colon));
}

bool ip_address::is_v4() const {
  return std::ranges::equal(mapped_prefix, std::span{bytes}.first<12>());
}

std::string limit_subject(const ip_address& a) {
  if (a.is_v4())
    return fmt::format("{}.{}.{}.{}", a.bytes[12], a.bytes[13], a.bytes[14], a.bytes[15]);
  auto network = a.bytes;
  std::ranges::fill(network.begin() + 8, network.end(), std::uint8_t{0});
  return text_of(network) + "/64";
}

result<trusted_networks> trusted_networks::make(const std::vector<std::string>& cidrs) {
  trusted_networks made;
  for (const auto& cidr : cidrs) {
    const std::string_view text{cidr};
    const auto slash = text.find('/');
    const auto address = ip_address::parse(text.substr(0, slash));
    const bool v4 = text.find(':') == std::string_view::npos;
    const auto prefix = slash == std::string_view::npos
                            ? std::optional{v4 ? 32 : 128}
                            : number_in(text.substr(slash + 1), v4 ? 32 : 128);
    if (!address || !prefix)
      return fail(
          fmt::format("'{}' is no network; expected one such as 10.0.0.0/8 or fd00::/8", cidr));
    network n{*address, *prefix + (v4 ? 96 : 0)};
    for (int bit = n.prefix; bit < 128; ++bit)
      if (n.address.bytes[static_cast<std::size_t>(bit / 8)] &
          (0x80U >> static_cast<unsigned>(bit % 8)))
        return fail(fmt::format("'{}' has bits set after its prefix", cidr));
    made.networks_.push_back(n);
  }
  return made;
}

bool trusted_networks::contains(const ip_address& a) const {
  return std::ranges::any_of(networks_,
                             [&](const network& n) { return same_bits(a, n.address, n.prefix); });
}

namespace {

// The right-most hop that is not trusted, or the left-most one; nothing where a hop on the way is
// no address or the way is too long. A list without hops is `start` itself.
std::optional<ip_address> walk(hop_reader hops, const ip_address& start,
                               const trusted_networks& trusted) {
  ip_address last = start;
  for (std::size_t passed = 0; passed < max_trusted_hops; ++passed) {
    const auto hop = hops.next();
    if (!hop) return last;
    const auto address = ip_address::parse(*hop);
    if (!address) return std::nullopt;
    if (!trusted.contains(*address)) return address;
    last = *address;
  }
  return std::nullopt;
}

}  // namespace

std::string client_address(std::string_view peer, header_values x_forwarded_for,
                           header_values forwarded, const trusted_networks& trusted) {
  const auto own = ip_address::parse(peer);
  if (!own) return std::string{peer};
  if (!trusted.contains(*own) || (x_forwarded_for.empty() && forwarded.empty()))
    return limit_subject(*own);
  auto found = walk(hop_reader::x_forwarded_for(x_forwarded_for), *own, trusted);
  if (!forwarded.empty()) {
    const auto other = walk(hop_reader::forwarded(forwarded), *own, trusted);
    if (x_forwarded_for.empty()) {
      found = other;
    } else if (found != other) {
      found.reset();
    }
  }
  return limit_subject(found.value_or(*own));
}

}  // namespace weir::identity
