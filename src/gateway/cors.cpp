// Cross-origin answers.
#include "gateway/cors.hpp"

#include <algorithm>

namespace weir::gateway {
namespace {

constexpr std::string_view exposed =
    "Retry-After, X-Request-Id, X-RateLimit-Tier, X-RateLimit-Model, X-RateLimit-Remaining, "
    "x-ratelimit-limit-requests, "
    "x-ratelimit-remaining-requests, x-ratelimit-reset-requests, x-ratelimit-limit-tokens, "
    "x-ratelimit-remaining-tokens, "
    "x-ratelimit-reset-tokens, x-should-retry, X-Weir-Model, X-Weir-Provider, X-Weir-Attempts, "
    "X-Weir-Overhead-Us";
constexpr std::string_view allowed_methods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";
constexpr std::int64_t max_age_seconds = 600;

bool ours(std::string_view origin, const config::cors_settings& cors) {
  return !origin.empty() && std::ranges::find(cors.origins, origin) != cors.origins.end();
}

}  // namespace

bool is_preflight(const wire::request_head& head) { return head.method == "OPTIONS"; }

net::response_head preflight_answer(const wire::request_head& head,
                                    const config::cors_settings& cors) {
  net::response_head out{204};
  out.add("Allow", allowed_methods);
  const auto origin = head.get(wire::field::origin);
  if (!ours(origin, cors)) return out;
  out.add("Access-Control-Allow-Origin", origin);
  out.add("Vary", "Origin");
  out.add("Access-Control-Allow-Methods", allowed_methods);
  out.add("Access-Control-Allow-Headers", head.get("access-control-request-headers"));
  out.add("Access-Control-Max-Age", max_age_seconds);
  return out;
}

void add_cors(const wire::request_head& head, const config::cors_settings& cors,
              net::response_head& out) {
  if (cors.origins.empty()) return;
  const auto origin = head.get(wire::field::origin);
  if (!ours(origin, cors)) return;
  out.add("Access-Control-Allow-Origin", origin);
  out.add("Vary", "Origin");
  out.add("Access-Control-Expose-Headers", exposed);
}

}  // namespace weir::gateway
