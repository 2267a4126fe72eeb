// Addresses by hand, URLs by Boost.URL (RFC 3986).
#include "config/places.hpp"

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>
#include <fmt/format.h>

#include "config/values.hpp"

namespace weir::config {

namespace {

constexpr std::string_view address_expected =
    "expected an address with a port, such as 0.0.0.0:8080, [::1]:8080 or :8080";

result<std::uint16_t> parse_port(std::string_view text) {
  const auto number = parse_integer(text);
  if (!number || *number > 65535) return fail("expected a port from 0 to 65535");
  return static_cast<std::uint16_t>(*number);
}

// Letters, digits, dots, hyphens and underscores: what names and IPv4 literals are made of.
bool is_host(std::string_view text) {
  constexpr std::string_view allowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
  return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos;
}

bool is_v6(std::string_view text) {
  return boost::urls::parse_uri(fmt::format("http://[{}]/", text)).has_value() &&
         !text.starts_with('v');
}

// Everything of a URL but what its path may lose.
result<url> take_apart(std::string_view text) {
  const auto parsed = boost::urls::parse_uri(text);
  const bool http = parsed && (parsed->scheme_id() == boost::urls::scheme::http ||
                               parsed->scheme_id() == boost::urls::scheme::https);
  if (!http || parsed->encoded_host().empty()) {
    return fail("expected a URL such as http://127.0.0.1:8000");
  }
  if (parsed->has_userinfo()) {
    return fail("a base URL cannot hold a user or password; give the key in `key`");
  }
  if (parsed->has_query() || parsed->has_fragment()) {
    return fail("a base URL cannot hold a query (?) or a fragment (#); remove it");
  }
  const bool v6 = parsed->host_type() == boost::urls::host_type::ipv6;
  if (!v6 && !is_host(parsed->encoded_host())) {
    return fail("expected a host name or an address in the URL");
  }
  url out;
  out.tls = parsed->scheme_id() == boost::urls::scheme::https;
  out.host = v6 ? std::string{parsed->host_ipv6_address().to_string()}
                : std::string{parsed->encoded_host()};
  out.port = out.tls ? 443 : 80;
  out.path = std::string{parsed->encoded_path()};
  if (!parsed->has_port()) return out;
  const std::string digits{parsed->port()};
  const auto port = parse_port(digits);
  if (!port || *port == 0) return fail("expected a port from 1 to 65535 in the URL");
  out.port = *port;
  return out;
}

void drop_trailing_slashes(std::string& path) {
  while (path.ends_with('/')) path.pop_back();
}

}  // namespace

result<address> parse_address(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return fail(std::string{address_expected});
  auto host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
    if (!is_v6(host)) return fail("expected an IPv6 address between the brackets");
  } else if (!host.empty() && !is_host(host)) {
    return fail(std::string{address_expected});
  }
  const auto port = parse_port(text.substr(colon + 1));
  if (!port) return port.error();
  return address{std::string{host}, *port};
}

result<url> parse_url(std::string_view text) {
  auto out = take_apart(text);
  if (out) drop_trailing_slashes(out->path);
  return out;
}

result<url> parse_provider_url(std::string_view text) {
  auto out = parse_url(text);
  if (out && out->path.ends_with("/v1")) {
    out->path.resize(out->path.size() - 3);
    drop_trailing_slashes(out->path);
  }
  return out;
}

result<std::string> parse_origin(std::string_view text) {
  const auto parsed = take_apart(text);
  if (!parsed || !parsed->path.empty()) {
    return fail("expected an origin such as https://app.example, without a path or a slash");
  }
  return std::string{text};
}

std::string format_address(const address& value) {
  const bool v6 = value.host.find(':') != std::string::npos;
  return fmt::format(fmt::runtime(v6 ? "[{}]:{}" : "{}:{}"), value.host, value.port);
}

std::string format_url(const url& value) {
  const auto authority = format_address({value.host, value.port});
  return fmt::format("{}://{}{}", value.tls ? "https" : "http", authority, value.path);
}

}  // namespace weir::config
