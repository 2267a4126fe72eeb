// What our parser takes, Boost.Beast's must take too, and see the same in it. We may refuse more.
// Cutting the bytes anywhere must not change the verdict.
#include <algorithm>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstdlib>
#include <string>
#include <string_view>

#include "wire/http.hpp"

namespace {

namespace http = boost::beast::http;
using namespace weir::wire;

void require(bool holds) {
  if (!holds) std::abort();
}

std::string_view view(boost::beast::string_view text) { return {text.data(), text.size()}; }

// Beast looks into lists that we pass on as they are; a malformed one is not our business.
bool is_list_trouble(const boost::beast::error_code& ec) { return ec == http::error::bad_value; }

template <class Parser, class Head>
void compare(std::string_view bytes, const Head& ours) {
  if constexpr (requires { ours.status; }) {
    if (bytes[12] == '\r') return;  // engines leave out the blank of an empty reason; Beast minds
  }
  Parser parser;
  parser.header_limit(1 << 20);
  parser.body_limit(boost::none);
  parser.eager(false);
  boost::beast::error_code ec;
  std::string_view head = bytes.substr(0, ours.size);
  if (head.starts_with("\r\n")) head.remove_prefix(2);
  parser.put(boost::asio::buffer(head.data(), head.size()), ec);
  if (is_list_trouble(ec)) return;
  require(!ec || ec == http::error::need_more);
  require(parser.is_header_done());
  const auto& theirs = parser.get();
  require(theirs.version() == 10U + static_cast<unsigned>(ours.minor_version));
  const auto fields = std::distance(theirs.begin(), theirs.end());
  require(static_cast<std::size_t>(fields) == ours.headers.size());
  for (const auto& field : theirs) {
    const bool same = std::any_of(ours.headers.begin(), ours.headers.end(), [&](const auto& line) {
      return line.name == view(field.name_string()) && line.value == view(field.value());
    });
    require(same);
  }
  if constexpr (requires { ours.method; }) {
    require(view(theirs.method_string()) == ours.method);
    require(view(theirs.target()) == ours.target);
    require(theirs.keep_alive() == ours.keep_alive);
    require(parser.chunked() == (ours.framing == body_framing::chunked));
    const auto length = parser.content_length();
    require((length ? *length : 0) == ours.content_length);
  } else {
    require(theirs.result_int() == static_cast<unsigned>(ours.status));
    if (ours.framing != body_framing::none) {
      require(parser.chunked() == (ours.framing == body_framing::chunked));
      require(parser.need_eof() == (ours.framing == body_framing::until_close));
    }
  }
}

template <class Head, class Parse>
void check(std::string_view bytes, Parse parse) {
  Head whole;
  http_error error;
  const parse_status verdict = parse(bytes, whole, error);
  const auto* begin = bytes.data();
  if (verdict == parse_status::complete) {
    require(whole.size <= bytes.size());
    for (const auto& line : whole.headers) {
      require(line.name.data() >= begin && line.value.data() >= begin);
      require(line.value.data() + line.value.size() <= begin + whole.size);
    }
  } else if (verdict == parse_status::bad) {
    require(error.status >= 400 && error.status < 600 && !error.message.empty());
  }
  Head part;
  for (std::size_t size = 0; size < bytes.size(); size += 1 + bytes.size() / 64) {
    const std::string copy{bytes.substr(0, size)};
    const parse_status early = parse(copy, part, error);
    if (verdict == parse_status::complete && size < whole.size)
      require(early == parse_status::need_more);
    if (verdict == parse_status::complete && size >= whole.size)
      require(early == parse_status::complete && part.size == whole.size);
    if (verdict == parse_status::need_more) require(early == parse_status::need_more);
  }
  if (verdict != parse_status::complete) return;
  if constexpr (requires { whole.method; })
    compare<http::request_parser<http::string_body>>(bytes, whole);
  else
    compare<http::response_parser<http::string_body>>(bytes, whole);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes{reinterpret_cast<const char*>(data), size};
  head_limits limits;
  limits.max_fields = 32;
  check<request_head>(bytes, [&](std::string_view in, request_head& out, http_error& error) {
    return parse_request_head(in, limits, out, error);
  });
  check<response_head>(bytes, [&](std::string_view in, response_head& out, http_error& error) {
    return parse_response_head(in, limits, false, out, error);
  });
  return 0;
}
