// Taking the URL apart.
#include "sim/stress_target.hpp"

#include <charconv>

namespace weir::sim {
namespace {

constexpr std::string_view expected =
    "expected http://HOST[:PORT] or https://HOST[:PORT], with or without /v1 behind it";

error wrong(std::string_view what) {
  return fail("URL: " + std::string{what} + "; " + std::string{expected});
}

bool read_port(std::string_view text, std::uint16_t& port) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), port);
  return problem == std::errc{} && end == text.data() + text.size() && port != 0;
}

bool plain(std::string_view text) {
  for (const char c : text)
    if (c <= ' ' || c == '\x7f' || c == '"' || c == '\\' || c == '<' || c == '>') return false;
  return true;
}

std::string path_of(std::string_view prefix) {
  while (prefix.ends_with('/')) prefix.remove_suffix(1);
  std::string path{prefix};
  if (path.ends_with("/chat/completions")) return path;
  if (!path.ends_with("/v1")) path += "/v1";
  return path + "/chat/completions";
}

}  // namespace

result<stress_target> read_target(std::string_view url) {
  stress_target out;
  if (url.starts_with("https://")) {
    out.https = true;
    out.port = 443;
  } else if (!url.starts_with("http://")) {
    return wrong("no scheme that is known here");
  }
  url.remove_prefix(out.https ? 8 : 7);
  if (!plain(url)) return wrong("characters that do not belong there");
  if (url.find_first_of("?#@") != std::string_view::npos)
    return wrong("user names, queries and fragments have no meaning here");
  const auto slash = url.find('/');
  const std::string_view authority = url.substr(0, slash);
  const std::string_view prefix = slash == url.npos ? std::string_view{} : url.substr(slash);
  std::string_view host = authority;
  std::string_view port;
  if (authority.starts_with('[')) {
    const auto close = authority.find(']');
    if (close == authority.npos) return wrong("the IPv6 address lacks its ]");
    host = authority.substr(1, close - 1);
    port = authority.substr(close + 1);
  } else if (const auto colon = authority.find(':'); colon != authority.npos) {
    host = authority.substr(0, colon);
    port = authority.substr(colon);
  }
  if (host.empty()) return wrong("no host");
  if (!port.empty() && (port.front() != ':' || !read_port(port.substr(1), out.port)))
    return wrong("the port is no number from 1 to 65535");
  out.host = host;
  out.authority = authority;
  out.path = path_of(prefix);
  return out;
}

}  // namespace weir::sim
