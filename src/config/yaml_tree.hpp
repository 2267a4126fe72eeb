// A YAML document as a plain tree with places. Only what a configuration needs: scalars are text,
// names are unique, no anchors, aliases, tags or second documents. Knows nothing of options.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/diagnostic.hpp"

namespace weir::config {

// Where something stands, from 1; columns count bytes.
struct mark {
  int line{1};
  int column{1};
};

enum class shape : std::uint8_t {
  nothing,   // a name with no value, ~ or null
  scalar,    // text, quoted or not
  sequence,  // a list
  mapping,   // names with values, in the order of the file
};

struct node {
  config::shape shape{shape::nothing};
  mark at;
  std::string text;                // scalar
  std::vector<node> items;         // sequence, and the values of a mapping
  std::vector<std::string> names;  // mapping: names[i] goes with items[i]
  std::vector<mark> name_marks;    // mapping: where names[i] stands
};

// A place that is wrong, before it is known which file it is in.
struct mistake_at {
  mark at;
  std::string message;
};

// A document and what is wrong with it. With mistakes, the tree lacks what was wrong.
struct parsed_text {
  node root;
  bool complete{false};  // read to its end, so that what the tree lacks was not merely cut off
  std::vector<mistake_at> mistakes;
};

// Reads one document. Errors: text that is not UTF-8, control characters, tabs as indentation, bad
// YAML, an empty document, nesting beyond 16, duplicate names, anchors, aliases, tags, more
// documents.
[[nodiscard]] parsed_text parse_yaml(std::string_view text);

}  // namespace weir::config
