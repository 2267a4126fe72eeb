// The verification keys of one JWKS document, and which of them a token means. Immutable, safe to
// share.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "identity/caller.hpp"
#include "identity/jwk.hpp"

namespace weir::identity {

class key_set {
 public:
  key_set() = default;
  explicit key_set(std::vector<signing_key> keys) : keys_{std::move(keys)} {}

  // With a kid (not null): the one key that has it and fits the algorithm. Without: the only key of
  // the set; where there are two, guessing is refused. The pointer lives as long as the set.
  [[nodiscard]] std::variant<const signing_key*, reason> find(const std::string* kid,
                                                              algorithm a) const;
  [[nodiscard]] std::size_t size() const { return keys_.size(); }

 private:
  std::vector<signing_key> keys_;
};

}  // namespace weir::identity
