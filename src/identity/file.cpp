// See file.hpp.
#include "identity/file.hpp"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace weir::identity {

namespace {

class descriptor {
 public:
  explicit descriptor(int fd) : fd_{fd} {}
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  ~descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_;
};

error system_failure(std::string_view what, const std::string& path) {
  const int code = errno;
  return fail(fmt::format("cannot {} {}: {}", what, path, std::generic_category().message(code)));
}

std::string resolve_links(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real{::realpath(path.c_str(), nullptr),
                                                         &std::free};
  return real ? std::string{real.get()} : path;
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// The owner can be kept by root only; for anybody else the file is his own already.
bool copy_rights(int fd, const std::string& from) {
  struct stat old{};
  if (::stat(from.c_str(), &old) != 0) return errno == ENOENT && ::fchmod(fd, 0600) == 0;
  const bool owner_kept = ::fchown(fd, old.st_uid, old.st_gid) == 0 || errno == EPERM;
  return owner_kept && ::fchmod(fd, old.st_mode & 0640U) == 0;
}

bool sync_folder(const std::string& path) {
  const auto slash = path.rfind('/');
  const auto folder = slash == std::string::npos ? std::string{"."} : path.substr(0, slash + 1);
  const descriptor fd{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  return fd && ::fsync(fd.get()) == 0;
}

}  // namespace

result<std::string> read_file(const std::string& path, std::size_t max_bytes) {
  const descriptor fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (!fd) return system_failure("read", path);
  struct stat facts{};
  if (::fstat(fd.get(), &facts) != 0) return system_failure("read", path);
  if (!S_ISREG(facts.st_mode)) return fail(fmt::format("{} is no regular file", path));
  std::string text(max_bytes + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const auto got = ::read(fd.get(), text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_failure("read", path);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  if (size > max_bytes) return fail(fmt::format("{} is larger than {} bytes", path, max_bytes));
  text.resize(size);
  return text;
}

bool file_exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

result<void> replace_file(const std::string& path, std::string_view text) {
  const auto target = resolve_links(path);
  auto temporary = target + ".XXXXXX";
  const descriptor fd{::mkostemp(temporary.data(), O_CLOEXEC)};
  if (!fd) return system_failure("create a file beside", target);
  const bool whole = write_all(fd.get(), text) && copy_rights(fd.get(), target) &&
                     ::fsync(fd.get()) == 0 && ::rename(temporary.c_str(), target.c_str()) == 0;
  if (!whole) {
    auto failure = system_failure("write", target);
    ::unlink(temporary.c_str());
    return failure;
  }
  if (!sync_folder(target)) return system_failure("sync the folder of", target);
  return {};
}

result<file_lock> file_lock::take(const std::string& path) {
  const auto name = resolve_links(path) + ".lock";
  const int fd = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return system_failure("open", name);
  file_lock lock{fd};
  while (::flock(fd, LOCK_EX) != 0)
    if (errno != EINTR) return system_failure("lock", name);
  return lock;
}

file_lock::file_lock(file_lock&& other) noexcept : fd_{std::exchange(other.fd_, -1)} {}

file_lock::~file_lock() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace weir::identity
