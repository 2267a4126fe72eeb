// See credential_cache.hpp.
#include "identity/credential_cache.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace weir::identity {

credential_cache::credential_cache(std::size_t capacity)
    : sets_(std::bit_ceil(std::max(capacity, ways)) / ways) {}

std::size_t credential_cache::index_of(const digest& key) const {
  return digest_hash{}(key) & (sets_.size() - 1);
}

std::optional<cached_credential> credential_cache::find(const digest& key, std::uint64_t generation,
                                                        mono_time now) {
  const auto index = index_of(key);
  const std::lock_guard lock{stripes_[index % stripes_.size()].mutex};
  for (const auto& [held, entry] : sets_[index].slots)
    if (entry.who && held == key && entry.generation == generation && now < entry.until)
      return entry;
  return std::nullopt;
}

credential_cache::slot& credential_cache::place_for(set& s, const digest& key,
                                                    std::uint64_t generation, mono_time now) {
  const auto same = [&](const slot& p) { return p.entry.who && p.key == key; };
  const auto useless = [&](const slot& p) {
    return !p.entry.who || p.entry.generation != generation || now >= p.entry.until;
  };
  auto place = std::ranges::find_if(s.slots, same);
  if (place == s.slots.end()) place = std::ranges::find_if(s.slots, useless);
  return place != s.slots.end() ? *place : s.slots[s.turn++ % ways];
}

void credential_cache::insert(const digest& key, cached_credential entry, mono_time now) {
  const auto index = index_of(key);
  std::shared_ptr<const caller> old;  // freed after the lock
  const std::lock_guard lock{stripes_[index % stripes_.size()].mutex};
  auto& place = place_for(sets_[index], key, entry.generation, now);
  old = std::move(place.entry.who);
  place = slot{key, std::move(entry)};
}

}  // namespace weir::identity
