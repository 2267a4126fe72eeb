// What another parser takes, ours must take too; what ours takes beyond that are half surrogate
// pairs and numbers that fit no machine type. Values lie where they are said to lie.
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "wire/json_scan.hpp"

namespace {

using namespace weir::wire;

void require(bool holds) {
  if (!holds) std::abort();
}

struct checker {
  std::string_view text;
  int depth{0};

  bool value(const json_value& v, body_error&) {
    require(v.depth == depth);
    require(v.offset < text.size());
    const std::string_view here = text.substr(v.offset, v.size);
    switch (v.kind) {
      case json_kind::string:
        require(here.size() == v.raw.size() + 2 && here.front() == '"' && here.back() == '"');
        require(here.substr(1, v.raw.size()) == v.raw);
        check_escapes(v);
        break;
      case json_kind::array:
      case json_kind::object:
        require(text[v.offset] == (v.kind == json_kind::array ? '[' : '{'));
        ++depth;
        break;
      case json_kind::null:
      case json_kind::boolean:
      case json_kind::number:
        require(here == v.raw && !here.empty());
    }
    return true;
  }
  bool end(int ended, std::size_t offset, body_error&) {
    --depth;
    require(ended == depth && offset <= text.size());
    return true;
  }
  static void check_escapes(const json_value& v) {
    std::string out;
    unescape(v.raw, out);
    require(text_size(v) == static_cast<std::int64_t>(out.size()));
    require(v.escaped == (v.raw.find('\\') != std::string_view::npos));
  }
};

// What the other parser takes although it is no JSON: it skips a byte order mark, and a NUL ends
// its text.
bool is_lenient_about(std::string_view text) {
  return text.starts_with("\xEF\xBB\xBF") || text.find('\0') != std::string_view::npos;
}

// What it refuses although it is JSON.
bool may_differ(std::string_view text) {
  return text.find("\\u") != std::string_view::npos ||
         text.find_first_of("eE") != std::string_view::npos || text.size() > 300;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text{reinterpret_cast<const char*>(data), size};
  checker visitor{text};
  body_error error;
  const bool ours = walk_json(text, max_json_depth, visitor, error);
  require(ours == error.message.empty());
  if (ours) require(visitor.depth == 0);
  if (is_lenient_about(text) || error.message.starts_with("nested")) return 0;
  const bool theirs = nlohmann::json::accept(text);
  require(ours == theirs || (ours && may_differ(text)));
  return 0;
}
