// Whom a stress run calls and with what bytes: the URL taken apart, requests put together. No I/O.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "sim/stress.hpp"
#include "sim/stress_schedule.hpp"

namespace weir::sim {

struct stress_target {
  bool https{false};
  std::string host;  // a name or an address, without brackets
  std::uint16_t port{80};
  std::string authority;  // for the Host header
  std::string path;       // of the chat completions
};

// http://host[:port][/prefix], with or without /v1 or /v1/chat/completions at its end. Errors say
// what was expected; no credentials, query or fragment.
result<stress_target> read_target(std::string_view url);

// A run made ready. Everything has been checked.
struct stress_plan {
  stress_target target;
  schedule_plan arrivals;
  std::vector<std::string> authorization;  // header lines, one per identity; a lone empty one: none
  std::string head;                        // request line and fields that all calls share
  std::array<std::string, 2> tail;         // the rest of head and the body: whole, streamed
  std::size_t in_flight{1};
  microseconds timeout{60s};
  double stream{0};
};

// Which identity a user calls with: where there are fewer tokens than users they are shared.
[[nodiscard]] inline std::uint32_t identity_of(const stress_plan& plan, std::uint32_t user) {
  return user % static_cast<std::uint32_t>(plan.authorization.size());
}

// Checks every option and makes the tokens, valid from `now` to an hour after the run. Errors name
// the option as the command line does; they hold no secret.
result<stress_plan> make_plan(const stress_options& options, instant now);

}  // namespace weir::sim
