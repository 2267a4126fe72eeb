// Request bodies: whatever is taken can be rewritten, and the new body says what was wished and is
// taken too. The first byte chooses endpoint and wishes.
#include <cstdlib>
#include <string>
#include <string_view>

#include "wire/openai.hpp"
#include "wire/plain.hpp"

namespace {

using namespace weir::wire;

constexpr int depth = 64;

void require(bool holds) {
  if (!holds) std::abort();
}

bool is_bounded(const request_facts& facts, std::int64_t bound) {
  bool obeyed = false;
  for (const auto& field : facts.max_fields) {
    require(field.is_null || (field.amount && *field.amount <= bound));
    obeyed = obeyed || (field.obeyed && !field.is_null);
  }
  return obeyed;
}

void check_rewrite(std::string_view body, endpoint at, const request_facts& facts,
                   const rewrite_wish& wish) {
  const rewrite change{body, at, facts, wish};
  std::string out;
  for (const auto piece : change.pieces()) out += piece;
  require(out.size() == change.size());
  request_facts again;
  body_error error;
  require(read_request(out, at, depth, again, error));
  require(again.model == (wish.model.empty() ? facts.model : wish.model));
  require(again.answers == facts.answers && again.messages == facts.messages);
  require(again.prompt_bytes == facts.prompt_bytes && again.media == facts.media);
  require(again.stream == facts.stream);
  require(again.include_usage == (facts.include_usage || wish.ask_for_usage));
  if (wish.max_tokens) require(is_bounded(again, *wish.max_tokens));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const unsigned choice = data[0];
  const std::string body{reinterpret_cast<const char*>(data + 1), size - 1};
  const auto at = static_cast<endpoint>(choice % 4);
  rewrite_wish wish;
  if ((choice & 4U) != 0) wish.model = "org/other \"name\"";
  if ((choice & 8U) != 0) wish.max_tokens = 100;
  wish.ask_for_usage = (choice & 16U) != 0;
  request_facts facts;
  body_error error;
  if (read_request(body, at, depth, facts, error)) {
    require(!facts.model.empty() && facts.answers >= 1 && facts.prompt_bytes >= 0);
    require(facts.prompt_bytes <= 5 * static_cast<std::int64_t>(body.size()));
    check_rewrite(body, at, facts, wish);
  } else {
    require(error.status == 400 && !error.code.empty() && !error.message.empty());
  }
  std::string chat;
  body_error refused;
  if (plain_to_chat(body, "small", depth, chat, refused)) {
    request_facts plain;
    if (!read_request(chat, endpoint::chat, depth + 2, plain, refused))
      require(refused.code != "invalid_json" && refused.code != "invalid_utf8");
  }
  return 0;
}
