// The parser of HTTP/1.x heads. One pass over the bytes, a table for token characters.
#include "wire/http.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace weir::wire {
namespace {

constexpr std::array<bool, 256> make_token_table() {
  std::array<bool, 256> table{};
  for (int c = 'a'; c <= 'z'; ++c) table[c] = true;
  for (int c = 'A'; c <= 'Z'; ++c) table[c] = true;
  for (int c = '0'; c <= '9'; ++c) table[c] = true;
  for (const char c : std::string_view{"!#$%&'*+-.^_`|~"})
    table[static_cast<unsigned char>(c)] = true;
  return table;
}
constexpr auto token_table = make_token_table();

bool is_token_char(char c) { return token_table[static_cast<unsigned char>(c)]; }

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

struct known_name {
  std::string_view name;
  field id;
};
constexpr std::array known_names{
    known_name{"te", field::te},
    known_name{"host", field::host},
    known_name{"cookie", field::cookie},
    known_name{"expect", field::expect},
    known_name{"origin", field::origin},
    known_name{"trailer", field::trailer},
    known_name{"upgrade", field::upgrade},
    known_name{"location", field::location},
    known_name{"forwarded", field::forwarded},
    known_name{"x-api-key", field::x_api_key},
    known_name{"connection", field::connection},
    known_name{"keep-alive", field::keep_alive},
    known_name{"set-cookie", field::set_cookie},
    known_name{"retry-after", field::retry_after},
    known_name{"content-type", field::content_type},
    known_name{"x-request-id", field::x_request_id},
    known_name{"authorization", field::authorization},
    known_name{"content-length", field::content_length},
    known_name{"accept-encoding", field::accept_encoding},
    known_name{"idempotency-key", field::idempotency_key},
    known_name{"x-forwarded-for", field::x_forwarded_for},
    known_name{"content-encoding", field::content_encoding},
    known_name{"proxy-connection", field::proxy_connection},
    known_name{"transfer-encoding", field::transfer_encoding},
    known_name{"proxy-authorization", field::proxy_authorization},
};

field recognise(std::string_view name) {
  const char first = lower(name.front());
  for (const auto& known : known_names) {
    if (known.name.size() < name.size()) continue;
    if (known.name.size() > name.size()) break;
    if (known.name.front() == first && iequals(known.name, name)) return known.id;
  }
  return field::other;
}

// The first byte at or after `from` that may not stand in a header's value or reason phrase.
const char* end_of_text(const char* from, const char* end) {
  constexpr std::uint64_t ones = 0x0101010101010101ULL;
  constexpr std::uint64_t high = 0x8080808080808080ULL;
  while (end - from >= 8) {
    std::uint64_t word;
    std::memcpy(&word, from, 8);
    const std::uint64_t below_space = (word - ones * 0x20) & ~word & high;
    const std::uint64_t is_del = ((word ^ (ones * 0x7f)) - ones) & ~(word ^ (ones * 0x7f)) & high;
    if ((below_space | is_del) != 0) break;
    from += 8;
  }
  for (; from != end; ++from) {
    const auto byte = static_cast<unsigned char>(*from);
    if ((byte < 0x20 && byte != '\t') || byte == 0x7f) break;
  }
  return from;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// A cursor over the head; `fail` and `more` say how a step ended.
struct cursor {
  const char* at;
  const char* end;
  http_error& error;
  parse_status status{parse_status::complete};

  bool refuse(std::string_view message, int code_status = 400,
              std::string_view code = "bad_request") {
    error = http_error{code_status, code, message};
    status = parse_status::bad;
    return false;
  }
  bool more() {
    status = parse_status::need_more;
    return false;
  }
  // CRLF, nothing else.
  bool line_end() {
    if (at == end) return more();
    if (*at != '\r') {
      return refuse(*at == '\n' ? "lines must end with CR LF, found a bare LF"
                                : "control character in the head of the message");
    }
    if (at + 1 == end) return more();
    if (at[1] != '\n') return refuse("a CR in the head must be followed by LF");
    at += 2;
    return true;
  }
  std::string_view token() {
    const char* from = at;
    while (at != end && is_token_char(*at)) ++at;
    return {from, static_cast<std::size_t>(at - from)};
  }
};

bool parse_length(std::string_view text, std::uint64_t& out) {
  if (text.empty() || text.size() > 18) return false;
  out = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return false;
    out = out * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return true;
}

bool parse_line(cursor& in, message_head& head) {
  if (*in.at == ' ' || *in.at == '\t') return in.refuse("a header line may not be folded");
  const std::string_view name = in.token();
  if (in.at == in.end) return in.more();
  if (name.empty() || *in.at != ':')
    return in.refuse("a header's name must be a token followed by ':'");
  ++in.at;
  const char* from = in.at;
  in.at = end_of_text(in.at, in.end);
  const std::string_view value = trim({from, static_cast<std::size_t>(in.at - from)});
  if (!in.line_end()) return false;
  head.headers.push_back({name, value, recognise(name)});
  return true;
}

bool parse_fields(cursor& in, const head_limits& limits, message_head& head) {
  for (;;) {
    if (in.at == in.end) return in.more();
    if (*in.at == '\r' || *in.at == '\n') return in.line_end();
    if (head.headers.size() == limits.max_fields) {
      return in.refuse("too many header fields", 431, "header_too_large");
    }
    if (!parse_line(in, head)) return false;
  }
}

// Content-Length and Transfer-Encoding, judged together (RFC 9112, 6.3; stricter on purpose).
bool parse_framing(cursor& in, message_head& head) {
  bool sized = false;
  bool chunked = false;
  for (const auto& line : head.headers) {
    if (line.known == field::content_length) {
      if (sized) return in.refuse("more than one Content-Length");
      if (!parse_length(line.value, head.content_length))
        return in.refuse("Content-Length must be a number of bytes");
      sized = true;
    } else if (line.known == field::transfer_encoding) {
      if (chunked) return in.refuse("more than one Transfer-Encoding");
      if (!iequals(line.value, "chunked"))
        return in.refuse("Transfer-Encoding other than 'chunked'");
      chunked = true;
    }
  }
  if (sized && chunked) return in.refuse("both Content-Length and Transfer-Encoding");
  if (chunked && head.minor_version == 0) return in.refuse("Transfer-Encoding in HTTP/1.0");
  if (chunked) head.framing = body_framing::chunked;
  if (sized) head.framing = head.content_length > 0 ? body_framing::sized : body_framing::none;
  return true;
}

void parse_connection(message_head& head) {
  head.keep_alive = head.minor_version == 1;
  for (const auto& line : head.headers) {
    if (line.known != field::connection) continue;
    if (list_has(line.value, "close")) {
      head.keep_alive = false;
      return;
    }
    if (list_has(line.value, "keep-alive")) head.keep_alive = true;
  }
}

bool parse_version(cursor& in, int& minor) {
  constexpr std::string_view prefix = "HTTP/1.";
  const auto available = static_cast<std::size_t>(in.end - in.at);
  const std::string_view seen{in.at, std::min(available, prefix.size())};
  if (prefix.substr(0, seen.size()) != seen) {
    return in.refuse("expected HTTP/1.0 or HTTP/1.1", seen.starts_with("HTTP/") ? 505 : 400,
                     "bad_request");
  }
  if (available <= prefix.size()) return in.more();
  const char digit = in.at[prefix.size()];
  if (digit != '0' && digit != '1')
    return in.refuse("expected HTTP/1.0 or HTTP/1.1", 505, "bad_request");
  minor = digit - '0';
  in.at += prefix.size() + 1;
  return true;
}

// The target's path and query; an absolute form must name the Host it came with.
bool parse_target(cursor& in, request_head& head) {
  std::string_view rest = head.target;
  std::string_view authority;
  if (rest.starts_with("http://") || rest.starts_with("https://")) {
    rest.remove_prefix(rest.find("//") + 2);
    const auto slash = rest.find_first_of("/?");
    authority = rest.substr(0, slash);
    rest = slash == std::string_view::npos ? std::string_view{"/"} : rest.substr(slash);
    if (!iequals(authority, head.get(field::host)))
      return in.refuse("the target's authority and Host differ");
  }
  if (head.target.find('#') != std::string_view::npos)
    return in.refuse("the request target may not hold a fragment");
  const auto mark = rest.find('?');
  head.path = rest.substr(0, mark);
  head.query = mark == std::string_view::npos ? std::string_view{} : rest.substr(mark + 1);
  const bool star = head.target == "*" && head.method == "OPTIONS";
  if (!star && !head.path.starts_with('/'))
    return in.refuse("the request target must begin with '/'");
  return true;
}

bool parse_request_line(cursor& in, request_head& head) {
  if (in.at != in.end && *in.at == '\r' && !in.line_end()) return false;
  head.method = in.token();
  if (in.at == in.end) return in.more();
  if (head.method.empty() || head.method.size() > 32 || *in.at != ' ') {
    return in.refuse("expected a method, a target and HTTP/1.1");
  }
  const char* from = ++in.at;
  while (in.at != in.end && static_cast<unsigned char>(*in.at) > 0x20 &&
         static_cast<unsigned char>(*in.at) < 0x7f) {
    ++in.at;
  }
  if (in.at == in.end) return in.more();
  head.target = {from, static_cast<std::size_t>(in.at - from)};
  if (head.target.empty() || *in.at != ' ')
    return in.refuse("the request target must be one word of ASCII");
  ++in.at;
  return parse_version(in, head.minor_version) && in.line_end();
}

bool check_host(cursor& in, const request_head& head) {
  const auto hosts =
      std::count_if(head.headers.begin(), head.headers.end(),
                    [](const header_line& line) { return line.known == field::host; });
  if (hosts > 1) return in.refuse("more than one Host");
  if (hosts == 0 && head.minor_version == 1) return in.refuse("Host is missing");
  if (head.get(field::host).find_first_of(" \t,/?#@\\\"<>") != std::string_view::npos)
    return in.refuse("Host must be one name or address, with or without a port");
  return true;
}

// Nothing of an earlier head may be left where a parse ends early: its views point to bytes that
// are gone.
void forget(message_head& head, body_framing framing) {
  head.headers.clear();
  head.minor_version = 1;
  head.framing = framing;
  head.content_length = 0;
  head.keep_alive = true;
  head.size = 0;
}

parse_status finish(const cursor& in, std::string_view all, const head_limits& limits,
                    http_error& error) {
  const auto used = static_cast<std::size_t>(in.at - all.data());
  const bool too_long = in.status == parse_status::need_more ? all.size() >= limits.max_bytes
                                                             : used > limits.max_bytes;
  if (in.status == parse_status::bad || !too_long) return in.status;
  error = http_error{431, "header_too_large", "the head of the message is too large"};
  return parse_status::bad;
}

}  // namespace

parse_status parse_request_head(std::string_view in, const head_limits& limits, request_head& out,
                                http_error& error) {
  forget(out, body_framing::none);
  out.method = out.target = out.path = out.query = {};
  out.expect_continue = false;
  cursor at{in.data(), in.data() + in.size(), error};
  const bool parsed = parse_request_line(at, out) && parse_fields(at, limits, out) &&
                      check_host(at, out) && parse_framing(at, out) && parse_target(at, out);
  if (parsed) {
    parse_connection(out);
    out.size = static_cast<std::size_t>(at.at - in.data());
    out.expect_continue = out.minor_version == 1 && iequals(out.get(field::expect), "100-continue");
    if (out.has(field::expect) && !out.expect_continue && out.minor_version == 1) {
      at.refuse("Expect other than 100-continue", 417, "expectation_failed");
    }
  }
  return finish(at, in, limits, error);
}

parse_status parse_response_head(std::string_view in, const head_limits& limits, bool to_head,
                                 response_head& out, http_error& error) {
  forget(out, body_framing::until_close);
  out.status = 0;
  out.reason = {};
  cursor at{in.data(), in.data() + in.size(), error};
  const auto status_line = [&] {
    if (!parse_version(at, out.minor_version)) return false;
    if (at.end - at.at < 5) return at.more();
    const bool digits = at.at[0] == ' ' && at.at[1] >= '1' && at.at[1] <= '9' && at.at[2] >= '0' &&
                        at.at[2] <= '9' && at.at[3] >= '0' && at.at[3] <= '9';
    if (!digits || (at.at[4] != ' ' && at.at[4] != '\r'))
      return at.refuse("expected a status of three digits");
    out.status = (at.at[1] - '0') * 100 + (at.at[2] - '0') * 10 + (at.at[3] - '0');
    at.at += 4;
    const char* from = at.at;
    at.at = end_of_text(at.at, at.end);
    out.reason = trim({from, static_cast<std::size_t>(at.at - from)});
    return at.line_end();
  };
  if (status_line() && parse_fields(at, limits, out) && parse_framing(at, out)) {
    parse_connection(out);
    out.size = static_cast<std::size_t>(at.at - in.data());
    if (to_head || out.status < 200 || out.status == 204 || out.status == 304)
      out.framing = body_framing::none;
  }
  return finish(at, in, limits, error);
}

bool iequals(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [](char x, char y) { return lower(x) == lower(y); });
}

bool list_has(std::string_view list, std::string_view token) {
  while (!list.empty()) {
    const auto comma = list.find(',');
    if (iequals(trim(list.substr(0, comma)), token)) return true;
    if (comma == std::string_view::npos) return false;
    list.remove_prefix(comma + 1);
  }
  return false;
}

bool is_header_value(std::string_view text) {
  return end_of_text(text.data(), text.data() + text.size()) == text.data() + text.size();
}

}  // namespace weir::wire
