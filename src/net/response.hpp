// The head of an answer while it is put together: status line and fields as text, framing added
// when it is sent.
#pragma once

#include <charconv>
#include <string>
#include <string_view>

#include "wire/http.hpp"

namespace weir::net {

class response_head {
 public:
  explicit response_head(int status) : status_{status} {
    text_.reserve(900);
    text_ += "HTTP/1.1 ";
    add_number(status);
    text_ += ' ';
    text_ += wire::reason_phrase(status);
    text_ += "\r\n";
  }

  // Adds a field. A value with control characters is dropped, so that no id can break out of its
  // header.
  response_head& add(std::string_view name, std::string_view value) {
    if (!wire::is_header_value(value)) return *this;
    text_ += name;
    text_ += ": ";
    text_ += value;
    text_ += "\r\n";
    return *this;
  }
  response_head& add(std::string_view name, std::int64_t value) {
    text_ += name;
    text_ += ": ";
    add_number(value);
    text_ += "\r\n";
    return *this;
  }

  [[nodiscard]] int status() const { return status_; }
  [[nodiscard]] std::string& text() { return text_; }

 private:
  void add_number(std::int64_t value) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    text_.append(digits, end);
  }

  int status_;
  std::string text_;
};

}  // namespace weir::net
