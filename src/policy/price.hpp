// What the tokens of a call cost, exactly: prices are integers of pico-units (1e-12 of a currency)
// for so many tokens, and a sum is divided once, rounded up. No floating point, no clock, no lock.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace weir::policy {

// Pico-units for `price::per` tokens, >= 0.
struct token_rates {
  std::int64_t input{0};
  std::int64_t cached_input{0};  // input that an engine had in its cache
  std::int64_t output{0};
};

// Other rates for all tokens of a call whose prompt is longer than so many tokens.
struct long_context {
  std::int64_t above{0};  // prompt tokens, >= 1
  token_rates rates;
};

// What a call used, as far as it has a price. Negative counts as 0.
struct priced_usage {
  std::int64_t input{0};   // all prompt tokens, cached ones included
  std::int64_t cached{0};  // of input
  std::int64_t output{0};
};

// What a call may cost at most: `fixed` for its prompt and `per_output` for each token of the
// answer, in pico-units, rounded up.
struct cost_bound {
  std::int64_t fixed{0};
  std::int64_t per_output{0};
};

// How many of one currency one of another is, e.g. 1.08 as 1080000 / 1000000.
struct exchange_rate {
  std::int64_t numerator{1};
  std::int64_t denominator{1};
};

// Immutable; any thread may read it.
class price {
 public:
  // From a price table: rates for `per` tokens, 1 to 10^9. Errors: a negative rate or one above
  // 1000 units, tiers that do not rise.
  static result<price> table(token_rates rates, std::int64_t per, std::vector<long_context> longer);

  // From hardware: an hour's cost in pico-units over the tokens it makes,
  // hourly / (tokens_per_second x 3600), the same for input and output.
  static result<price> hardware(std::int64_t hourly, std::int64_t tokens_per_second);

  price() = default;  // nothing costs anything

  // In another currency. Errors: a rate that makes numbers too large.
  [[nodiscard]] result<price> converted(exchange_rate rate) const;

  // Saturates at 2^63 - 1.
  [[nodiscard]] std::int64_t cost(const priced_usage& used) const;

  // For a prompt of at most so many tokens, whatever part of it is cached.
  [[nodiscard]] cost_bound bound(std::int64_t prompt) const;

 private:
  [[nodiscard]] const token_rates& rates_for(std::int64_t prompt) const;

  std::int64_t per_{1};
  token_rates rates_;
  std::vector<long_context> longer_;  // rising
};

}  // namespace weir::policy
