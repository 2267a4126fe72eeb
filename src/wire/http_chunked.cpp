// The decoder of HTTP bodies. A state per kind of byte that may come next; no look-ahead.
#include "wire/http_chunked.hpp"

#include <algorithm>

namespace weir::wire {
namespace {

constexpr std::uint32_t max_overhead = 16 * 1024;  // bytes of extensions and trailers in one body
constexpr int max_size_digits = 15;                // 2^60 bytes, far beyond any body

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_line_text(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return c == '\t' || (byte >= 0x20 && byte != 0x7f);
}

}  // namespace

body_decoder::body_decoder(body_framing framing, std::uint64_t content_length)
    : left_{framing == body_framing::sized ? content_length : 0}, framing_{framing} {
  switch (framing) {
    case body_framing::none:
      state_ = state::done;
      break;
    case body_framing::sized:
      state_ = content_length == 0 ? state::done : state::data;
      break;
    case body_framing::chunked:
      state_ = state::size;
      break;
    case body_framing::until_close:
      state_ = state::data;
      break;
  }
}

body_step body_decoder::next(std::string_view& in, std::string_view& piece) {
  if (state_ == state::done) return body_step::done;
  if (state_ == state::bad) return body_step::bad;
  if (in.empty()) return body_step::need_more;
  if (framing_ == body_framing::chunked) return chunked(in, piece);
  if (framing_ == body_framing::until_close) {
    piece = in;
    in = {};
    return body_step::data;
  }
  piece = in.substr(0, left_);
  in.remove_prefix(piece.size());
  left_ -= piece.size();
  if (left_ == 0) state_ = state::done;
  return body_step::data;
}

body_step body_decoder::chunked(std::string_view& in, std::string_view& piece) {
  while (!in.empty()) {
    if (state_ == state::data) {
      piece = in.substr(0, left_);
      in.remove_prefix(piece.size());
      left_ -= piece.size();
      if (left_ == 0) state_ = state::data_cr;
      return body_step::data;
    }
    state_ = control(in.front());
    if (state_ == state::bad) return body_step::bad;
    in.remove_prefix(1);
    if (state_ == state::done) return body_step::done;
  }
  return body_step::need_more;
}

bool body_decoder::size_digit(char c) {
  const int value = hex_value(c);
  if (value < 0 || ++digits_ > max_size_digits) return false;
  left_ = left_ * 16 + static_cast<std::uint64_t>(value);
  return true;
}

// The state after one byte that is not payload.
body_decoder::state body_decoder::control(char c) {
  switch (state_) {
    case state::size:
      if (digits_ > 0 && c == '\r') return state::size_lf;
      if (digits_ > 0 && c == ';') return state::extension;
      return size_digit(c) ? state::size : state::bad;
    case state::extension:
      if (c == '\r') return state::size_lf;
      return is_line_text(c) && ++overhead_ <= max_overhead ? state::extension : state::bad;
    case state::size_lf:
      if (c != '\n') return state::bad;
      digits_ = 0;
      line_empty_ = true;
      return left_ == 0 ? state::trailer : state::data;
    case state::data_cr:
      return c == '\r' ? state::data_lf : state::bad;
    case state::data_lf:
      return c == '\n' ? state::size : state::bad;
    case state::trailer:
      if (c == '\r') return state::trailer_lf;
      line_empty_ = false;
      return is_line_text(c) && ++overhead_ <= max_overhead ? state::trailer : state::bad;
    case state::trailer_lf: {
      if (c != '\n') return state::bad;
      const bool end = line_empty_;
      line_empty_ = true;
      return end ? state::done : state::trailer;
    }
    case state::data:
    case state::done:
    case state::bad:
      break;
  }
  return state::bad;
}

}  // namespace weir::wire
