// Shared by the two halves of jwk.hpp's implementation only.
#pragma once

#include "identity/jwk.hpp"

namespace weir::identity {

// Takes over a cjose key (null: an error) and finds its type. Errors as in key_from_pem.
result<signing_key> adopt_jwk(cjose_jwk_t* raw);

}  // namespace weir::identity
