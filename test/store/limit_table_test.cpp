// The table of keys against a map, with keys that lie in each other's way; and the keys themselves.
#include "store/limit_table.hpp"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>
#include <string>

#include "store/keys.hpp"
#include "store/support.hpp"

namespace weir::store::test {
namespace {

TEST(limit_table, finds_what_was_inserted_and_not_swept_whatever_the_order) {
  const policy::limit_rule brief =
      rule(1, policy::algorithm::token_bucket, policy::unit::requests, microseconds{10});
  limit_table table;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::int64_t> expected;  // key -> last use
  std::mt19937_64 random{5};
  std::int64_t now = 0;
  for (int i = 0; i < 30'000; ++i) {
    now += static_cast<std::int64_t>(random() % 3);
    // Few high words, so that many keys are neighbours; low words that often share their last bits.
    const key128 k{(random() % 40) << 40U, (random() % 64) << 12U | random() % 3};
    limit_table::place p = table.find(k, table.guess(k));
    ASSERT_EQ(p, table.find(k));
    const auto known = expected.find({k.high, k.low});
    if (p == limit_table::nowhere) {
      ASSERT_TRUE(known == expected.end() || known->second + 20 < now) << i;
      p = table.insert(k, brief, at(now));
    } else {
      ASSERT_NE(known, expected.end()) << i;
    }
    ASSERT_EQ(table.at(p).key, k);
    if (table.at(p).state.take(brief, 1, at(now)).allowed) {
      table.at(p).state.settle(policy::algorithm::token_bucket, 1, 1, 0, at(now));
      expected[{k.high, k.low}] = now;
    }
    if (random() % 4 == 0) table.sweep(at(now), random() % 50);
  }
  for (const auto& [k, last] : expected) {
    if (last + 20 >= now) EXPECT_NE(table.find({k.first, k.second}), limit_table::nowhere);
  }
  while (table.sweep(at(now + 1000), 1000) > 0) {
  }
  EXPECT_EQ(table.size(), 0U);
}

TEST(keys, depend_on_rule_values_and_their_order_and_boundaries) {
  const key_hasher h;
  const key128 rule1 = h.value("tiers.FREE.limits[0]");
  const key128 rule2 = h.value("tiers.FREE.limits[1]");
  const key128 a = h.value("a");
  const key128 bc = h.value("bc");
  const key128 ab = h.value("ab");
  const key128 c = h.value("c");
  const std::vector<std::vector<key128>> subjects{{}, {a}, {bc}, {a, bc}, {bc, a}, {ab, c}, {a, a}};
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
  for (const key128 r : {rule1, rule2}) {
    for (const auto& s : subjects) {
      const key128 k = h.key(r, s);
      EXPECT_TRUE(seen.insert({k.high, k.low}).second);
      EXPECT_EQ(h.key(r, s), k);
    }
  }
}

TEST(keys, of_one_user_are_neighbours) {
  const key_hasher h;
  const std::vector<key128> user{h.value("u-1")};
  const std::vector<key128> user_and_model{user[0], h.value("m")};
  EXPECT_EQ(h.key(h.value("r1"), user).high, h.key(h.value("r2"), user_and_model).high);
}

TEST(keys, are_secret_to_the_process) {
  const key_hasher one;
  const key_hasher two;
  EXPECT_NE(one.value("alice"), two.value("alice"));
}

TEST(keys, take_any_bytes_and_at_most_eight_values) {
  const key_hasher h;
  EXPECT_NE(h.value(""), h.value(std::string(1, '\0')));
  EXPECT_NE(h.value(std::string(100'000, 'x')), h.value(std::string(100'001, 'x')));
  const std::vector<key128> many(9);
  EXPECT_THROW((void)h.key(key128{}, many), std::logic_error);
  EXPECT_EQ(h.key(key128{}, std::span{many}.first(8)), h.key(key128{}, std::span{many}.first(8)));
}

}  // namespace
}  // namespace weir::store::test
