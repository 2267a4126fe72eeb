// Workers that authenticate while keys change under them; made for the thread sanitizer.
#include <atomic>
#include <gtest/gtest.h>
#include <thread>

#include "support.hpp"

namespace weir::identity::testing {
namespace {

TEST(threads, calls_go_on_while_keys_change_and_a_withdrawn_key_never_comes_back) {
  const manual_clock clock;
  const auto now = clock.now();
  auto s = url_settings();
  s.identity.api_keys_file = "keys.yaml";
  const std::string secret = std::string{api_key_prefix} + std::string(64, 'a');
  api_key key;
  key.id = "ci";
  key.hash = sha256(secret);
  key.user = "u-7";
  const auto table = key_table::make({key}).value();
  const auto auth = made(s, now, table);
  const auto one = jwks_of({rsa_one().jwk("one")});
  const auto both = jwks_of({rsa_one().jwk("one"), rsa_two().jwk("two")});
  ASSERT_TRUE(auth->install_jwks(both, now));
  const auto kept = token_of("RS256", good_payload(now), rsa_one(), "one");
  const auto withdrawn = token_of("RS256", good_payload(now), rsa_two(), "two");

  std::atomic<bool> done{false};
  std::vector<std::thread> workers;
  for (int w = 0; w < 3; ++w)
    workers.emplace_back([&] {
      do {
        EXPECT_EQ(verdict(call(*auth, kept, now)), "u-1");
        call(*auth, withdrawn, now);
        call(*auth, secret, now);
        if (auth->begin_fetch(now)) auth->fetch_failed();
      } while (!done);
    });
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(auth->install_jwks(i % 2 == 0 ? one : both, now));
    auth->install_keys(i % 2 == 0 ? key_table{} : table);
  }
  ASSERT_TRUE(auth->install_jwks(one, now));
  auth->install_keys({});
  EXPECT_EQ(verdict(call(*auth, withdrawn, now, patience::final)), "refused: unknown_key");
  EXPECT_EQ(verdict(call(*auth, secret, now)), "refused: unknown_api_key");
  done = true;
  for (auto& w : workers) w.join();
  EXPECT_EQ(verdict(call(*auth, withdrawn, now, patience::final)), "refused: unknown_key");
  EXPECT_EQ(verdict(call(*auth, secret, now)), "refused: unknown_api_key");
}

}  // namespace
}  // namespace weir::identity::testing
