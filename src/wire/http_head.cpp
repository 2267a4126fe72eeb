// Looking into a parsed head, and moving it to where its bytes were copied.
#include <algorithm>

#include "wire/http.hpp"

namespace weir::wire {

std::string_view message_head::get(field f) const {
  for (const auto& line : headers) {
    if (line.known == f) return line.value;
  }
  return {};
}

bool message_head::has(field f) const {
  return std::any_of(headers.begin(), headers.end(),
                     [f](const header_line& line) { return line.known == f; });
}

std::string_view message_head::get(std::string_view name) const {
  for (const auto& line : headers) {
    if (iequals(line.name, name)) return line.value;
  }
  return {};
}

void message_head::move_view(std::string_view& view, const char* from, const char* to) const {
  if (view.data() < from || view.data() > from + size) return;
  view = {to + (view.data() - from), view.size()};
}

void message_head::rebase(const char* from, const char* to) {
  for (auto& line : headers) {
    line.name = {to + (line.name.data() - from), line.name.size()};
    line.value = {to + (line.value.data() - from), line.value.size()};
  }
}

void request_head::rebase_all(const char* from, const char* to) {
  rebase(from, to);
  move_view(method, from, to);
  move_view(target, from, to);
  move_view(path, from, to);
  move_view(query, from, to);
}

void response_head::rebase_all(const char* from, const char* to) {
  rebase(from, to);
  move_view(reason, from, to);
}

}  // namespace weir::wire
