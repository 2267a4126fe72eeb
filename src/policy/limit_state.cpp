// See limit_state.hpp: which kernel does what.
#include "policy/limit_state.hpp"

#include <memory>
#include <utility>

namespace weir::policy {

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
      std::construct_at(&concurrency_, ticks(now));
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

void limit_state::adopt(const limit_rule& rule, instant now) {
  switch (algorithm_) {
    case algorithm::token_bucket:
      bucket_.adopt(amount_, rule.amount(), rule.window(), ticks(now));
      break;
    case algorithm::calendar:
      calendar_.follow(rule, now);
      break;
    case algorithm::sliding_window:
      sliding_.set_window(rule.window());
      break;
    case algorithm::total:
      total_.set_keep(rule.window());
      break;
    case algorithm::concurrency:
      break;
  }
  amount_ = rule.amount();
  calendar_mark_ = rule.calendar_mark();
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
      concurrency_.free(taken, ticks(now));
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
      return concurrency_.idle(ticks(now));
    case algorithm::total:
      return total_.idle(ticks(now));
  }
  return false;
}

}  // namespace weir::policy
