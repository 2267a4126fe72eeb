// Secrets in files.
#include "app/secret_file.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <openssl/rand.h>
#include <sys/stat.h>
#include <unistd.h>

namespace weir::app {

result<std::string> read_secret(const std::string& directory, const std::string& name) {
  const auto path = std::filesystem::path{directory} / name;
  std::ifstream file{path};
  std::string text;
  if (!file || !std::getline(file, text) || text.size() < 16) {
    return fail(fmt::format("{}: expected a secret of at least 16 characters", path.string()));
  }
  return text;
}

result<std::string> read_or_make_secret(const std::string& directory, const std::string& name) {
  const auto path = std::filesystem::path{directory} / name;
  if (std::filesystem::exists(path)) return read_secret(directory, name);
  std::error_code ec;
  if (std::filesystem::create_directories(directory, ec)) ::chmod(directory.c_str(), 0700);
  if (ec) return fail(fmt::format("data_dir {}: cannot be made: {}", directory, ec.message()));
  std::array<unsigned char, 32> bytes{};
  if (::RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1)
    return fail("no random bytes to be had");
  std::string secret;
  for (const unsigned char byte : bytes) secret += fmt::format("{:02x}", byte);
  const std::string line = secret + "\n";
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0)
    return fail(fmt::format("{}: cannot be written: {}", path.string(), std::strerror(errno)));
  const bool whole = ::write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size()) &&
                     ::fsync(fd) == 0;
  ::close(fd);
  if (!whole)
    return fail(fmt::format("{}: cannot be written: {}", path.string(), std::strerror(errno)));
  return secret;
}

}  // namespace weir::app
