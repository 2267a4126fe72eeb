// Where something is on the network: addresses to listen at, base URLs, networks, origins. Pure: no
// name is looked up. Errors say what was expected and never quote the text, which may hold a
// password.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "config/settings.hpp"

namespace weir::config {

// "HOST:PORT", "[V6]:PORT" or ":PORT" (all interfaces). PORT is 0 (chosen by the system) to 65535.
[[nodiscard]] result<address> parse_address(std::string_view text);

// A backend's base URL: http or https, a host, perhaps a port and a path. No query, fragment or
// user. The path loses its trailing slashes.
[[nodiscard]] result<url> parse_url(std::string_view text);

// A model provider's base URL: as parse_url, and a trailing "/v1" goes too, since weir adds the
// whole path.
[[nodiscard]] result<url> parse_provider_url(std::string_view text);

// A network such as "10.0.0.0/8" or "fd00::/8"; a single address stands for itself. Returned in
// canonical text with its prefix length. Bits beyond the prefix are an error.
[[nodiscard]] result<std::string> parse_network(std::string_view text);

// An origin as browsers send it: "https://app.example" or "http://localhost:3000".
[[nodiscard]] result<std::string> parse_origin(std::string_view text);

// "http(s)://HOST[:PORT]PATH" of a parsed URL.
[[nodiscard]] std::string format_url(const url& value);

// "HOST:PORT", brackets around an IPv6 literal.
[[nodiscard]] std::string format_address(const address& value);

}  // namespace weir::config
