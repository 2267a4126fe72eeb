// Whole answers, single events, and the times in header fields: nothing that an engine says can
// make a count negative, too large, or a crash. Two events in a row, split at the first LF, must
// read alike with and without memory of the first.
#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "wire/count.hpp"
#include "wire/durations.hpp"
#include "wire/stream_event.hpp"

namespace {

using namespace weir::wire;

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const usage& used) {
  for (const auto& count : {used.prompt, used.total, used.cached, used.cache_write}) {
    require(!count || (*count >= 0 && *count <= largest_report));
  }
  // With reasoning added to it.
  require(!used.completion || (*used.completion >= 0 && *used.completion <= 2 * largest_report));
  require(used.all() >= 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  answer_facts facts;
  read_answer(text, facts);
  check(facts.used);
  require(facts.content_bytes >= 0 && facts.choices >= 0);
  const auto middle = std::min(text.find('\n'), text.size());
  const auto rest = middle == text.size() ? std::string_view{} : text.substr(middle + 1);
  for (const auto at : {endpoint::chat, endpoint::responses}) {
    event_reader reader;
    usage quick_usage;
    usage slow_usage;
    for (const auto part : {text.substr(0, middle), rest}) {
      const sse_event event{part, {}, true};
      const event_facts quick = reader.read(event, at, quick_usage);
      const event_facts slow = read_event(event, at, slow_usage);
      require(quick.kind == slow.kind && quick.content_bytes == slow.content_bytes);
      require(quick.finish == slow.finish);
    }
    check(quick_usage);
    require(quick_usage.all() == slow_usage.all());
  }
  const weir::wall_time now{std::chrono::seconds{1796126400}};
  for (const auto wait :
       {parse_retry_after(text, now), parse_retry_after_ms(text), parse_reset(text, now)}) {
    require(!wait || wait->count() >= 0);
  }
  return 0;
}
