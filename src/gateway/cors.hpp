// Browsers' cross-origin rules. Off unless origins are configured; then exactly those are answered,
// never "*".
#pragma once

#include "gateway/exchange.hpp"
#include "net/response.hpp"

namespace weir::gateway {

// Whether the request is a preflight (OPTIONS with an Origin) or a bare OPTIONS: answered without a
// caller, and counted nowhere.
bool is_preflight(const wire::request_head& head);

// The answer to it: 204, with the allow fields where the origin is one of ours.
net::response_head preflight_answer(const wire::request_head& head,
                                    const config::cors_settings& cors);

// Adds the fields that let a page of an allowed origin read an answer; for refusals and streams
// too.
void add_cors(const wire::request_head& head, const config::cors_settings& cors,
              net::response_head& out);

}  // namespace weir::gateway
