// getrusage, getrlimit and two looks into /proc/self.
#include "observe/process.hpp"

#include <dirent.h>
#include <fstream>
#include <memory>
#include <sys/resource.h>
#include <unistd.h>

namespace weir::observe {
namespace {

microseconds to_microseconds(const timeval& t) {
  return std::chrono::seconds{t.tv_sec} + microseconds{t.tv_usec};
}

// 0: not readable.
std::int64_t resident_bytes() {
  std::ifstream statm{"/proc/self/statm"};
  std::int64_t total = 0;
  std::int64_t resident = 0;
  statm >> total >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

// 0: not readable.
std::int64_t open_descriptors() {
  const auto close = [](DIR* d) { closedir(d); };
  const std::unique_ptr<DIR, decltype(close)> dir{opendir("/proc/self/fd")};
  if (!dir) return 0;
  std::int64_t entries = 0;
  while (readdir(dir.get()) != nullptr) ++entries;
  return entries - 3;  // ".", ".." and the one that reads
}

}  // namespace

void set_process_figures(metrics& into, wall_time started) {
  if (const auto bytes = resident_bytes(); bytes > 0) into.set(family::resident_memory, {}, bytes);
  if (const auto fds = open_descriptors(); fds > 0) into.set(family::open_fds, {}, fds);
  if (rlimit limit{}; getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    into.set(family::max_fds, {}, static_cast<std::int64_t>(limit.rlim_cur));
  }
  if (rusage used{}; getrusage(RUSAGE_SELF, &used) == 0) {
    into.set(family::cpu_seconds, {},
             to_microseconds(used.ru_utime) + to_microseconds(used.ru_stime));
  }
  into.set(family::start_time, {}, started.time_since_epoch());
}

}  // namespace weir::observe
