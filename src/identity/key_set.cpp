// See key_set.hpp.
#include "identity/key_set.hpp"

namespace weir::identity {

std::variant<const signing_key*, reason> key_set::find(const std::string* kid, algorithm a) const {
  const signing_key* found = nullptr;
  bool other_type = false;
  for (const auto& key : keys_) {
    if (kid && key.kid != *kid) continue;
    if (kid && !key.fits(a)) {
      other_type = true;
      continue;
    }
    if (found) return reason::ambiguous_key;
    found = &key;
  }
  if (!found) return other_type ? reason::no_key_for_algorithm : reason::unknown_key;
  if (!found->fits(a)) return reason::no_key_for_algorithm;
  return found;
}

}  // namespace weir::identity
