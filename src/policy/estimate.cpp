// See estimate.hpp. Ratios are in 1/2^20 tokens per byte.
#include "policy/estimate.hpp"

#include <algorithm>

namespace weir::policy {

namespace {

constexpr unsigned ratio_bits = 20;
constexpr std::uint32_t default_ratio = 1U << (ratio_bits - 2);  // 4 bytes a token
constexpr std::uint32_t min_ratio = 1U << (ratio_bits - 5);      // 32 bytes a token
constexpr std::uint32_t max_ratio = 1U << (ratio_bits + 1);      // 2 tokens a byte
constexpr std::int64_t max_bytes = std::int64_t{1} << 40;
constexpr std::int64_t per_message = 4;      // role and separators of a chat template
constexpr std::int64_t per_prompt = 3;       // its beginning and the start of the answer
constexpr std::int64_t half_weight = 8192;   // bytes of text that count as much as what is known
constexpr std::int64_t least_to_learn = 16;  // bytes: below, a template's tokens drown the text's

std::int64_t overhead(const prompt_size& size) {
  return std::max<std::int64_t>(0, size.messages) * per_message + per_prompt;
}

std::int64_t scaled(std::int64_t bytes, std::uint32_t ratio) {
  const std::int64_t product = std::clamp<std::int64_t>(bytes, 0, max_bytes) * ratio;
  return (product + (std::int64_t{1} << ratio_bits) - 1) >> ratio_bits;
}

}  // namespace

tokens token_estimate::prompt(const prompt_size& size) const {
  return {scaled(size.bytes, ratio_) + overhead(size) + std::max<std::int64_t>(0, size.media)};
}

tokens token_estimate::answer(std::int64_t events, std::int64_t bytes) const {
  return {std::max<std::int64_t>({0, events, scaled(bytes, std::max(ratio_, default_ratio))})};
}

void token_estimate::learn(const prompt_size& size, tokens real) {
  if (size.bytes < least_to_learn || size.media > 0 || real.count <= 0) return;
  const std::int64_t bytes = std::min(size.bytes, max_bytes);
  const std::int64_t of_text = std::clamp<std::int64_t>(real.count - overhead(size), 0, bytes * 2);
  const std::int64_t seen =
      std::clamp<std::int64_t>((of_text << ratio_bits) / bytes, min_ratio, max_ratio);
  const std::int64_t step = (seen - ratio_) * bytes / (bytes + half_weight);
  const std::int64_t limit = std::max<std::int64_t>(1, std::abs(seen - ratio_) / 4);
  ratio_ = static_cast<std::uint32_t>(ratio_ + std::clamp(step, -limit, limit));
}

token_estimate token_estimate::from_bits(std::uint64_t bits) {
  token_estimate e;
  e.ratio_ = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(bits, min_ratio, max_ratio));
  return e;
}

void shared_token_estimate::learn(const prompt_size& size, tokens real) {
  std::uint64_t old = bits_.load(std::memory_order_relaxed);
  for (;;) {
    token_estimate next = token_estimate::from_bits(old);
    next.learn(size, real);
    if (next.bits() == old ||
        bits_.compare_exchange_weak(old, next.bits(), std::memory_order_relaxed)) {
      return;
    }
  }
}

}  // namespace weir::policy
