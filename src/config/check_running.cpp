// Time-outs and listeners.
#include <fmt/format.h>

#include "config/cross_checks.hpp"
#include "config/values.hpp"

namespace weir::config {

namespace {

void within_total(microseconds& part, microseconds total, std::string_view name, report& to) {
  const auto path = fmt::format("timeouts.{}", name);
  if (part <= total) return;
  if (to.has(path)) {
    to.add_at(path, fmt::format("longer than the whole call may take (total: {})",
                                format_duration(total)));
  }
  part = total;
}

bool overlap(const address& a, const address& b) {
  const auto any = [](const address& one) {
    return one.host.empty() || one.host == "0.0.0.0" || one.host == "::";
  };
  return a.port != 0 && a.port == b.port && (a.host == b.host || any(a) || any(b));
}

}  // namespace

void check_running(settings& value, report& to) {
  auto& timeouts = value.timeouts;
  within_total(timeouts.connect, timeouts.total, "connect", to);
  within_total(timeouts.first_token, timeouts.total, "first_token", to);
  within_total(timeouts.token_gap, timeouts.total, "token_gap", to);
  if (overlap(value.server.listen, value.admin.listen)) {
    to.add_at(to.has("admin.listen") ? "admin.listen" : "server.listen",
              "the data plane and the admin plane cannot listen at the same address and port");
  }
}

}  // namespace weir::config
