// See price.hpp. Products are 128 bits wide; tokens are cut off at 10^12, far above any call.
#include "policy/price.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "policy/saturate.hpp"

namespace weir::policy {
namespace {

__extension__ using wide = __int128;

constexpr std::int64_t most_tokens = 1'000'000'000'000;
constexpr std::int64_t most_per = 1'000'000'000;
constexpr std::int64_t most_rate = 1'000'000'000'000'000;  // 1000 units
constexpr std::int64_t most_hourly = 1'000'000'000'000'000'000;
constexpr std::int64_t most_number = std::numeric_limits<std::int64_t>::max();

std::int64_t tokens_of(std::int64_t count) {
  return std::clamp<std::int64_t>(count, 0, most_tokens);
}

std::int64_t divided_up(wide sum, std::int64_t by) {
  const wide quotient = (sum + by - 1) / by;
  return quotient > most_number ? most_number : static_cast<std::int64_t>(quotient);
}

bool in_range(const token_rates& rates) {
  return std::ranges::all_of(std::array{rates.input, rates.cached_input, rates.output},
                             [](std::int64_t one) { return one >= 0 && one <= most_rate; });
}

}  // namespace

result<price> price::table(token_rates rates, std::int64_t per, std::vector<long_context> longer) {
  if (per < 1 || per > most_per) return fail("expected a price for 1 to 1000000000 tokens");
  price made;
  made.per_ = per;
  made.rates_ = rates;
  if (!in_range(rates)) return fail("expected prices from 0 to 1000 units of the currency");
  std::int64_t last = 0;
  for (const auto& tier : longer) {
    if (tier.above <= last) return fail("expected long-context prices in rising order of 'above'");
    if (!in_range(tier.rates)) return fail("expected prices from 0 to 1000 units of the currency");
    last = tier.above;
  }
  made.longer_ = std::move(longer);
  return made;
}

result<price> price::hardware(std::int64_t hourly, std::int64_t tokens_per_second) {
  if (hourly < 0 || hourly > most_hourly) return fail("expected an hourly cost from 0 to 1000000");
  if (tokens_per_second < 1 || tokens_per_second > most_per)
    return fail("expected 1 to 1000000000 tokens per second");
  const std::int64_t tokens = tokens_per_second * 3600;
  const std::int64_t common = std::gcd(hourly, tokens);
  price made;
  made.per_ = tokens / common;
  made.rates_ = {hourly / common, hourly / common, hourly / common};
  return made;
}

result<price> price::converted(exchange_rate rate) const {
  price made = *this;
  const std::int64_t shared = std::gcd(per_, rate.numerator);
  const std::int64_t numerator = rate.numerator / shared;
  bool fits = !__builtin_mul_overflow(per_ / shared, rate.denominator, &made.per_);
  const auto convert = [&](token_rates& of) {
    for (std::int64_t* one : {&of.input, &of.cached_input, &of.output}) {
      fits = fits && !__builtin_mul_overflow(*one, numerator, one);
    }
  };
  convert(made.rates_);
  for (auto& tier : made.longer_) convert(tier.rates);
  if (!fits) return fail("this price cannot be converted exactly; use fewer decimals in the rate");
  return made;
}

const token_rates& price::rates_for(std::int64_t prompt) const {
  const token_rates* found = &rates_;
  for (const auto& tier : longer_) {
    if (prompt > tier.above) found = &tier.rates;
  }
  return *found;
}

std::int64_t price::cost(const priced_usage& used) const {
  const std::int64_t input = tokens_of(used.input);
  const std::int64_t cached = std::min(tokens_of(used.cached), input);
  const token_rates& rates = rates_for(input);
  const wide sum = wide{input - cached} * rates.input + wide{cached} * rates.cached_input +
                   wide{tokens_of(used.output)} * rates.output;
  return divided_up(sum, per_);
}

// A shorter prompt than the bound may fall into a tier that costs more: the dearest of all that it
// may fall into counts.
cost_bound price::bound(std::int64_t prompt) const {
  const std::int64_t most = tokens_of(prompt);
  std::int64_t input = std::max(rates_.input, rates_.cached_input);
  std::int64_t output = rates_.output;
  for (const auto& tier : longer_) {
    if (most <= tier.above) break;
    input = std::max({input, tier.rates.input, tier.rates.cached_input});
    output = std::max(output, tier.rates.output);
  }
  return {divided_up(wide{most} * input, per_), divided_up(wide{output}, per_)};
}

}  // namespace weir::policy
