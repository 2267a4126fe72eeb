// See token_bucket.hpp: what is rare, in 128 bits.
#include "policy/token_bucket.hpp"

namespace weir::policy {

namespace {
// NOLINTNEXTLINE: the one wide integer there is; -Wpedantic wants the extension named
__extension__ typedef __int128 wide;
}  // namespace

token_bucket::mark token_bucket::wide_cost(std::int64_t amount, std::int64_t n) const {
  const wide product = static_cast<wide>(n) * window_;
  const wide whole = product / amount;
  if (whole > max_debt) return {max_debt, 0};
  return {static_cast<std::int64_t>(whole), static_cast<std::int64_t>(product % amount)};
}

std::int64_t token_bucket::wide_level(std::int64_t amount, mark full, std::int64_t from,
                                      std::int64_t* remainder) const {
  const wide product = (static_cast<wide>(window_) - (full.whole - from)) * amount - full.part;
  wide whole = product / window_;
  wide left = product % window_;
  if (left < 0) {
    left += window_;
    --whole;
  }
  if (remainder != nullptr) *remainder = static_cast<std::int64_t>(left);
  return static_cast<std::int64_t>(std::max<wide>(whole, -max_debt));
}

std::int64_t token_bucket::level(std::int64_t amount, std::int64_t now,
                                 std::int64_t* remainder) const {
  return wide_level(amount, since(now), std::max(now, last_), remainder);
}

void token_bucket::adopt(std::int64_t old_amount, std::int64_t amount, std::int64_t window,
                         std::int64_t now) {
  const mark full = since(now);
  last_ = std::max(now, last_);
  const wide old_window = window_;
  window_ = window;
  // Missing tokens in 1/old_window of one. The fraction used stays, so their number does, too.
  const wide missing = static_cast<wide>(full.whole - last_) * old_amount + full.part;
  const wide fewer = std::max<wide>(0, old_amount - amount) * old_window;
  const wide left = std::max<wide>(0, missing - fewer);
  // They take tokens * window / amount ticks, rounded up; whole tokens and the rest of one apart,
  // so that nothing reaches 2^127.
  const wide whole = std::min<wide>(left / old_window, max_debt);
  const wide rest = (left % old_window * window + old_window - 1) / old_window;
  const wide ticks = (whole * window + rest + amount - 1) / amount;
  full_at_ = last_ + static_cast<std::int64_t>(std::min<wide>(ticks, max_debt));
  fraction_ = 0;
}

}  // namespace weir::policy
