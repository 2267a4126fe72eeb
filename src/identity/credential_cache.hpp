// Credentials that were verified, by their SHA-256: a bounded, thread-safe table. Holds no
// credential.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/time.hpp"
#include "identity/caller.hpp"
#include "identity/claims.hpp"
#include "identity/digest.hpp"

namespace weir::identity {

// How long a verified credential is taken without verifying it again.
inline constexpr microseconds cache_time{5min};

struct cached_credential {
  std::shared_ptr<const caller> who;  // without its address
  validity valid;                     // checked at every use, by whoever asks
  mono_time until{};                  // when it must be verified again
  std::uint64_t generation{0};        // of the keys that verified it
};

// Set-associative: a credential may stand in any of the four places of one set and, where they are
// taken, pushes out one that no longer counts, else one in turn. So nothing is allocated after the
// start, and a flood of good tokens can only cost others a second verification. A lock is held for
// one look at a set.
class credential_cache {
 public:
  static constexpr std::size_t ways{4};

  // Room for `capacity` credentials, rounded up to a power of two and at least 4.
  explicit credential_cache(std::size_t capacity);

  // Nothing where it is not held, from an older generation, or due for verification.
  [[nodiscard]] std::optional<cached_credential> find(const digest& key, std::uint64_t generation,
                                                      mono_time now);
  void insert(const digest& key, cached_credential entry, mono_time now);
  [[nodiscard]] std::size_t capacity() const { return sets_.size() * ways; }

 private:
  struct slot {
    digest key{};
    cached_credential entry;  // who: null where the place is free
  };
  struct set {
    std::array<slot, ways> slots;
    std::uint32_t turn{0};
  };
  struct alignas(64) stripe {
    std::mutex mutex;
  };
  [[nodiscard]] std::size_t index_of(const digest& key) const;
  static slot& place_for(set& s, const digest& key, std::uint64_t generation, mono_time now);

  std::vector<set> sets_;
  std::array<stripe, 64> stripes_;
};

}  // namespace weir::identity
