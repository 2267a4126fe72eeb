// weir: the command line. START HERE for the program; for the life of a request see
// gateway/pipeline.cpp.
#include <cstdio>
#include <exception>
#include <fmt/format.h>

#include "app/commands.hpp"

int main(int argc, char** argv) {
  CLI::App root{"weir: limits, budgets and breakers in front of language models"};
  root.set_version_flag("--version", std::string{"weir "} + WEIR_VERSION);
  root.require_subcommand(1);
  weir::app::command run;
  weir::app::add_serve(root, run);
  weir::app::add_check(root, run);
  weir::app::add_sim(root, run);
  weir::app::add_stress(root, run);
  weir::app::add_status(root, run);
  weir::app::add_provider(root, run);
  weir::app::add_key(root, run);
  weir::app::add_token(root, run);
  try {
    root.parse(argc, argv);
    return run();
  } catch (const CLI::ParseError& e) {
    return root.exit(e) == 0 ? 0 : 2;
  } catch (const std::exception& e) {
    fmt::print(stderr, "weir: {}\n", e.what());
    return 1;
  }
}
