// What tokens cost, to the pico-unit: price tables, hardware, long prompts, conversion, bounds.
#include "policy/price.hpp"

#include <gtest/gtest.h>
#include <random>

#include "policy/money.hpp"

namespace weir::policy::test {
namespace {

constexpr std::int64_t million = 1'000'000;

std::int64_t amount(std::string_view text) { return parse_money(text).value(); }

// In units of the currency for a million tokens.
price per_million(std::string_view input, std::string_view cached, std::string_view output) {
  return price::table({amount(input), amount(cached), amount(output)}, million, {}).value();
}

TEST(price, of_a_table_is_exact_to_the_pico_unit) {  // BC-087 A
  const auto small = per_million("0.15", "0.075", "0.60");
  std::int64_t sum = 0;
  for (int i = 0; i < 7; ++i) sum += small.cost({.input = 3, .cached = 0, .output = 1});
  EXPECT_EQ(sum, 7'350'000);  // 7350 nano-units
}

TEST(price, of_very_little_adds_up_without_drift) {  // BC-087 B
  const auto cheap = per_million("0.0375", "0.0375", "0");
  std::int64_t sum = 0;
  for (int i = 0; i < 1'000'000; ++i) sum += cheap.cost({.input = 1, .cached = 0, .output = 0});
  EXPECT_EQ(format_money(sum), "0.0375");
}

TEST(price, of_one_cached_token_is_not_nothing) {  // BC-087 C
  EXPECT_EQ(per_million("0.15", "0.075", "0.60").cost({.input = 1, .cached = 1, .output = 0}),
            75'000);
}

TEST(price, of_hardware_is_its_hour_over_the_tokens_it_makes) {
  const auto gpu = price::hardware(amount("2.00"), 800).value();
  // 2 / (800 x 3600) = 0.694... micro-units a token; 36 tokens are 25 micro-units exactly.
  EXPECT_EQ(gpu.cost({.input = 1, .cached = 0, .output = 0}), 694'445);
  EXPECT_EQ(gpu.cost({.input = 30, .cached = 9, .output = 6}), 25'000'000);
}

TEST(price, of_long_prompts_holds_for_all_tokens_of_the_call) {
  const auto tiered =
      price::table({10, 5, 20}, 1,
                   {{.above = 100, .rates = {30, 15, 40}}, {.above = 200, .rates = {50, 25, 60}}})
          .value();
  EXPECT_EQ(tiered.cost({.input = 100, .cached = 0, .output = 1}), 100 * 10 + 20);
  EXPECT_EQ(tiered.cost({.input = 101, .cached = 1, .output = 1}), 100 * 30 + 15 + 40);
  EXPECT_EQ(tiered.cost({.input = 201, .cached = 0, .output = 1}), 201 * 50 + 60);
}

TEST(price, counts_no_more_cached_tokens_than_there_are_and_nothing_negative) {
  const auto some = per_million("1", "0.5", "2");
  EXPECT_EQ(some.cost({.input = 10, .cached = 99, .output = 0}), 10 * 500'000);
  EXPECT_EQ(some.cost({.input = -5, .cached = -5, .output = -5}), 0);
}

TEST(price, of_more_than_can_be_counted_is_the_most_there_is) {
  const auto dear = price::table({1'000'000'000'000'000, 0, 0}, 1, {}).value();
  EXPECT_EQ(dear.cost({.input = million * million, .cached = 0, .output = 0}),
            std::numeric_limits<std::int64_t>::max());
}

TEST(price, that_is_not_given_is_nothing) {
  EXPECT_EQ(price{}.cost({.input = million, .cached = 0, .output = million}), 0);
  EXPECT_EQ(price{}.bound(million).fixed, 0);
}

TEST(price, converts_exactly_and_rounds_once) {
  const auto in_eur = per_million("1", "1", "1");
  const auto in_usd = in_eur.converted({.numerator = 27, .denominator = 25}).value();  // 1.08
  EXPECT_EQ(in_usd.cost({.input = million, .cached = 0, .output = 0}), amount("1.08"));
  const auto back = in_usd.converted({.numerator = 25, .denominator = 27}).value();
  EXPECT_EQ(back.cost({.input = 7, .cached = 0, .output = 3}),
            in_eur.cost({.input = 7, .cached = 0, .output = 3}));
  EXPECT_FALSE(in_eur.converted({.numerator = 999'999'999'989, .denominator = 999'999'999'961}));
}

TEST(price, bound_is_never_below_the_cost_of_a_call_within_it) {
  std::mt19937_64 random{7};
  const auto pick = [&random](std::int64_t most) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most + 1));
  };
  for (int round = 0; round < 20'000; ++round) {
    // A long prompt may also cost less than a short one: nothing forbids such a table.
    std::vector<long_context> longer;
    for (std::int64_t above = 1 + pick(40); above < 100; above += 1 + pick(40))
      longer.push_back({above, {pick(100), pick(100), pick(100)}});
    const auto some = price::table({pick(100), pick(100), pick(100)}, 1 + pick(6), longer).value();
    const std::int64_t prompt = pick(120);
    const std::int64_t most_output = pick(50);
    const auto bound = some.bound(prompt);
    const priced_usage used{pick(prompt), pick(prompt), pick(most_output)};
    EXPECT_LE(some.cost(used), bound.fixed + bound.per_output * most_output);
  }
}

TEST(price, that_cannot_be_says_why) {
  const auto message = [](const result<price>& made) { return made.error().message; };
  EXPECT_EQ(message(price::table({-1, 0, 0}, 1, {})),
            "expected prices from 0 to 1000 units of the currency");
  EXPECT_EQ(message(price::table({1, 0, 0}, 0, {})), "expected a price for 1 to 1000000000 tokens");
  EXPECT_EQ(
      message(price::table({1, 0, 0}, 1, {{.above = 5, .rates = {}}, {.above = 5, .rates = {}}})),
      "expected long-context prices in rising order of 'above'");
  EXPECT_EQ(message(price::hardware(1, 0)), "expected 1 to 1000000000 tokens per second");
  EXPECT_EQ(message(price::hardware(-1, 1)), "expected an hourly cost from 0 to 1000000");
}

}  // namespace
}  // namespace weir::policy::test
