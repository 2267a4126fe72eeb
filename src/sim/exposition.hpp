// /metrics of the simulated engine with vLLM 0.32's names and labels, and a GPU's readings as
// dcgm-exporter gives them. Text only.
#pragma once

#include <string>
#include <string_view>

#include "base/time.hpp"
#include "sim/engine.hpp"

namespace weir::sim {

// `created` is when counting began: the value of the _created series.
std::string vllm_exposition(const engine& of, std::string_view model, wall_time created);

// One GPU whose utilisation is the share of the last second that the engine computed in, and whose
// memory is a fixed part for weights plus the KV cache in use.
std::string dcgm_exposition(const engine& of, mono_time now);

}  // namespace weir::sim
