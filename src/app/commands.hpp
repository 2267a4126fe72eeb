// The verbs of the command line; each adds itself to the parser and sets `run` when it is called.
// One file each.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace weir::app {

// What main runs after parsing; returns the exit status.
using command = std::function<int()>;

void add_serve(CLI::App& root, command& run);
void add_check(CLI::App& root, command& run);
void add_key(CLI::App& root, command& run);
void add_token(CLI::App& root, command& run);
void add_status(CLI::App& root, command& run);
void add_provider(CLI::App& root, command& run);
void add_sim(CLI::App& root, command& run);
void add_stress(CLI::App& root, command& run);

}  // namespace weir::app
