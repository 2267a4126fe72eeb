// Values by type: which parser reads which.
#include "config/read_value.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>

#include "config/option_tree.hpp"
#include "config/places.hpp"
#include "config/values.hpp"

namespace weir::config {

namespace {

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

template <class T>
result<value> widen(result<T> parsed) {
  if (!parsed) return parsed.error();
  return value{std::move(*parsed)};
}

result<value> in_range(const option& row, result<value> parsed, std::int64_t number) {
  if (parsed && (number < row.least || (row.most != 0 && number > row.most))) {
    return fail(fmt::format("out of range: expected {}", range_of(row)));
  }
  return parsed;
}

// RFC 9110 token, and none of the headers that already mean something between the hops.
result<value> read_header(const std::string& text) {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  const bool token = !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [&](char c) {
    return is_alphanumeric(c) || marks.find(c) != std::string_view::npos;
  });
  const auto upper = to_upper(text);
  for (const std::string_view taken :
       {"HOST", "AUTHORIZATION", "CONNECTION", "CONTENT-LENGTH", "CONTENT-TYPE",
        "TRANSFER-ENCODING", "COOKIE", "TE", "UPGRADE", "EXPECT"}) {
    if (upper == taken) return fail("this header has a meaning of its own; choose another");
  }
  if (!token) return fail(fmt::format("expected {}", expected_of(kind::header)));
  return value{text};
}

result<value> read_name(const option& row, const std::string& text) {
  if (!is_plain_name(text)) return fail(fmt::format("expected {}", expected_of(kind::name)));
  return value{row.upper_case ? to_upper(text) : text};
}

// A choice is stored as its index, a text with choices as itself.
result<value> read_choice(const option& row, const std::string& text) {
  const auto words = choice_words(row);
  const auto found = std::ranges::find(words, std::string_view{text});
  if (found != words.end()) {
    if (row.type == kind::text) return value{text};
    return value{static_cast<std::int64_t>(found - words.begin())};
  }
  return fail(fmt::format("expected {}", fmt::join(words, ", ")));
}

result<value> read_text(const option& row, const std::string& text) {
  if (has_control(text)) return fail("a line break or control character cannot stand here");
  if (!row.choices.empty()) return read_choice(row, text);
  if (row.least > 0 && text.empty()) return fail("expected a text that is not empty");
  return value{text};
}

}  // namespace

bool has_control(std::string_view text) {
  return std::ranges::any_of(text, [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) == 0x7F;
  });
}

bool is_plain_name(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [](char c) {
    return is_alphanumeric(c) || c == '.' || c == '_' || c == '-' || c == ':' || c == '/';
  });
}

std::string to_upper(std::string_view text) {
  std::string out{text};
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return out;
}

std::string range_of(const option& row) {
  const auto text = [&](std::int64_t number) {
    if (row.type == kind::duration) return format_duration(microseconds{number});
    if (row.type == kind::size) return format_size(number);
    return fmt::format("{}", number);
  };
  if (row.type == kind::text) return row.least == 0 ? std::string{} : "not empty";
  if (row.most == 0) return row.least == 0 ? std::string{} : "at least " + text(row.least);
  return fmt::format("{} to {}", text(row.least), text(row.most));
}

result<value> read_value(const option& row, const std::string& text) {
  switch (row.type) {
    case kind::flag:
      return widen(parse_flag(text));
    case kind::integer: {
      const auto number = parse_integer(text);
      return in_range(row, widen(number), number ? *number : 0);
    }
    case kind::size: {
      const auto bytes = parse_size(text);
      return in_range(row, widen(bytes), bytes ? *bytes : 0);
    }
    case kind::duration: {
      const auto length = parse_duration(text);
      return in_range(row, widen(length), length ? length->count() : 0);
    }
    case kind::text:
    case kind::secret:
      return read_text(row, text);
    case kind::name:
      return read_name(row, text);
    case kind::header:
      return read_header(text);
    case kind::choice:
      return read_choice(row, text);
    case kind::address:
      return widen(parse_address(text));
    case kind::url:
      return widen(parse_url(text));
    case kind::provider:
      return widen(parse_provider_url(text));
    case kind::network:
      return widen(parse_network(text));
    case kind::origin:
      return widen(parse_origin(text));
    case kind::section:
    case kind::limit:
      break;
  }
  throw std::logic_error{"read_value is not for sections and limits"};
}

}  // namespace weir::config
