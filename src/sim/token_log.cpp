// Lines of the token log.
#include "sim/token_log.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <iterator>
#include <unistd.h>

#include "wire/json.hpp"

namespace weir::sim {
namespace {

void append_seconds(std::string& out, wall_time at) {
  const auto us = at.time_since_epoch().count();
  fmt::format_to(std::back_inserter(out), "{}.{:06}", us / 1'000'000, us % 1'000'000);
}

}  // namespace

token_log::~token_log() {
  if (fd_ >= 0) ::close(fd_);
}

result<void> token_log::open(const std::string& path) {
  if (path.empty()) return {};
  fd_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd_ >= 0) return {};
  return fail(
      fmt::format("--log {}: {}; expected a file that can be written", path, std::strerror(errno)));
}

void token_log::write(const token_log_entry& entry) {
  if (fd_ < 0) return;
  text_.clear();
  fmt::format_to(std::back_inserter(text_),
                 R"({{"id":{},"line":{},"model":{},"prompt_tokens":{},"completion_tokens":{},)"
                 R"("finish":"{}","start":)",
                 wire::quote(entry.id), ++line_, wire::quote(entry.model), entry.prompt_tokens,
                 entry.completion_tokens, entry.finish);
  append_seconds(text_, entry.start);
  text_ += ",\"end\":";
  append_seconds(text_, entry.end);
  text_ += "}\n";
  const auto written = ::write(fd_, text_.data(), text_.size());
  if (written != static_cast<ssize_t>(text_.size())) ++lost_;
}

}  // namespace weir::sim
