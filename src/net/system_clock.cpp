// The machine's clocks.
#include "net/system_clock.hpp"

#include <ctime>

namespace weir::net {
namespace {

microseconds read(clockid_t id) {
  timespec value{};
  ::clock_gettime(id, &value);
  return microseconds{value.tv_sec * 1'000'000 + value.tv_nsec / 1000};
}

}  // namespace

instant system_clock::now() const {
  return {mono_time{read(CLOCK_MONOTONIC)}, wall_time{read(CLOCK_REALTIME)}};
}

mono_time system_clock::mono() const { return mono_time{read(CLOCK_MONOTONIC)}; }

}  // namespace weir::net
