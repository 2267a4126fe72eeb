// The names of reasons.
#include "identity/caller.hpp"

namespace weir::identity {

std::string_view to_string(reason r) {
  switch (r) {
    case reason::missing_credentials:
      return "missing_credentials";
    case reason::unsupported_scheme:
      return "unsupported_scheme";
    case reason::malformed_token:
      return "malformed_token";
    case reason::algorithm_refused:
      return "algorithm_refused";
    case reason::forbidden_header:
      return "forbidden_header";
    case reason::no_key_for_algorithm:
      return "no_key_for_algorithm";
    case reason::unknown_key:
      return "unknown_key";
    case reason::ambiguous_key:
      return "ambiguous_key";
    case reason::keys_expired:
      return "keys_expired";
    case reason::bad_signature:
      return "bad_signature";
    case reason::missing_expiry:
      return "missing_expiry";
    case reason::malformed_claim:
      return "malformed_claim";
    case reason::expired:
      return "expired";
    case reason::not_yet_valid:
      return "not_yet_valid";
    case reason::wrong_issuer:
      return "wrong_issuer";
    case reason::wrong_audience:
      return "wrong_audience";
    case reason::bad_user:
      return "bad_user";
    case reason::unknown_api_key:
      return "unknown_api_key";
    case reason::api_key_expired:
      return "api_key_expired";
  }
  return "unknown";
}

}  // namespace weir::identity
