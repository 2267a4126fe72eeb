// Keys that come and go: kid, rotation, a JWKS server that is down, floods of unknown kids.
#include <gtest/gtest.h>

#include "support.hpp"

namespace weir::identity::testing {
namespace {

class jwks : public ::testing::Test {
 protected:
  [[nodiscard]] std::string said(const maker& key, std::string_view kid,
                                 patience p = patience::may_wait) {
    return verdict(
        call(*auth_, token_of("RS256", good_payload(clock_.now()), key, kid), clock_.now(), p));
  }
  void fetch(const std::vector<json>& keys) {
    ASSERT_TRUE(auth_->begin_fetch(clock_.now()));
    const auto installed = auth_->install_jwks(jwks_of(keys), clock_.now());
    ASSERT_TRUE(installed) << installed.error().message;
  }

  manual_clock clock_;
  std::unique_ptr<authenticator> auth_{made(url_settings(), clock_.now())};
};

TEST_F(jwks, the_first_fetch_is_due_at_once_and_for_one_caller_only) {
  EXPECT_TRUE(auth_->jwks_is_url());
  EXPECT_EQ(auth_->jwks_source(), "https://issuer.example/keys");
  EXPECT_TRUE(auth_->begin_fetch(clock_.now()));
  EXPECT_FALSE(auth_->begin_fetch(clock_.now()));
  EXPECT_TRUE(auth_->fetch_in_flight(clock_.now()));
}

TEST_F(jwks, a_token_names_its_key_by_kid) {
  fetch({rsa_one().jwk("one"), rsa_two().jwk("two")});
  EXPECT_EQ(said(rsa_one(), "one"), "u-1");
  EXPECT_EQ(said(rsa_two(), "two"), "u-1");
  EXPECT_EQ(said(rsa_one(), "two"), "refused: bad_signature");
}

TEST_F(jwks, without_kid_one_key_is_enough_and_two_are_too_many) {
  fetch({rsa_one().jwk("one")});
  EXPECT_EQ(said(rsa_one(), ""), "u-1");
  clock_.advance(10min);
  fetch({rsa_one().jwk("one"), rsa_two().jwk("two")});
  EXPECT_EQ(said(rsa_one(), ""), "refused: ambiguous_key");
  clock_.advance(10min);
  fetch({rsa_one().jwk("same"), rsa_two().jwk("same")});
  EXPECT_EQ(said(rsa_one(), "same"), "refused: ambiguous_key");
}

TEST_F(jwks, a_kid_is_compared_and_never_opened) {
  fetch({rsa_one().jwk("one")});
  for (const auto* kid : {"../../etc/passwd", "/dev/null", "one' OR '1'='1", "ONE", "one "})
    EXPECT_EQ(said(rsa_one(), kid), "refused: unknown_key") << kid;
  const auto token =
      token_of(R"({"alg":"RS256","kid":7})", good_payload(clock_.now()).dump(), "RS256", rsa_one());
  EXPECT_EQ(verdict(call(*auth_, token, clock_.now())), "refused: malformed_token");
}

TEST_F(jwks, a_thousand_unknown_kids_in_a_second_cause_one_fetch) {
  fetch({rsa_one().jwk("one")});
  clock_.advance(31s);
  int fetches = 0;
  for (int i = 0; i < 1000; ++i) {
    if (said(rsa_two(), "kid-" + std::to_string(i)) == "needs keys" &&
        auth_->begin_fetch(clock_.now())) {
      ++fetches;
      ASSERT_TRUE(auth_->install_jwks(jwks_of({rsa_one().jwk("one")}), clock_.now()));
    }
    clock_.advance(1ms);
  }
  EXPECT_EQ(fetches, 1);
  EXPECT_EQ(said(rsa_two(), "new"), "refused: unknown_key");
  EXPECT_EQ(said(rsa_one(), "one"), "u-1");
}

TEST_F(jwks, a_new_kid_is_fetched_and_then_works) {
  fetch({rsa_one().jwk("one")});
  clock_.advance(30s);
  EXPECT_FALSE(auth_->begin_fetch(clock_.now())) << "nobody missed a key yet";
  EXPECT_EQ(said(rsa_two(), "two"), "needs keys");
  fetch({rsa_two().jwk("two")});
  EXPECT_EQ(said(rsa_two(), "two", patience::final), "u-1");
  EXPECT_EQ(said(rsa_one(), "one", patience::final), "refused: unknown_key");
}

TEST_F(jwks, who_comes_during_a_fetch_may_wait_for_it_too) {
  ASSERT_TRUE(auth_->begin_fetch(clock_.now()));
  EXPECT_EQ(said(rsa_one(), "one"), "needs keys");
  EXPECT_EQ(said(rsa_one(), "one", patience::final), "refused: unknown_key");
  ASSERT_TRUE(auth_->install_jwks(jwks_of({rsa_one().jwk("one")}), clock_.now()));
  EXPECT_FALSE(auth_->fetch_in_flight(clock_.now()));
  EXPECT_EQ(said(rsa_one(), "one", patience::final), "u-1");
}

TEST_F(jwks, a_key_that_is_withdrawn_stops_working_although_its_token_was_seen) {
  fetch({rsa_one().jwk("one"), rsa_two().jwk("two")});
  const auto token = token_of("RS256", good_payload(clock_.now()), rsa_one(), "one");
  EXPECT_EQ(verdict(call(*auth_, token, clock_.now())), "u-1");
  ASSERT_TRUE(auth_->install_jwks(jwks_of({rsa_two().jwk("two")}), clock_.now()));
  EXPECT_EQ(verdict(call(*auth_, token, clock_.now())), "refused: unknown_key");
}

TEST_F(jwks, while_the_server_is_down_known_keys_work_up_to_their_age) {
  fetch({rsa_one().jwk("one")});
  const auto token_at = [&](microseconds age) {
    auto later = clock_.now();
    later.mono += age;
    return verdict(call(*auth_, token_of("RS256", good_payload(later), rsa_one(), "one"), later,
                        patience::final));
  };
  EXPECT_EQ(token_at(24h - 1us), "u-1");
  EXPECT_EQ(token_at(24h), "refused: unknown_key");
}

TEST_F(jwks, a_cached_token_does_not_outlive_the_age_of_its_key) {
  fetch({rsa_one().jwk("one")});
  clock_.advance(24h - 1min);
  const auto token = token_of("RS256", good_payload(clock_.now()), rsa_one(), "one");
  EXPECT_EQ(verdict(call(*auth_, token, clock_.now())), "u-1");
  clock_.advance(1min);
  EXPECT_EQ(verdict(call(*auth_, token, clock_.now(), patience::final)), "refused: unknown_key");
}

TEST_F(jwks, down_at_the_start_it_is_tried_again_every_30_s_and_then_works) {
  ASSERT_TRUE(auth_->begin_fetch(clock_.now()));
  auth_->fetch_failed();
  EXPECT_EQ(said(rsa_one(), "one"), "refused: unknown_key");
  clock_.advance(30s - 1us);
  EXPECT_FALSE(auth_->begin_fetch(clock_.now()));
  clock_.advance(1us);
  EXPECT_EQ(said(rsa_one(), "one"), "needs keys");
  fetch({rsa_one().jwk("one")});
  EXPECT_EQ(said(rsa_one(), "one"), "u-1");
}

TEST_F(jwks, keys_are_refreshed_every_10_min_without_being_asked_for) {
  fetch({rsa_one().jwk("one")});
  clock_.advance(10min - 1us);
  EXPECT_FALSE(auth_->begin_fetch(clock_.now()));
  clock_.advance(1us);
  EXPECT_TRUE(auth_->begin_fetch(clock_.now()));
}

TEST_F(jwks, a_fetch_that_never_ends_is_given_up) {
  ASSERT_TRUE(auth_->begin_fetch(clock_.now()));
  clock_.advance(30s);
  EXPECT_FALSE(auth_->fetch_in_flight(clock_.now()));
  EXPECT_TRUE(auth_->begin_fetch(clock_.now()));
}

TEST_F(jwks, a_document_without_a_usable_key_leaves_the_known_ones) {
  fetch({rsa_one().jwk("one")});
  auto encrypting = rsa_two().jwk("enc");
  encrypting["use"] = "enc";
  auto foreign = rsa_two().jwk("alg");
  foreign["alg"] = "RSA-OAEP";
  auto wrapping = rsa_two().jwk("ops");
  wrapping["key_ops"] = {"wrapKey"};
  auto weak_exponent = rsa_two().jwk("e1");
  weak_exponent["e"] = "AQ";
  const auto secret = maker::secret("a secret that a URL gives to everyone").jwk("oct");
  const json okp{{"kty", "OKP"}, {"crv", "Ed25519"}, {"x", "AAAA"}};
  for (const auto& text :
       {std::string{}, std::string{"<html>502</html>"}, std::string{"{}"}, jwks_of({}),
        jwks_of({encrypting, foreign, wrapping, weak_exponent, secret, okp, json(7), json{}}),
        jwks_of({maker::rsa(1024).jwk("small")}), std::string{R"({"keys":[],"keys":[]})"},
        std::string(2 * 1024 * 1024, ' ')})
    EXPECT_FALSE(auth_->install_jwks(text, clock_.now())) << text.substr(0, 40);
  EXPECT_EQ(said(rsa_one(), "one"), "u-1");
}

TEST_F(jwks, keys_of_no_use_do_not_spoil_the_others) {
  const json okp{{"kty", "OKP"}, {"crv", "Ed25519"}, {"x", "AAAA"}, {"kid", "ed"}};
  ASSERT_EQ(auth_->install_jwks(jwks_of({okp, rsa_one().jwk("one")}), clock_.now()).value(), 1U);
  EXPECT_EQ(said(rsa_one(), "one"), "u-1");
}

TEST_F(jwks, a_key_that_names_its_algorithm_verifies_no_other) {
  auto s = url_settings();
  s.identity.jwt.algorithms = {"RS256", "PS256"};
  auth_ = made(s, clock_.now());
  auto key = rsa_one().jwk("one");
  key["alg"] = "PS256";
  fetch({key});
  EXPECT_EQ(said(rsa_one(), "one"), "refused: no_key_for_algorithm");
  const auto token = token_of("PS256", good_payload(clock_.now()), rsa_one(), "one");
  EXPECT_EQ(verdict(call(*auth_, token, clock_.now())), "u-1");
}

TEST_F(jwks, a_file_is_read_at_the_start_and_again_when_a_key_is_missing) {
  const scratch_folder folder;
  auto s = url_settings();
  s.identity.jwt.jwks = folder.write("keys.json", jwks_of({rsa_one().jwk("one")}));
  auth_ = made(s, clock_.now());
  EXPECT_EQ(said(rsa_one(), "one"), "u-1");
  folder.write("keys.json", jwks_of({rsa_two().jwk("two")}));
  clock_.advance(30s);
  EXPECT_EQ(said(rsa_two(), "two"), "needs keys");
  ASSERT_TRUE(auth_->begin_fetch(clock_.now()));
  ASSERT_TRUE(auth_->reload_jwks_file(clock_.now()));
  EXPECT_EQ(said(rsa_two(), "two"), "u-1");
  EXPECT_EQ(said(rsa_one(), "one"), "refused: unknown_key");
}

TEST_F(jwks, a_reload_of_the_configuration_takes_the_fetched_keys_along) {
  fetch({rsa_one().jwk("one")});
  auto next = made(url_settings(), clock_.now());
  next->adopt_jwks(*auth_);
  auth_ = std::move(next);
  EXPECT_EQ(said(rsa_one(), "one"), "u-1");
  EXPECT_FALSE(auth_->begin_fetch(clock_.now()));

  auto s = url_settings();
  s.identity.jwt.jwks = "https://other.example/keys";
  auto other = made(s, clock_.now());
  other->adopt_jwks(*auth_);
  auth_ = std::move(other);
  EXPECT_EQ(said(rsa_one(), "one"), "needs keys");
}

}  // namespace
}  // namespace weir::identity::testing
