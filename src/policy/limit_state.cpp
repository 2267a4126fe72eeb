// See limit_state.hpp: which kernel does what.
#include "policy/limit_state.hpp"

#include <memory>
#include <utility>

namespace weir::policy {

namespace {
std::int64_t ticks(instant now) { return now.mono.time_since_epoch().count(); }
}  // namespace

limit_state::limit_state(const limit_rule& rule, instant now) { build(rule, now); }

limit_state::limit_state(limit_state&& other) noexcept
    : amount_{other.amount_},
      open_{other.open_},
      calendar_mark_{other.calendar_mark_},
      algorithm_{other.algorithm_} {
  switch (algorithm_) {
    case algorithm::token_bucket:
      std::construct_at(&bucket_, other.bucket_);
      break;
    case algorithm::sliding_window:
      std::construct_at(&sliding_, std::move(other.sliding_));
      break;
    case algorithm::calendar:
      std::construct_at(&calendar_, other.calendar_);
      break;
    case algorithm::concurrency:
      std::construct_at(&concurrency_, other.concurrency_);
      break;
    case algorithm::total:
      std::construct_at(&total_, other.total_);
      break;
  }
}

limit_state::~limit_state() { destroy(); }

void limit_state::build(const limit_rule& rule, instant now) {
  amount_ = rule.amount();
  algorithm_ = rule.algorithm();
  calendar_mark_ = rule.calendar_mark();
  switch (algorithm_) {
    case algorithm::token_bucket:
      std::construct_at(&bucket_, rule.window(), ticks(now));
      break;
    case algorithm::sliding_window:
      std::construct_at(&sliding_, rule.window(), ticks(now));
      break;
    case algorithm::calendar:
      std::construct_at(&calendar_, rule, now);
      break;
    case algorithm::concurrency:
      std::construct_at(&concurrency_);
      break;
    case algorithm::total:
      std::construct_at(&total_, rule.window(), ticks(now));
      break;
  }
}

void limit_state::destroy() {
  if (algorithm_ == algorithm::sliding_window) std::destroy_at(&sliding_);  // the others are plain
}

void limit_state::change_algorithm(const limit_rule& rule, instant now) {
  const std::int64_t carried = used(now);
  destroy();
  build(rule, now);
  switch (algorithm_) {
    case algorithm::token_bucket:
      bucket_.charge(amount_, carried, ticks(now));
      break;
    case algorithm::sliding_window:
      sliding_.charge(amount_, carried, ticks(now));
      break;
    case algorithm::calendar:
      calendar_.charge(carried);
      break;
    case algorithm::concurrency:
      break;  // calls held and amounts used don't become each other
    case algorithm::total:
      total_.charge(carried, ticks(now));
      break;
  }
}

std::int64_t limit_state::used(instant now) const {
  if (algorithm_ == algorithm::concurrency) return 0;
  return amount_ - check(0, now).remaining;
}

void limit_state::prepare(const limit_rule& rule, instant now) {
  if (rule.algorithm() != algorithm_) [[unlikely]]
    return change_algorithm(rule, now);
  switch (algorithm_) {
    case algorithm::token_bucket:
      if (rule.amount() != amount_ || rule.window() != bucket_.window()) [[unlikely]] {
        bucket_.adopt(amount_, rule.amount(), rule.window(), ticks(now));
      }
      break;
    case algorithm::sliding_window:
      sliding_.set_window(rule.window());
      break;
    case algorithm::calendar:
      if (rule.calendar_mark() != calendar_mark_) [[unlikely]] {
        calendar_.follow(rule, now);
        calendar_mark_ = rule.calendar_mark();
      }
      calendar_.roll(rule, now);
      break;
    case algorithm::concurrency:
      break;
    case algorithm::total:
      total_.set_keep(rule.window());
      break;
  }
  amount_ = rule.amount();
}

decision limit_state::check(std::int64_t n, instant now) const {
  if (n < 0) [[unlikely]] {
    decision d = check(0, now);
    d.allowed = false;
    d.never = true;
    d.wait = microseconds{0};
    return d;
  }
  switch (algorithm_) {
    case algorithm::token_bucket:
      return bucket_.check(amount_, n, ticks(now));
    case algorithm::sliding_window:
      return sliding_.check(amount_, n, ticks(now));
    case algorithm::calendar:
      return calendar_.check(amount_, n, now);
    case algorithm::concurrency:
      return concurrency_.check(amount_, n);
    case algorithm::total:
      return total_.check(amount_, n, ticks(now));
  }
  return {};
}

charged limit_state::charge(std::int64_t n, instant now) {
  ++open_;
  const std::int64_t at = ticks(now);
  switch (algorithm_) {
    case algorithm::token_bucket:
      return {0, microseconds{bucket_.charge(amount_, n, at)}};
    case algorithm::sliding_window: {
      const std::int64_t stamp = sliding_.charge(amount_, n, at);
      return {stamp, sliding_.reset(at)};
    }
    case algorithm::calendar: {
      const std::int64_t stamp = calendar_.charge(n);
      return {stamp, calendar_.reset(now)};
    }
    case algorithm::concurrency:
      concurrency_.take(n);
      return {};
    case algorithm::total:
      return {total_.charge(n, at), microseconds{total_.keep()}};
  }
  return {};
}

decision limit_state::take(const limit_rule& rule, std::int64_t n, instant now,
                           std::int64_t* stamp) {
  prepare(rule, now);
  decision d = check(n, now);
  if (!d.allowed) return d;
  const charged done = charge(n, now);
  if (stamp != nullptr) *stamp = done.stamp;
  d.remaining -= n;
  d.reset = done.reset;
  return d;
}

void limit_state::settle(algorithm how, std::int64_t taken, std::int64_t real, std::int64_t stamp,
                         instant now) {
  if (open_ > 0) --open_;
  if (how != algorithm_) return;
  const std::int64_t delta = real - taken;
  switch (algorithm_) {
    case algorithm::token_bucket:
      if (delta < 0) bucket_.give_back(amount_, -delta, ticks(now));
      if (delta > 0) bucket_.charge(amount_, delta, ticks(now));
      break;
    case algorithm::sliding_window:
      sliding_.correct(stamp, delta, ticks(now));
      break;
    case algorithm::calendar:
      calendar_.correct(stamp, delta);
      break;
    case algorithm::concurrency:
      concurrency_.free(taken);
      break;
    case algorithm::total:
      total_.correct(stamp, delta, ticks(now));
      break;
  }
}

bool limit_state::idle(instant now) const {
  if (open_ > 0) return false;
  switch (algorithm_) {
    case algorithm::token_bucket:
      return bucket_.idle(ticks(now));
    case algorithm::sliding_window:
      return sliding_.idle(ticks(now));
    case algorithm::calendar:
      return calendar_.idle(now);
    case algorithm::concurrency:
      return concurrency_.idle();
    case algorithm::total:
      return total_.idle(ticks(now));
  }
  return false;
}

}  // namespace weir::policy
