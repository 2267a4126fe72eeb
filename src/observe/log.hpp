// The log: one JSON or key=value line per event, never broken by what a caller sends. Thread-safe;
// made in main and handed down by reference. Not a file rotator and not an audit trail: lines that
// cannot be written at once are dropped and counted, so that no log can stop the service.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <variant>

#include "base/time.hpp"
#include "observe/call_record.hpp"

namespace spdlog {
class logger;
}

namespace weir::observe {

class fd_sink;

enum class log_level : std::uint8_t {
  debug,  // for a developer looking for a fault
  info,   // one line per call, and what changed state
  warn,   // works, but somebody should look
  error,  // something did not work
  off,    // nothing at all
};

// One named value of a line. Views: must live until the call that logs it returns.
class log_field {
 public:
  using value = std::variant<std::string_view, std::int64_t, std::uint64_t, double, bool>;

  log_field(std::string_view key, std::string_view text) : key_{key}, value_{text} {}
  log_field(std::string_view key, std::signed_integral auto number)
      : key_{key}, value_{static_cast<std::int64_t>(number)} {}
  log_field(std::string_view key, std::unsigned_integral auto number)
    requires(!std::same_as<decltype(number), bool>)
      : key_{key}, value_{static_cast<std::uint64_t>(number)} {}
  log_field(std::string_view key, std::floating_point auto number)
      : key_{key}, value_{static_cast<double>(number)} {}
  log_field(std::string_view key, std::same_as<bool> auto flag) : key_{key}, value_{flag} {}

  [[nodiscard]] std::string_view key() const { return key_; }
  [[nodiscard]] const value& content() const { return value_; }

 private:
  std::string_view key_;
  value value_;
};

struct log_options {
  log_level level{log_level::info};     // less important lines are not written
  bool json{true};                      // false: key=value text
  int fd{1};                            // written to, never closed and never made non-blocking
  std::size_t buffer_bytes{64 * 1024};  // held back until full, a warning or flush(); lines longer
                                        // than this are lost
};

// All members may be called from any thread. A text is at most 4096 bytes of a line; control
// characters, quotes and invalid UTF-8 are escaped or replaced, in keys and messages too.
class logger {
 public:
  using fields = std::initializer_list<log_field>;

  // `time` must outlive the logger; it stamps all lines but those of calls.
  logger(const log_options& options, const clock& time);
  ~logger();  // flushes what can be written without waiting
  logger(const logger&) = delete;
  logger& operator=(const logger&) = delete;

  // `message` is a whole sentence without values; these are fields. warn and error flush.
  void debug(std::string_view message, fields with = {}) { write(log_level::debug, message, with); }
  void info(std::string_view message, fields with = {}) { write(log_level::info, message, with); }
  void warn(std::string_view message, fields with = {}) { write(log_level::warn, message, with); }
  void error(std::string_view message, fields with = {}) { write(log_level::error, message, with); }

  // The one line of a proxied call, at level info.
  void call(const call_record& record);

  // Hands on what is buffered, as far as the descriptor takes it without waiting. Call it by a
  // timer (1 s) so that lines show up while little happens.
  void flush();

  // Lines dropped since the start: buffer full behind a reader that does not read, closed pipe,
  // full disk.
  [[nodiscard]] std::uint64_t lost() const;

  [[nodiscard]] bool enabled(log_level level) const;
  void set_level(log_level level);

 private:
  void write(log_level level, std::string_view message, fields with);

  bool json_;
  const clock& time_;
  std::shared_ptr<fd_sink> sink_;
  std::unique_ptr<spdlog::logger> out_;
};

}  // namespace weir::observe
