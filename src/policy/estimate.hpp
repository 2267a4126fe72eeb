// How many tokens a text will be, before the engine says so: a ratio per model that calibrates
// itself from the usage that comes back. Integers only. Real usage always wins over any estimate.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/units.hpp"

namespace weir::policy {

// What is known of a prompt before it is sent.
struct prompt_size {
  std::int64_t bytes{0};     // UTF-8 bytes of text; base64 media is not text
  std::int64_t messages{0};  // chat messages; 0 for a plain prompt
  std::int64_t media{0};     // tokens set flat for pictures, sounds and files
};

// A value: tokens per byte, bounded to 1/32 .. 2, starting at 1/4. Rounds upwards.
class token_estimate {
 public:
  token_estimate() = default;

  [[nodiscard]] tokens prompt(const prompt_size& size) const;

  // An answer without usage: what passed, upwards. `events`: deltas that carried content.
  [[nodiscard]] tokens answer(std::int64_t events, std::int64_t bytes) const;

  // Learns from an engine's count of a prompt's tokens. The longer the text, the more it says; one
  // call moves the ratio by a quarter of the difference at most.
  void learn(const prompt_size& size, tokens real);

  // Tokens per byte in 1/2^20.
  [[nodiscard]] std::uint32_t ratio() const { return ratio_; }

  // The value as one word, for an atomic or a file; from_bits() takes anything into bounds.
  [[nodiscard]] std::uint64_t bits() const { return ratio_; }
  static token_estimate from_bits(std::uint64_t bits);

 private:
  std::uint32_t ratio_{1U << 18};
};

// One estimate shared by threads: reading is one load.
class shared_token_estimate {
 public:
  [[nodiscard]] token_estimate load() const {
    return token_estimate::from_bits(bits_.load(std::memory_order_relaxed));
  }
  void learn(const prompt_size& size, tokens real);

 private:
  std::atomic<std::uint64_t> bits_{token_estimate{}.bits()};
};

}  // namespace weir::policy
