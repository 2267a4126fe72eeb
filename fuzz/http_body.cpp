// A body decodes to the same payload, the same end and the same verdict however its bytes are cut,
// and what is taken as chunked, Boost.Beast's parser takes too.
#include <algorithm>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstdlib>
#include <string>
#include <string_view>

#include "wire/http_chunked.hpp"

namespace {

namespace http = boost::beast::http;
using namespace weir::wire;

void require(bool holds) {
  if (!holds) std::abort();
}

struct outcome {
  body_step last{body_step::need_more};
  std::string payload;
  std::size_t used{0};
};

// The first byte of the input is the seed that decides where the rest is cut; 0: not at all.
outcome decode(body_decoder decoder, std::string_view bytes, unsigned seed) {
  outcome out;
  while (!bytes.empty()) {
    seed = seed * 1103515245U + 12345U;
    const std::size_t size = seed == 12345U ? bytes.size() : 1 + (seed >> 16) % 7;
    const std::string part{bytes.substr(0, size)};
    bytes.remove_prefix(part.size());
    std::string_view input = part;
    std::string_view piece;
    do {
      out.last = decoder.next(input, piece);
      if (out.last == body_step::data) {
        require(!piece.empty() && piece.data() >= part.data());
        require(piece.data() + piece.size() <= part.data() + part.size());
        out.payload += piece;
      }
    } while (out.last == body_step::data);
    out.used += part.size() - input.size();
    if (out.last != body_step::need_more) break;
    require(input.empty());
  }
  require(out.used == 0 || decoder.done() == (out.last == body_step::done));
  return out;
}

void compare(std::string_view bytes, const outcome& ours) {
  http::request_parser<http::string_body> parser;
  parser.body_limit(boost::none);
  parser.eager(true);
  boost::beast::error_code ec;
  std::string all = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  all += bytes.substr(0, ours.used);
  std::string_view left = all;
  while (!left.empty() && !parser.is_done()) {
    const std::size_t used = parser.put(boost::asio::buffer(left.data(), left.size()), ec);
    if (ec) break;
    left.remove_prefix(used);
  }
  // Beast checks what extensions and trailers say; we drop them unread.
  if (ec == http::error::bad_chunk_extension || bytes.find(';') != std::string_view::npos) return;
  if (ec == http::error::bad_field || ec == http::error::bad_value) return;
  require(!ec && parser.is_done());
  require(parser.get().body() == ours.payload);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const unsigned seed = data[0] + 1U;
  const std::string_view bytes{reinterpret_cast<const char*>(data) + 2, size - 2};
  const body_framing framing = data[1] % 4 == 1   ? body_framing::sized
                               : data[1] % 4 == 2 ? body_framing::until_close
                                                  : body_framing::chunked;
  const body_decoder decoder{framing, data[1] / 4U};
  const outcome whole = decode(decoder, bytes, 0);
  const outcome cut = decode(decoder, bytes, seed);
  require(whole.last == cut.last && whole.payload == cut.payload && whole.used == cut.used);
  if (framing == body_framing::chunked && whole.last == body_step::done) compare(bytes, whole);
  return 0;
}
