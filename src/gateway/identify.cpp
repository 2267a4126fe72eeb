// Step 1: who is calling. Decided from the head alone, so that a stranger's body is never read.
#include <array>

#include "gateway/headers.hpp"
#include "gateway/pipeline.hpp"
#include "gateway/worker.hpp"

namespace weir::gateway {
namespace {

constexpr std::size_t max_forwarding_lines =
    16;  // header lines that are looked at; more come from no honest proxy
constexpr std::size_t max_session_bytes = 256;

std::string caller_address(const exchange& x) {
  std::array<std::string_view, max_forwarding_lines> forwarded_for;
  std::array<std::string_view, max_forwarding_lines> forwarded;
  std::size_t for_count = 0;
  std::size_t forwarded_count = 0;
  for (const auto& line : x.http.head().headers) {
    if (line.known == wire::field::x_forwarded_for && for_count < max_forwarding_lines) {
      forwarded_for[for_count++] = line.value;
    }
    if (line.known == wire::field::forwarded && forwarded_count < max_forwarding_lines) {
      forwarded[forwarded_count++] = line.value;
    }
  }
  return identity::client_address(x.http.peer(), {forwarded_for.data(), for_count},
                                  {forwarded.data(), forwarded_count}, x.plan->trusted());
}

// Bad credentials cost their address: beyond a rate they are no longer told that they were bad.
bool too_many_failures(exchange& x, const std::string& address) {
  auto& with = x.on.with();
  const std::array subject{with.lasting.hasher.value(address)};
  const store::claim claim{&with.failed_logins,
                           with.lasting.hasher.key(with.failed_logins_name, subject), 1};
  store::admission answer;
  with.limits.admit_now({&claim, 1}, {}, x.decided, answer);
  if (answer.allowed) {
    with.limits.settle_now(answer.held, {1, 0}, x.decided);
    return false;
  }
  refuse_login_flood(x, answer.verdicts.front().wait);
  return true;
}

}  // namespace

task<bool> identify(exchange& x) {
  const auto& head = x.http.head();
  const auto given_id = head.get(wire::field::x_request_id);
  x.request_id = is_request_id(given_id) ? std::string{given_id} : x.on.next_request_id();
  x.trace_parent = head.get("traceparent").substr(0, 64);
  const std::string address = caller_address(x);
  const identity::credentials given{head.get(wire::field::authorization),
                                    head.get(wire::field::x_api_key), address};
  identity::outcome outcome = x.plan->authenticator().authenticate(given, x.decided);
  if (std::holds_alternative<identity::needs_keys>(outcome)) {
    co_await x.on.refresh_keys(x.plan);
    outcome = x.plan->authenticator().authenticate(given, x.on.with().time.now(),
                                                   identity::patience::final);
  }
  if (const auto* rejected = std::get_if<identity::rejection>(&outcome)) {
    x.who.address = address;
    x.who.how = identity::caller::kind::anonymous;
    if (!too_many_failures(x, address)) refuse_login(x, *rejected);
    co_return false;
  }
  x.who = std::move(std::get<identity::caller>(outcome));
  const auto& session_header = x.plan->settings().sessions.header;
  if (!session_header.empty()) x.session = head.get(session_header).substr(0, max_session_bytes);
  co_return true;
}

}  // namespace weir::gateway
