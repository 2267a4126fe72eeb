// Shapes of error bodies, each as its source sends it.
#include "sim/fault_body.hpp"

#include <algorithm>

namespace weir::sim {
namespace {

constexpr std::string_view json = "application/json";

constexpr canned_body bodies[] = {
    {"vllm", json,
     R"({"error":{"message":"fault on demand",)"
     R"("type":"InternalServerError","param":null,"code":STATUS}})"},
    {"old", json,
     R"({"object":"error","message":"fault on demand",)"
     R"("type":"InternalServerError","param":null,"code":STATUS})"},
    {"openai", json,
     R"({"error":{"message":"fault on demand",)"
     R"("type":"server_error","param":null,"code":null}})"},
    {"ollama", json, R"({"error":"fault on demand"})"},
    {"fastapi", json,
     R"({"detail":[{"loc":["body","messages"],)"
     R"("msg":"field required","type":"value_error.missing"}]})"},
    {"llamacpp", json,
     R"({"error":{"code":STATUS,"message":"Loading model","type":"unavailable_error"}})"},
    {"array", json,
     R"([{"error":{"code":STATUS,)"
     R"("message":"fault on demand","status":"INVALID_ARGUMENT"}}])"},
    {"null", json, "null"},
    {"html", "text/html", "<html><body><h1>Bad Gateway</h1></body></html>\n"},
    {"empty", json, ""},
    {"busy", json,
     R"({"error":"server busy, please try again.  maximum pending requests exceeded"})"},
    {"quota", json,
     R"({"error":{"message":"You exceeded your current quota",)"
     R"("type":"insufficient_quota","param":null,"code":"insufficient_quota"}})"},
};

}  // namespace

std::optional<canned_body> fault_body(std::string_view shape) {
  const auto* found = std::ranges::find(bodies, shape, &canned_body::shape);
  if (found == std::end(bodies)) return std::nullopt;
  return *found;
}

}  // namespace weir::sim
