// See forwarded.hpp.
#include "identity/forwarded.hpp"

#include "identity/text.hpp"

namespace weir::identity {

namespace {

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string_view unquote(std::string_view text) {
  const bool quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return quoted ? text.substr(1, text.size() - 2) : text;
}

// A quoted text in for= that holds a comma or semicolon is taken apart here and then no address:
// back to the peer.
std::string_view for_parameter(std::string_view element) {
  std::string_view found;
  while (!element.empty()) {
    const auto end = element.find(';');
    const auto pair = trim(element.substr(0, end));
    element = end == std::string_view::npos ? std::string_view{} : element.substr(end + 1);
    const auto equals = pair.find('=');
    if (equals == std::string_view::npos || !same_word(trim(pair.substr(0, equals)), "for"))
      continue;
    if (!found.empty()) return {};
    found = unquote(trim(pair.substr(equals + 1)));
  }
  return found;
}

}  // namespace

std::optional<std::string_view> hop_reader::next_element() {
  if (!rest_) {
    if (lines_.empty()) return std::nullopt;
    rest_ = lines_.back();
    lines_ = lines_.first(lines_.size() - 1);
  }
  const auto comma = rest_->rfind(',');
  if (comma == std::string_view::npos) {
    const auto element = *rest_;
    rest_.reset();
    return element;
  }
  const auto element = rest_->substr(comma + 1);
  rest_ = rest_->substr(0, comma);
  return element;
}

std::optional<std::string_view> hop_reader::next() {
  const auto element = next_element();
  if (!element) return std::nullopt;
  if (syntax_ == syntax::parameters) return for_parameter(*element);
  return trim(*element);
}

}  // namespace weir::identity
