// The body of an HTTP/1.x message, decoded as it arrives: sized, chunked or until close. Views into
// the caller's bytes, nothing is copied. Chunk extensions and trailers are read and dropped; both
// are bounded.
#pragma once

#include <cstdint>
#include <string_view>

#include "wire/http.hpp"

namespace weir::wire {

enum class body_step : std::uint8_t {
  data,       // `piece` holds payload
  need_more,  // everything was consumed, more must come
  done,       // the body ended; what is left of the input belongs to the next message
  bad,        // not a body: the connection is of no further use
};

class body_decoder {
 public:
  body_decoder() = default;
  body_decoder(body_framing framing, std::uint64_t content_length);

  // Takes bytes off the front of `in` and yields the next piece of payload, if any.
  body_step next(std::string_view& in, std::string_view& piece);

  // For until_close: whether an end of the connection here is a proper end of the body.
  [[nodiscard]] bool may_end_here() const {
    return framing_ == body_framing::until_close || state_ == state::done;
  }
  [[nodiscard]] bool done() const { return state_ == state::done; }

 private:
  enum class state : std::uint8_t {
    size,
    extension,
    size_lf,
    data,
    data_cr,
    data_lf,
    trailer,
    trailer_lf,
    done,
    bad
  };
  body_step chunked(std::string_view& in, std::string_view& piece);
  bool size_digit(char c);
  state control(char c);

  std::uint64_t left_{0};      // bytes of payload still due, or the size being read
  std::uint32_t overhead_{0};  // bytes of extensions and trailers so far
  body_framing framing_{body_framing::none};
  state state_{state::done};
  std::uint8_t digits_{0};
  bool line_empty_{true};  // in the trailer: nothing on this line yet
};

}  // namespace weir::wire
