// The hot path allocates nothing: global new is counted in this program. Not under TSan, whose
// runtime has an operator new that cannot be replaced.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WEIR_TSAN
#endif
#endif
#ifndef WEIR_TSAN

#include <cstdlib>
#include <new>

#include "observe/log.hpp"
#include "observe/metrics.hpp"
#include "observe/support.hpp"

namespace {
thread_local std::size_t allocations = 0;
}

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc{};
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace weir::observe {
namespace {

TEST(a_known_series, is_updated_without_allocating) {
  metrics m;
  const std::string long_model(500, 'm');
  const auto update = [&] {
    m.add(family::requests, {"/v1/", "llama3.1:8b", status_label(200), "success"});
    m.add(family::tokens, {long_model, "prompt"}, 5);
    m.observe(family::ttft, {"chat", "llama3.1:8b", "gpu"}, 20ms);
  };
  update();
  const auto before = allocations;
  for (int i = 0; i < 100; ++i) update();
  EXPECT_EQ(allocations, before);
}

TEST(the_line_of_a_call, is_written_without_allocating) {
  const temporary_file file;
  const manual_clock time;
  logger log{{.fd = file.fd()}, time};
  const call_record call{.request_id = "r", .user = "a user", .model = "m", .status = 200};
  log.call(call);
  const auto before = allocations;
  for (int i = 0; i < 1000; ++i) log.call(call);
  EXPECT_EQ(allocations, before);
}

}  // namespace
}  // namespace weir::observe

#endif
