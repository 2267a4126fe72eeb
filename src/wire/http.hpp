// HTTP/1.x heads: bytes in, facts out. Strict where leniency has let requests be smuggled: CRLF
// line ends only, no folding, no blank before a colon, one Content-Length of digits only, `chunked`
// alone as Transfer-Encoding, never both. No I/O; a parse never reads beyond the span it was given
// and keeps no state between calls.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace weir::wire {

// The header fields that are asked for on every call, recognised while parsing.
enum class field : std::uint8_t {
  other,                // any name not listed here
  accept_encoding,      // never forwarded as it came
  authorization,        // the caller's credentials
  connection,           // hop by hop
  content_encoding,     // of an answer: how its body is coded
  content_length,       // framing
  content_type,         // tells a stream from a whole answer
  cookie,               // forwarded on http routes only
  expect,               // 100-continue
  forwarded,            // RFC 7239
  host,                 // required once in HTTP/1.1
  idempotency_key,      // passed on
  keep_alive,           // hop by hop
  location,             // never followed, never passed on from an engine
  origin,               // CORS
  proxy_authorization,  // hop by hop
  proxy_connection,     // hop by hop
  retry_after,          // of an answer
  set_cookie,           // forwarded on http routes only
  te,                   // hop by hop
  trailer,              // hop by hop
  transfer_encoding,    // framing
  upgrade,              // hop by hop
  x_api_key,            // the caller's credentials
  x_forwarded_for,      // counts from trusted proxies only
  x_request_id,         // taken over when it is well-formed
};

// One header line; name and value point into the buffer that was parsed.
struct header_line {
  std::string_view name;
  std::string_view value;  // without the blanks around it
  field known{field::other};
};

enum class body_framing : std::uint8_t {
  none,         // no body
  sized,        // Content-Length bytes
  chunked,      // Transfer-Encoding: chunked
  until_close,  // answers only: everything up to the end of the connection
};

// Why a head was refused: the status to answer with, a code and a sentence.
struct http_error {
  int status{400};
  std::string_view code;
  std::string_view message;
};

struct message_head {
  int minor_version{1};              // HTTP/1.minor
  std::vector<header_line> headers;  // in the order they came
  body_framing framing{body_framing::none};
  std::uint64_t content_length{0};  // where framing is sized
  bool keep_alive{true};            // by version and Connection
  std::size_t size{0};              // bytes of the head with its blank line

  // The first value of a recognised field; empty where it is absent.
  [[nodiscard]] std::string_view get(field f) const;
  [[nodiscard]] bool has(field f) const;
  // By name, case-insensitive; for fields that are not recognised.
  [[nodiscard]] std::string_view get(std::string_view name) const;
  // Makes every view point into a copy of the parsed bytes. Costs one pass over the headers.
  void rebase(const char* from, const char* to);

 protected:
  void move_view(std::string_view& view, const char* from, const char* to) const;
};

struct request_head : message_head {
  std::string_view method;
  std::string_view target;  // as sent
  std::string_view path;    // target without query; of an absolute form, its path
  std::string_view query;   // after '?', or empty
  bool expect_continue{false};
  void rebase_all(const char* from, const char* to);
};

struct response_head : message_head {
  int status{0};
  std::string_view reason;
  void rebase_all(const char* from, const char* to);
};

enum class parse_status : std::uint8_t {
  complete,   // the head is there
  need_more,  // a prefix of a head
  bad,        // refused; see the error
};

struct head_limits {
  std::size_t max_bytes{64 * 1024};
  std::size_t max_fields{128};
};

// Parses a request head at the start of `in`. One empty line before it is skipped (RFC 9112, 2.2).
parse_status parse_request_head(std::string_view in, const head_limits& limits, request_head& out,
                                http_error& error);

// Parses an answer's head. `to_head` says that the request was HEAD, so no body follows.
parse_status parse_response_head(std::string_view in, const head_limits& limits, bool to_head,
                                 response_head& out, http_error& error);

// Case-insensitive comparison of ASCII.
bool iequals(std::string_view a, std::string_view b);

// Whether a comma-separated list holds a token, case-insensitive.
bool list_has(std::string_view list, std::string_view token);

// Whether text may stand as a header's value: no control characters but a tab.
bool is_header_value(std::string_view text);

// "OK" for 200 and so on; "Status" for codes without a name.
std::string_view reason_phrase(int status);

}  // namespace weir::wire
