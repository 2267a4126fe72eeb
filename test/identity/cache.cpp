// Verified credentials are remembered, in bounds, and only as long as they may be.
#include <gtest/gtest.h>

#include "identity/credential_cache.hpp"
#include "identity/text.hpp"

namespace weir::identity {
namespace {

constexpr mono_time start{1h};

cached_credential entry_of(const std::string& user, std::uint64_t generation = 0) {
  caller who;
  who.user = user;
  return {std::make_shared<const caller>(who), {}, start + cache_time, generation};
}

digest key_of(int i) { return sha256("token " + std::to_string(i)); }

TEST(credential_cache, what_was_put_in_is_found_by_its_key_alone) {
  credential_cache cache{64};
  cache.insert(key_of(1), entry_of("u-1"), start);
  ASSERT_TRUE(cache.find(key_of(1), 0, start));
  EXPECT_EQ(cache.find(key_of(1), 0, start)->who->user, "u-1");
  EXPECT_FALSE(cache.find(key_of(2), 0, start));
}

TEST(credential_cache, an_entry_is_due_for_verification_at_its_time) {
  credential_cache cache{64};
  cache.insert(key_of(1), entry_of("u-1"), start);
  EXPECT_TRUE(cache.find(key_of(1), 0, start + cache_time - 1us));
  EXPECT_FALSE(cache.find(key_of(1), 0, start + cache_time));
}

TEST(credential_cache, a_change_of_keys_voids_what_older_ones_verified) {
  credential_cache cache{64};
  cache.insert(key_of(1), entry_of("u-1", 1), start);
  EXPECT_FALSE(cache.find(key_of(1), 2, start));
  cache.insert(key_of(1), entry_of("u-1", 2), start);
  EXPECT_TRUE(cache.find(key_of(1), 2, start));
}

TEST(credential_cache, a_flood_of_credentials_stays_within_bounds_and_the_last_ones_are_held) {
  credential_cache cache{100};
  EXPECT_EQ(cache.capacity(), 128U);
  for (int i = 0; i < 10000; ++i) cache.insert(key_of(i), entry_of("u"), start);
  std::size_t held = 0;
  for (int i = 0; i < 10000; ++i) held += cache.find(key_of(i), 0, start) ? 1 : 0;
  EXPECT_EQ(held, cache.capacity());
  EXPECT_TRUE(cache.find(key_of(9999), 0, start));
}

TEST(credential_cache, places_that_no_longer_count_are_used_first) {
  credential_cache cache{credential_cache::ways};
  for (int i = 1; i < 4; ++i) cache.insert(key_of(i), entry_of("old", 7), start);
  cache.insert(key_of(0), entry_of("live"), start);
  for (int i = 4; i < 7; ++i) cache.insert(key_of(i), entry_of("new"), start);
  EXPECT_TRUE(cache.find(key_of(0), 0, start));
  for (int i = 4; i < 7; ++i) EXPECT_TRUE(cache.find(key_of(i), 0, start));
}

TEST(credential_cache, the_same_key_takes_one_place) {
  credential_cache cache{credential_cache::ways};
  for (int i = 0; i < 3; ++i) cache.insert(key_of(i), entry_of("u"), start);
  for (int i = 0; i < 100; ++i) cache.insert(key_of(3), entry_of("again"), start);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(cache.find(key_of(i), 0, start));
}

TEST(digests, are_those_of_the_standard_and_come_back_from_text) {
  const auto text = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  EXPECT_EQ(to_hex(sha256("abc")), text);
  EXPECT_EQ(digest_from_hex(text), sha256("abc"));
  EXPECT_FALSE(digest_from_hex(std::string(64, 'A')));
  EXPECT_FALSE(digest_from_hex(std::string(63, 'a')));
}

TEST(utc_text, comes_back_as_the_same_second) {
  for (const auto* text : {"1970-01-01T00:00:00Z", "2028-02-29T23:59:59Z", "9999-12-31T00:00:01Z"})
    EXPECT_EQ(to_utc_text(parse_utc(text).value()), text);
  EXPECT_EQ(parse_utc("2027-01-01"), wall_time{std::chrono::seconds{1798761600}});
  for (const auto* text : {"", "2027-1-1", "2027-13-01", "2027-02-29", "1969-12-31", "2027-01-01T",
                           "2027-01-01T24:00:00Z", "2027-01-01 00:00:00Z", "2027-01-01T00:00:00z",
                           "+027-01-01", "2027-01-01T00:00:60Z"})
    EXPECT_FALSE(parse_utc(text)) << text;
}

}  // namespace
}  // namespace weir::identity
