// Finding a name that stands twice.
#include "wire/member_names.hpp"

#include <algorithm>
#include <utility>

#include "wire/json.hpp"

namespace weir::wire {
namespace {

constexpr std::string_view long_s = "\xC5\xBF";
constexpr std::string_view kelvin = "\xE2\x84\xAA";

}  // namespace

member_names::verdict member_names::add(std::string_view written, std::string_view& name) {
  name = written;
  if (written.find('\\') != std::string_view::npos) {
    std::string text;
    unescape(written, text);
    name = resolved_.emplace_front(std::move(text));
  }
  if (size_ < few) {
    const auto seen = first_.begin() + static_cast<std::ptrdiff_t>(size_);
    if (std::find(first_.begin(), seen, name) != seen) return verdict::twice;
    first_[size_++] = name;
    if (size_ == few) all_.insert(first_.begin(), first_.end());
    return verdict::fresh;
  }
  if (!all_.insert(name).second) return verdict::twice;
  return all_.size() > most ? verdict::too_many : verdict::fresh;
}

bool is_misspelt(std::string_view name, std::string_view plain) {
  if (name.size() < plain.size() || name == plain) return false;
  for (const char expected : plain) {
    if (name.empty()) return false;
    std::size_t size = 1;
    char c = name.front();
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (name.starts_with(long_s)) {
      c = 's';
      size = long_s.size();
    }
    if (name.starts_with(kelvin)) {
      c = 'k';
      size = kelvin.size();
    }
    if (c != expected) return false;
    name.remove_prefix(size);
  }
  return name.empty();
}

}  // namespace weir::wire
