// Open addressing with linear probing at most half full: one hash, one comparison per look-up.
#include "observe/series_table.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>

#include "observe/family.hpp"
#include "observe/utf8.hpp"

namespace weir::observe {
namespace {

constexpr std::size_t npos = static_cast<std::size_t>(-1);

// The key of a series, built on the stack.
class joined {
 public:
  explicit joined(std::span<const std::string_view> values) {
    for (const std::string_view value : values) {
      const std::size_t size = std::min(value.size(), series_table::max_value);
      bytes_[size_++] = static_cast<char>(size);
      if (size != 0) std::memcpy(&bytes_[size_], value.data(), size);
      size_ += size;
    }
  }
  [[nodiscard]] std::string_view view() const { return {bytes_.data(), size_}; }
  [[nodiscard]] std::uint64_t hash() const { return std::hash<std::string_view>{}(view()); }

 private:
  std::array<char, max_labels*(series_table::max_value + 1)> bytes_;
  std::size_t size_{0};
};

}  // namespace

std::size_t series_table::find_or_add(std::span<const std::string_view> values) {
  const joined key{values};
  const std::size_t found = find(key.hash(), key.view());
  return (found != npos ? found : add_new(values)) * width_;
}

std::vector<std::string_view> series_table::values(std::size_t series) const {
  std::vector<std::string_view> out;
  std::string_view rest{&keys_[entries_[series].key_at], entries_[series].key_size};
  while (!rest.empty()) {
    const auto size = static_cast<unsigned char>(rest[0]);
    out.push_back(rest.substr(1, size));
    rest.remove_prefix(1U + size);
  }
  return out;
}

std::size_t series_table::find(std::uint64_t hash, std::string_view key) const {
  if (slots_.empty()) return npos;
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = hash & mask; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const entry& e = entries_[slots_[slot] - 1];
    if (e.hash == hash && std::string_view{keys_.data() + e.key_at, e.key_size} == key) {
      return slots_[slot] - 1;
    }
  }
  return npos;
}

// Off the hot path: the values as they may be shown, or "other" where there is no place.
std::size_t series_table::add_new(std::span<const std::string_view> values) {
  std::array<std::string, max_labels> clean;
  std::array<std::string_view, max_labels> views;
  for (std::size_t i = 0; i < values.size(); ++i) {
    views[i] = clean[i] = valid_utf8(values[i], max_value);
  }
  const joined key{{views.data(), labels_}};
  if (const std::size_t found = find(key.hash(), key.view()); found != npos) return found;
  if (entries_.size() + 1 < most_) return add(key.hash(), key.view());
  views.fill("other");
  const joined other{{views.data(), labels_}};
  const std::size_t found = find(other.hash(), other.view());
  return found != npos ? found : add(other.hash(), other.view());
}

std::size_t series_table::add(std::uint64_t hash, std::string_view key) {
  entries_.push_back(
      {hash, static_cast<std::uint32_t>(keys_.size()), static_cast<std::uint32_t>(key.size())});
  keys_ += key;
  cells_.resize(cells_.size() + width_);
  rehash();
  return entries_.size() - 1;
}

void series_table::rehash() {
  std::size_t begin = entries_.size() - 1;
  if (slots_.size() < entries_.size() * 2) {
    slots_.assign(std::max<std::size_t>(8, slots_.size() * 2), 0);
    begin = 0;
  }
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = begin; i < entries_.size(); ++i) {
    std::size_t slot = entries_[i].hash & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<std::uint32_t>(i + 1);
  }
}

}  // namespace weir::observe
