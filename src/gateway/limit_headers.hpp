// What a caller is told of its limits on every answer.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "gateway/book.hpp"
#include "store/store.hpp"

namespace weir::gateway {

// The header lines (each with CR LF): X-RateLimit-Tier, X-RateLimit-Model, X-RateLimit-Remaining,
// and OpenAI's x-ratelimit-{limit,remaining,reset}-{requests,tokens} of the tightest limit of each
// unit.
std::string render_limit_headers(std::string_view tier, std::string_view model,
                                 std::span<const book_limit* const> limits,
                                 std::span<const store::verdict> verdicts);

}  // namespace weir::gateway
