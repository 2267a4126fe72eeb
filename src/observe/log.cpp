// The logger over spdlog: its levels, its flushing rule and its sink interface. The line is made
// here, because it depends on the fields.
#include "observe/log.hpp"

#include <spdlog/logger.h>
#include <type_traits>

#include "observe/call_line.hpp"
#include "observe/fd_sink.hpp"
#include "observe/line.hpp"

namespace weir::observe {
namespace {

spdlog::level::level_enum to_spdlog(log_level level) {
  switch (level) {
    case log_level::debug:
      return spdlog::level::debug;
    case log_level::info:
      return spdlog::level::info;
    case log_level::warn:
      return spdlog::level::warn;
    case log_level::error:
      return spdlog::level::err;
    case log_level::off:
      break;
  }
  return spdlog::level::off;
}

std::string_view name_of(log_level level) {
  switch (level) {
    case log_level::debug:
      return "debug";
    case log_level::info:
      return "info";
    case log_level::warn:
      return "warn";
    case log_level::error:
      return "error";
    case log_level::off:
      break;
  }
  return "off";
}

void append(line& to, const log_field& field) {
  const auto put = [&](auto value) {
    using type = decltype(value);
    if constexpr (std::is_same_v<type, std::string_view>) {
      to.text(field.key(), value);
    } else if constexpr (std::is_same_v<type, bool>) {
      to.flag(field.key(), value);
    } else {
      to.number(field.key(), value);
    }
  };
  std::visit(put, field.content());
}

void hand_over(spdlog::logger& out, wall_time at, spdlog::level::level_enum level,
               const line_buffer& text) {
  out.log(std::chrono::time_point_cast<spdlog::log_clock::duration>(at), spdlog::source_loc{},
          level, spdlog::string_view_t{text.data(), text.size()});
}

}  // namespace

logger::logger(const log_options& options, const clock& time)
    : json_{options.json},
      time_{time},
      sink_{std::make_shared<fd_sink>(options.fd, options.buffer_bytes)},
      out_{std::make_unique<spdlog::logger>("weir", sink_)} {
  set_level(options.level);
  out_->flush_on(spdlog::level::warn);
}

logger::~logger() { flush(); }

void logger::write(log_level level, std::string_view message, fields with) {
  if (!enabled(level)) return;
  line_buffer text;
  line to{text, json_};
  const wall_time at = time_.now().wall;
  to.begin(at, name_of(level), message);
  for (const log_field& field : with) append(to, field);
  to.end();
  hand_over(*out_, at, to_spdlog(level), text);
}

void logger::call(const call_record& record) {
  if (!enabled(log_level::info)) return;
  line_buffer text;
  append_call_line(text, json_, record);
  hand_over(*out_, record.at, spdlog::level::info, text);
}

void logger::flush() { out_->flush(); }

std::uint64_t logger::lost() const { return sink_->lost(); }

bool logger::enabled(log_level level) const { return out_->should_log(to_spdlog(level)); }

void logger::set_level(log_level level) { out_->set_level(to_spdlog(level)); }

}  // namespace weir::observe
