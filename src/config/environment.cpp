// ${NAME} and ${NAME:-default} in the values of a configuration.
#include "config/environment.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>

namespace weir::config {

namespace {

bool is_name(std::string_view text) {
  const auto letter = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
  };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return !text.empty() && letter(text.front()) &&
         std::ranges::all_of(text, [&](char c) { return letter(c) || digit(c); });
}

// What stands between the braces, looked up.
result<std::string> look_up(std::string_view inside, const environment& variables) {
  const auto dash = inside.find(":-");
  const auto name = inside.substr(0, dash);
  if (!is_name(name)) {
    return fail(fmt::format(
        "'${{{}}}' does not name a variable; write ${{NAME}}, or ${{NAME:-default}}", name));
  }
  const auto found = variables.find(name);
  if (found != variables.end() && !found->second.empty()) return found->second;
  if (dash != std::string_view::npos) return std::string{inside.substr(dash + 2)};
  return fail(
      fmt::format("the environment variable {0} is unset or empty; set it, or write ${{{0}:-}} "
                  "where it may be",
                  name));
}

}  // namespace

environment process_environment() {
  environment all;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text{*entry};
    const auto equals = text.find('=');
    if (equals != std::string_view::npos) {
      all.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
  }
  return all;
}

result<std::string> expand(std::string_view text, const environment& variables) {
  std::string out;
  while (!text.empty()) {
    const auto open = text.find("${");
    if (open == std::string_view::npos) break;
    if (open > 0 && text[open - 1] == '$') {
      out.append(text.substr(0, open - 1)).append("${");
      text.remove_prefix(open + 2);
      continue;
    }
    const auto close = text.find('}', open);
    if (close == std::string_view::npos) {
      return fail("'${' without its '}'; write ${NAME}, or $${ for the characters themselves");
    }
    auto replacement = look_up(text.substr(open + 2, close - open - 2), variables);
    if (!replacement) return replacement.error();
    out.append(text.substr(0, open)).append(*replacement);
    text.remove_prefix(close + 1);
  }
  return out.append(text);
}

}  // namespace weir::config
