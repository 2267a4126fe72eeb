// The mistakes of one load as they are found, and where every option of the file stands. Not
// thread-safe; one per load.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/diagnostic.hpp"
#include "config/yaml_tree.hpp"

namespace weir::config {

class report {
 public:
  explicit report(std::string_view file) : file_{file} {}

  void add(mark at, std::string message);

  // At the place of a path such as "models.m.targets[0]", or of the nearest path above it that the
  // file has. Does nothing where a mistake stands already: this one follows from it.
  void add_at(std::string_view path, std::string message);

  // Remembers where a path stands.
  void place(const std::string& path, mark at) { places_.emplace(path, at); }

  // Whether the file has that path.
  [[nodiscard]] bool has(std::string_view path) const { return places_.contains(path); }

  [[nodiscard]] std::size_t count() const { return mistakes_.size(); }

  // All mistakes in the order of the file.
  [[nodiscard]] std::vector<diagnostic> take();

 private:
  std::string file_;
  std::vector<diagnostic> mistakes_;
  std::map<std::string, mark, std::less<>> places_;
};

}  // namespace weir::config
