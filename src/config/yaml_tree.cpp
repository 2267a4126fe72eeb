// Builds the tree from yaml-cpp's events; the only file that knows yaml-cpp.
#include "config/yaml_tree.hpp"

#include <fmt/format.h>
#include <map>
#include <sstream>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "config/text_check.hpp"

namespace weir::config {

namespace {

constexpr std::size_t deepest = 16;  // the options need 6

mark to_mark(const YAML::Mark& at) { return {at.line + 1, at.column + 1}; }

class tree_builder final : public YAML::EventHandler {
 public:
  explicit tree_builder(std::vector<mistake_at>& mistakes) : mistakes_{mistakes} {}

  void OnDocumentStart(const YAML::Mark& /*at*/) override {}
  void OnDocumentEnd() override {}
  void OnAnchor(const YAML::Mark& at, const std::string& /*name*/) override {
    refuse(at, "anchors (&name) are not supported; write the value again where it is needed");
  }
  void OnAlias(const YAML::Mark& at, YAML::anchor_t /*anchor*/) override {
    refuse(at, "aliases (*name) are not supported; write the value again, or quote it: \"*\"");
    value({.shape = shape::nothing, .at = to_mark(at)}, shape::nothing);
  }
  void OnNull(const YAML::Mark& at, YAML::anchor_t /*anchor*/) override {
    value({.shape = shape::nothing, .at = to_mark(at)}, shape::nothing);
  }
  void OnScalar(const YAML::Mark& at, const std::string& tag, YAML::anchor_t /*anchor*/,
                const std::string& text) override {
    refuse_tag(at, tag);
    value({.shape = shape::scalar, .at = to_mark(at), .text = text}, shape::scalar);
  }
  void OnSequenceStart(const YAML::Mark& at, const std::string& tag, YAML::anchor_t /*anchor*/,
                       YAML::EmitterStyle::value /*style*/) override {
    refuse_tag(at, tag);
    open({.shape = shape::sequence, .at = to_mark(at)});
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& at, const std::string& tag, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {
    refuse_tag(at, tag);
    open({.shape = shape::mapping, .at = to_mark(at)});
  }
  void OnMapEnd() override { close(); }

  node take() { return std::move(root_); }

 private:
  // An open list or mapping. Its node is kept here and moved into its parent when it ends.
  struct level {
    node value;
    bool expects_name{false};
    bool kept{true};  // false: the value of a name that cannot be used
    std::map<std::string, int, std::less<>> lines;  // of the names so far
  };

  void refuse(const YAML::Mark& at, std::string message) {
    mistakes_.push_back({to_mark(at), std::move(message)});
  }

  void refuse_tag(const YAML::Mark& at, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!") {
      refuse(at, fmt::format("the tag {} is not supported; remove it", quoted(tag)));
    }
  }

  void open(node fresh) {
    if (open_.size() == deepest) {
      mistakes_.push_back({fresh.at, fmt::format("nested deeper than {} levels", deepest)});
    }
    const bool maps = fresh.shape == shape::mapping;
    open_.push_back({.value = std::move(fresh), .expects_name = maps});
  }

  void close() {
    const bool too_deep = open_.size() > deepest;
    node done = std::move(open_.back().value);
    open_.pop_back();
    if (too_deep) done = {.shape = shape::nothing, .at = done.at};
    const auto what = done.shape;
    value(std::move(done), what);
  }

  void value(node done, shape what) {
    if (open_.empty()) {
      root_ = std::move(done);
      return;
    }
    auto& parent = open_.back();
    if (parent.expects_name) {
      name(parent, std::move(done), what);
      return;
    }
    const bool maps = parent.value.shape == shape::mapping;
    const bool unplaced = done.shape == shape::nothing && maps && parent.kept;
    if (unplaced) done.at = parent.value.name_marks.back();  // yaml-cpp gives the next line
    if (parent.kept) parent.value.items.push_back(std::move(done));
    parent.kept = true;
    parent.expects_name = maps;
  }

  void name(level& parent, node written, shape what) {
    parent.expects_name = false;
    if (what != shape::scalar) {
      mistakes_.push_back({written.at, "a name was expected here; quote it if it is one"});
      parent.kept = false;
    } else if (const auto [first, fresh] = parent.lines.emplace(written.text, written.at.line);
               !fresh) {
      mistakes_.push_back({written.at, fmt::format("{} stands here twice (first in line {}); "
                                                   "keep one",
                                                   quoted(written.text), first->second)});
      parent.kept = false;
    } else {
      parent.value.names.push_back(std::move(written.text));
      parent.value.name_marks.push_back(written.at);
    }
  }

  std::vector<mistake_at>& mistakes_;
  std::vector<level> open_;
  node root_;
};

// What was probably meant where yaml-cpp gave up.
std::string_view hint(std::string_view text, const YAML::ParserException& e) {
  for (int line = 0; line < e.mark.line; ++line) text.remove_prefix(text.find('\n') + 1);
  if (e.msg.find("anchor") != std::string::npos) return "; quote a name such as \"*\"";
  if (text.substr(0, text.find('\n')).find("${") != std::string_view::npos) {
    return "; inside { } and [ ] quote \"${NAME}\"";
  }
  return "; is the file complete?";
}

void parse_into(parsed_text& out, std::string_view text) {
  std::istringstream stream{std::string{text}};
  tree_builder builder{out.mistakes};
  try {
    YAML::Parser parser{stream};
    const bool any = parser.HandleNextDocument(builder);
    out.root = builder.take();
    if (!any || out.root.shape == shape::nothing) {
      out.mistakes.push_back({{}, "the file is empty; write options, or run without a file"});
      return;
    }
    tree_builder second{out.mistakes};
    const bool more = parser.HandleNextDocument(second);
    out.complete = !more;
    if (more) {
      out.mistakes.push_back({second.take().at, "a second document; a file holds one only"});
    }
  } catch (const YAML::DeepRecursion& e) {
    out.mistakes.push_back({to_mark(e.mark), "nested far too deeply"});
  } catch (const YAML::ParserException& e) {
    out.mistakes.push_back(
        {to_mark(e.mark), fmt::format("not valid YAML: {}{}", e.msg, hint(text, e))});
  }
}

}  // namespace

parsed_text parse_yaml(std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  parsed_text out;
  out.mistakes = check_bytes(text);
  if (out.mistakes.empty()) parse_into(out, text);
  return out;
}

}  // namespace weir::config
