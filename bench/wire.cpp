// What reading costs: an event of a stream (found, classified, counted), and a chat request's body.
// Prints `name: value` lines, nanoseconds of this thread's CPU. Each figure comes with its count
// checked, so that a reader that reads nothing is not quick but wrong.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "wire/openai.hpp"
#include "wire/stream_event.hpp"

namespace {

using namespace weir::wire;

constexpr int rounds = 15;  // the best of them is reported
constexpr int events = 60;  // per read
constexpr int reads = 500;

double cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// The best of all rounds of `times` calls of `work`, for one of them.
template <class Work>
double ns_of_one(int times, Work work) {
  double best = 1e18;
  for (int round = 0; round < rounds; ++round) {
    const double from = cpu_ns();
    for (int i = 0; i < times; ++i) work();
    best = std::min(best, (cpu_ns() - from) / times);
  }
  return best;
}

void require_count(std::int64_t found, std::int64_t expected, const char* what) {
  if (found == expected) return;
  std::fprintf(stderr, "bench wire: %s: counted %lld, expected %lld\n", what,
               static_cast<long long>(found), static_cast<long long>(expected));
  std::exit(1);
}

std::string chunk(const std::string& text) {
  return R"(data: {"id":"chatcmpl-5f0c1b2a3d4e4f5a6b7c8d9e0f1a2b3c",)"
         R"("object":"chat.completion.chunk",)"
         R"("created":1796083200,"model":"meta-llama/Llama-3.1-8B-Instruct","choices":[{"index":0,)"
         R"("delta":{"content":")" +
         text + R"("},"logprobs":null,"finish_reason":null}]})" + "\n\n";
}

// One read of a stream after the other, as a relay does it.
template <class Read>
double ns_per_event(const char* what, Read read) {
  std::string bytes;
  for (int i = 0; i < events; ++i) bytes += chunk(i % 2 == 0 ? " token" : "'s");
  std::int64_t counted = 0;
  sse_scanner scanner;
  const double one_read = ns_of_one(reads, [&] {
    scanner.feed(bytes);
    sse_event event;
    std::size_t end = 0;
    while (scanner.next(event, end)) counted += read(event);
  });
  require_count(counted, std::int64_t{rounds} * reads * events * 4, what);
  return one_read / events;
}

void report(const char* name, double ns) { std::printf("%s: %.1f\n", name, ns); }

}  // namespace

int main() {
  usage known;
  event_reader reader;
  report("ns_per_event", ns_per_event("events alike", [&](const sse_event& event) {
           return reader.read(event, endpoint::chat, known).content_bytes;
         }));
  report("ns_per_event_without_memory", ns_per_event("events", [&](const sse_event& event) {
           return read_event(event, endpoint::chat, known).content_bytes;
         }));
  const std::string body = R"({"model":"small","messages":[{"role":"system","content":")" +
                           std::string(400, 'a') + R"("},{"role":"user","content":")" +
                           std::string(400, 'b') +
                           R"("}],"temperature":0.7,"max_tokens":100,"stream":true,)"
                           R"("stream_options":{"include_usage":true}})";
  std::int64_t counted = 0;
  report("ns_per_request_of_1_kb", ns_of_one(20'000, [&] {
           request_facts facts;
           body_error error;
           if (read_request(body, endpoint::chat, 128, facts, error)) counted += facts.messages;
         }));
  require_count(counted, std::int64_t{rounds} * 20'000 * 2, "messages");
  return 0;
}
