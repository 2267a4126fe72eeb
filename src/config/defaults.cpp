// What ships: the configuration of a weir that is given no file. The figures are those of the
// product's contract.
#include <stdexcept>

#include "config/loader.hpp"

namespace weir::config {

std::string_view defaults_text() {
  return R"(routes:
  /v1/:        { api: openai }
  /api/v1/ai/: { api: plain }

providers:
  engine: { url: http://127.0.0.1:8000, engine: vllm }

tiers:
  FREE:       { limits: [10 requests/min] }
  PRO:        { limits: [60 requests/min] }
  ENTERPRISE: { limits: [300 requests/min] }
  AGENT:      { limits: [20 requests/min sliding_window, 60000 tokens/min sliding_window] }

models:
  llama3.1:70b: { limits: [5 requests/min] }
  llama3.1:8b:  { limits: [200 requests/min] }
  mistral:7b:   { limits: [150 requests/min] }
  "*":          { limits: [50 requests/min] }
)";
}

settings defaults() {
  const auto outcome = load_text(defaults_text(), "(defaults)", {});
  if (!outcome.value) throw std::logic_error{to_text(outcome.mistakes.front())};
  return *outcome.value;
}

}  // namespace weir::config
