// Counting calls.
#include "sim/stress_tally.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace weir::sim {

retry_after_state read_retry_after(std::string_view text, bool present, std::int64_t& seconds) {
  if (!present) return retry_after_state::absent;
  seconds = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool whole = problem == std::errc{} && end == text.data() + text.size();
  return whole && seconds >= 1 ? retry_after_state::good : retry_after_state::bad;
}

namespace {

second_tally& second_of(stress_tally& all, microseconds due) {
  const auto second = static_cast<std::size_t>(std::max<std::int64_t>(0, due / 1s));
  if (second >= all.seconds.size()) all.seconds.resize(second + 1);
  return all.seconds[second];
}

void add_retry_after(retry_after_tally& to, const call_outcome& call) {
  switch (call.retry_after) {
    case retry_after_state::absent:
      ++to.absent;
      return;
    case retry_after_state::bad:
      ++to.bad;
      return;
    case retry_after_state::good:
      ++to.good;
      to.min_s = std::min(to.min_s, call.retry_after_s);
      to.max_s = std::max(to.max_s, call.retry_after_s);
      return;
  }
}

void add_ok(stress_tally& all, const call_outcome& call) {
  ++all.faults[static_cast<std::size_t>(call.fault)];
  if (call.streamed) ++all.streams;
  if (call.first_token) all.first_token.add(*call.first_token);
  all.tokens += call.tokens.value_or(0);
  if (call.fault != answer_fault::none) return;
  all.latency.add(call.latency);
  if (!call.tokens) ++all.without_usage;
}

}  // namespace

void stress_tally::add_unsent(microseconds due) {
  ++unsent;
  second_of(*this, due);
}

void stress_tally::add(const call_outcome& call) {
  ++ends[static_cast<std::size_t>(call.end)];
  if (call.end == call_end::abandoned) return;
  ++sent;
  second_tally& second = second_of(*this, call.due);
  identity_tally& caller = callers[call.identity];
  ++second.sent;
  ++caller.sent;
  if (call.end != call_end::answered) return;
  ++statuses[call.status];
  if (call.status == 200) {
    ++second.ok;
    ++caller.ok;
    add_ok(*this, call);
  } else if (call.status == 429) {
    ++second.limited;
    ++caller.limited;
    caller.first_limited = std::min(caller.first_limited, call.due);
    add_retry_after(retry_429, call);
    refusal.add(call.latency);
  } else if (call.status == 503) {
    ++second.unavailable;
    if (call.others_in_flight < pressure) ++calm_503;
    add_retry_after(retry_503, call);
    refusal.add(call.latency);
  }
}

std::int64_t stress_tally::with_status(int status) const {
  const auto found = statuses.find(status);
  return found == statuses.end() ? 0 : found->second;
}

std::int64_t stress_tally::transport_errors() const {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const auto end = static_cast<call_end>(i);
    if (end != call_end::answered && end != call_end::abandoned) sum += ends[i];
  }
  return sum;
}

std::int64_t stress_tally::faulty_answers() const {
  std::int64_t sum = 0;
  for (std::size_t i = 1; i < faults.size(); ++i) sum += faults[i];
  return sum;
}

}  // namespace weir::sim
