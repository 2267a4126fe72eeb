// However a stream is cut, its events are those of the uncut stream, their ranges cover it, and a
// reader that remembers the last event finds in them what one without memory finds. The first byte
// is the seed of the cuts.
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "wire/stream_event.hpp"

namespace {

using namespace weir::wire;

using told = std::tuple<std::string, std::string, bool>;

void require(bool holds) {
  if (!holds) std::abort();
}

struct scan {
  std::vector<told> events;
  std::string bytes;  // of complete events, in order
  std::string rest;   // of the incomplete one
  sse_scanner scanner;

  void add(const sse_event& event) { events.emplace_back(event.data, event.type, event.has_data); }
  void feed(std::string_view piece) {
    scanner.feed(piece);
    sse_event event;
    std::size_t from = 0;
    std::size_t end = 0;
    while (scanner.next(event, end)) {
      require(end >= from && end <= piece.size());
      add(event);
      bytes += rest;
      bytes += piece.substr(from, end - from);
      rest.clear();
      from = end;
    }
    rest += piece.substr(from);
  }
  void finish() {
    sse_event event;
    if (scanner.finish(event)) add(event);
  }
};

void check_readers(const std::vector<told>& events, endpoint at) {
  event_reader quick;
  usage quick_usage;
  usage slow_usage;
  for (const auto& [data, type, has_data] : events) {
    const sse_event event{data, type, has_data};
    const event_facts a = quick.read(event, at, quick_usage);
    const event_facts b = read_event(event, at, slow_usage);
    require(a.kind == b.kind && a.finish == b.finish && a.usage_invalid == b.usage_invalid);
    require(a.content_bytes == b.content_bytes && a.content_bytes >= 0);
    require(quick_usage.all() == slow_usage.all() && quick_usage.all() >= 0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view stream{reinterpret_cast<const char*>(data + 1), size - 1};
  scan whole;
  whole.feed(stream);
  whole.finish();
  scan cut;
  std::minstd_rand random{data[0] + 1U};
  // Copies, so that a view that outlives its piece is found.
  std::vector<std::string> pieces;
  for (std::size_t at = 0; at < stream.size();) {
    pieces.emplace_back(stream.substr(at, 1 + random() % 40));
    at += pieces.back().size();
  }
  for (const auto& piece : pieces) cut.feed(piece);
  cut.finish();
  require(cut.events == whole.events);
  require(cut.bytes + cut.rest == stream && whole.bytes + whole.rest == stream);
  check_readers(whole.events, static_cast<endpoint>(data[0] % 4));
  return 0;
}
