// The changes to a request body.
#include <algorithm>

#include "wire/openai.hpp"

namespace weir::wire {
namespace {

std::string_view max_name(endpoint at) {
  return at == endpoint::responses ? "max_output_tokens" : "max_tokens";
}

}  // namespace

rewrite::rewrite(std::string_view body, endpoint at, const request_facts& facts,
                 const rewrite_wish& wish) {
  std::string inserted;  // new members, behind the outermost '{'
  if (wish.max_tokens) edit_bound(at, facts, *wish.max_tokens, inserted);
  if (wish.ask_for_usage && !facts.include_usage) edit_usage(facts, inserted);
  if (!inserted.empty()) edits_.push_back({facts.root + 1, 0, std::move(inserted)});
  if (!wish.model.empty() && wish.model != facts.model) {
    edits_.push_back({facts.model_value.offset, facts.model_value.size, quote(wish.model)});
  }
  std::ranges::sort(edits_, {}, &edit::offset);
  cut(body);
}

void rewrite::edit_bound(endpoint at, const request_facts& facts, std::int64_t bound,
                         std::string& inserted) {
  const std::string text = std::to_string(bound);
  const max_field* unset = nullptr;
  bool stands = false;
  for (const auto& field : facts.max_fields) {
    if (field.is_null) {
      if (field.obeyed) unset = &field;
      continue;
    }
    if (!field.amount || *field.amount > bound) {
      edits_.push_back({field.value.offset, field.value.size, text});
    }
    stands = stands || field.obeyed;
  }
  if (stands) return;
  if (unset != nullptr) {
    edits_.push_back({unset->value.offset, unset->value.size, text});
    return;
  }
  inserted += '"';
  inserted += max_name(at);
  inserted += "\":" + text + ",";
}

void rewrite::edit_usage(const request_facts& facts, std::string& inserted) {
  if (!facts.stream_options) {
    inserted += R"("stream_options":{"include_usage":true},)";
  } else if (!facts.stream_options_object) {
    edits_.push_back(
        {facts.stream_options->offset, facts.stream_options->size, R"({"include_usage":true})"});
  } else if (facts.usage_option) {
    edits_.push_back({facts.usage_option->offset, facts.usage_option->size, "true"});
  } else {
    edits_.push_back(
        {facts.stream_options->offset + 1, 0,
         facts.stream_options_empty ? R"("include_usage":true)" : R"("include_usage":true,)"});
  }
}

void rewrite::cut(std::string_view body) {
  std::size_t at = 0;
  pieces_.reserve(2 * edits_.size() + 1);
  for (const auto& one : edits_) {
    pieces_.push_back(body.substr(at, one.offset - at));
    pieces_.push_back(one.text);
    at = one.offset + one.removed;
  }
  pieces_.push_back(body.substr(at));
  for (const auto& piece : pieces_) size_ += piece.size();
}

}  // namespace weir::wire
