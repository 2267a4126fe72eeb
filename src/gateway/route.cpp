// Step 1: where the request goes. The path's longest route prefix decides the dialect; within a
// model route the rest of the path names the operation. Nothing billable is reachable by any other
// path.
#include <array>

#include "gateway/cors.hpp"
#include "gateway/pipeline.hpp"

namespace weir::gateway {
namespace {

struct served_path {
  std::string_view path;  // behind the route's prefix
  operation op;
  std::string_view method;
};

constexpr std::array openai_paths{
    served_path{"chat/completions", operation::chat, "POST"},
    served_path{"completions", operation::completions, "POST"},
    served_path{"embeddings", operation::embeddings, "POST"},
    served_path{"responses", operation::responses, "POST"},
    served_path{"models", operation::models, "GET"},
};
constexpr std::array plain_paths{
    served_path{"chat", operation::chat, "POST"},
};

bool is_known_method(std::string_view method) {
  constexpr std::array known{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"};
  for (const std::string_view one : known) {
    if (one == method) return true;
  }
  return false;
}

bool method_fits(exchange& x, std::string_view expected) {
  if (x.method == expected || x.method == "OPTIONS" || (x.method == "HEAD" && expected == "GET"))
    return true;
  refuse_method(x, expected);
  return false;
}

template <std::size_t N>
bool find_operation(exchange& x, const std::array<served_path, N>& paths, std::string_view rest) {
  for (const auto& one : paths) {
    if (one.path != rest) continue;
    x.op = one.op;
    return method_fits(x, one.method);
  }
  return false;
}

bool route_models(exchange& x, std::string_view rest) {
  constexpr std::string_view prefix = "models/";
  if (!rest.starts_with(prefix) || rest.size() == prefix.size()) return false;
  x.op = operation::model;
  return method_fits(x, "GET");
}

bool route_model_call(exchange& x) {
  std::string_view rest = std::string_view{x.path}.substr(x.route->settings->prefix.size());
  while (rest.ends_with('/')) rest.remove_suffix(1);
  const bool plain = x.plain();
  if (plain ? find_operation(x, plain_paths, rest) : find_operation(x, openai_paths, rest))
    return true;
  if (x.refused) return false;
  if (!plain && route_models(x, rest)) return true;
  if (x.refused) return false;
  if (!plain && x.route->settings->passthrough) {
    x.op = operation::passthrough;
    return true;
  }
  refuse_simple(x, 404, "unknown_path",
                "this path is not served here; see the routes of weir's configuration");
  return false;
}

}  // namespace

bool route(exchange& x) {
  const auto& head = x.http.head();
  x.method = head.method;
  x.path = head.path;
  x.route = x.plan->route(x.path);
  if (!is_known_method(x.method)) {
    refuse_simple(x, 501, "method_not_supported", "this method is not supported");
    return false;
  }
  if (x.route == nullptr) {
    refuse_simple(x, 404, "unknown_path",
                  "no route begins like this path; see the routes of weir's configuration");
    return false;
  }
  if (x.route->backend) {
    x.op = operation::backend;
    x.path = std::string{std::string_view{head.target}.substr(head.target.find(head.path))};
    x.provider = &*x.route->backend;
    return true;
  }
  return route_model_call(x);
}

}  // namespace weir::gateway
