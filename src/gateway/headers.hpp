// Which header fields pass between caller and engine. Credentials, hop-by-hop fields and what weir
// says itself never do.
#pragma once

#include <string>
#include <string_view>

#include "net/response.hpp"
#include "wire/http.hpp"

namespace weir::gateway {

// Whether a caller's field goes to a model provider: not the hop-by-hop ones, not weir's own,
// nothing that smells of a credential or of the caller's account with a provider.
bool passes_to_engine(const wire::header_line& line);

// Whether a caller's field goes to a plain HTTP backend: all but hop-by-hop fields and credentials
// meant for weir.
bool passes_to_backend(const wire::header_line& line);

// Adds to `out` what of a model provider's head may be seen by the caller: a short allow-list, and
// the provider's own limit headers under X-Provider-.
void pass_from_engine(const wire::response_head& from, net::response_head& out);

// Adds what of a plain HTTP backend's head goes to the caller: all but hop-by-hop and framing
// fields.
void pass_from_backend(const wire::response_head& from, net::response_head& out);

// Whether a value may serve as a request id: 1 to 128 of letters, digits, '-', '_', '.'.
bool is_request_id(std::string_view text);

}  // namespace weir::gateway
