// Every algorithm with a key of its type, signed by OpenSSL and verified by weir, and the other way
// round by mint_token.
#include <gtest/gtest.h>

#include "identity/token.hpp"
#include "support.hpp"

namespace weir::identity::testing {
namespace {

const maker& key_for(std::string_view alg) {
  static const auto p256 = maker::ec("P-256");
  static const auto p384 = maker::ec("P-384");
  static const auto p521 = maker::ec("P-521");
  static const auto secret = maker::secret(std::string(64, 's'));
  if (alg.starts_with("HS")) return secret;
  if (!alg.starts_with("ES")) return rsa_one();
  return alg == "ES256" ? p256 : alg == "ES384" ? p384 : p521;
}

config::settings settings_for(const scratch_folder& folder, const std::string& alg) {
  if (!alg.starts_with("HS")) return pem_settings(folder, key_for(alg), {alg});
  auto s = secret_settings(std::string(64, 's'));
  s.identity.jwt.algorithms = {alg};
  return s;
}

const std::vector<std::string> names{"HS256", "HS384", "HS512", "RS256", "RS384", "RS512",
                                     "PS256", "PS384", "PS512", "ES256", "ES384", "ES512"};

TEST(algorithms, each_one_verifies_with_its_key_and_no_other_algorithm_does) {
  const manual_clock clock;
  for (const auto& alg : names) {
    const scratch_folder folder;
    const auto auth = made(settings_for(folder, alg), clock.now());
    for (const auto& other : names) {
      const auto token = token_of(other, good_payload(clock.now()), key_for(other));
      const auto wanted = alg == other ? "u-1" : "refused: algorithm_refused";
      EXPECT_EQ(verdict(call(*auth, token, clock.now())), wanted) << alg << " " << other;
    }
  }
}

TEST(algorithms, all_listed_at_once_each_key_still_verifies_only_its_own_type) {
  const manual_clock clock;
  const scratch_folder folder;
  for (const auto& alg : names) {
    auto s = settings_for(folder, alg);
    s.identity.jwt.algorithms = names;
    const auto auth = made(s, clock.now());
    for (const auto& other : names) {
      const auto said = verdict(
          call(*auth, token_of(other, good_payload(clock.now()), key_for(other)), clock.now()));
      const bool same_key = &key_for(alg) == &key_for(other);
      EXPECT_EQ(said, same_key ? "u-1" : "refused: no_key_for_algorithm") << alg << " " << other;
    }
  }
}

TEST(algorithms, a_jwk_verifies_what_its_pem_does) {
  const manual_clock clock;
  const scratch_folder folder;
  for (const auto& alg : names) {
    auto s = plain_settings();
    s.identity.jwt.enabled = true;
    s.identity.jwt.algorithms = names;
    s.identity.jwt.jwks = folder.write("keys.json", jwks_of({key_for(alg).jwk("a")}));
    const auto auth = made(s, clock.now());
    const auto token = token_of(alg, good_payload(clock.now()), key_for(alg), "a");
    EXPECT_EQ(verdict(call(*auth, token, clock.now())), "u-1") << alg;
  }
}

TEST(algorithms, a_curve_verifies_only_its_own_algorithm) {
  const manual_clock clock;
  const scratch_folder folder;
  const auto p384 = maker::ec("P-384");
  const auto auth = made(pem_settings(folder, p384, {"ES256"}), clock.now());
  const auto token = token_of("ES256", good_payload(clock.now()), p384);
  EXPECT_EQ(verdict(call(*auth, token, clock.now())), "refused: no_key_for_algorithm");
}

TEST(algorithms, an_ecdsa_signature_with_a_short_number_in_it_verifies) {
  const manual_clock clock;
  const scratch_folder folder;
  const auto& key = key_for("ES256");
  const auto auth = made(pem_settings(folder, key, {"ES256"}), clock.now());
  auto payload = good_payload(clock.now());
  for (int i = 0; i < 600; ++i) {
    payload["n"] = i;
    EXPECT_EQ(verdict(call(*auth, token_of("ES256", payload, key), clock.now())), "u-1");
  }
}

TEST(algorithms, an_empty_list_means_the_usual_one_of_each_key_that_is_there) {
  const manual_clock clock;
  auto s = secret_settings();
  s.identity.jwt.algorithms.clear();
  const auto auth = made(s, clock.now());
  const auto key = maker::secret(s.identity.jwt.secret);
  const auto said = [&](std::string_view alg, const maker& by) {
    return verdict(call(*auth, token_of(alg, good_payload(clock.now()), by), clock.now()));
  };
  EXPECT_EQ(said("HS256", key), "u-1");
  EXPECT_EQ(said("HS512", key), "refused: algorithm_refused");
  EXPECT_EQ(said("RS256", rsa_one()), "refused: algorithm_refused");
}

TEST(algorithms, minted_tokens_get_in_and_end_when_they_say) {
  manual_clock clock;
  for (const auto& alg : names) {
    const scratch_folder folder;
    auto s = settings_for(folder, alg);
    s.identity.jwt.issuer = "me";
    s.identity.jwt.audience = "weir";
    s.identity.jwt.user_claim = "uid";
    const auto pem = alg.starts_with("HS") ? std::string{} : key_for(alg).private_pem();
    const auto token = mint_token(s.identity.jwt, "u-1001", "pro", 60s, clock.now(), pem);
    ASSERT_TRUE(token) << alg << ": " << token.error().message;
    const auto auth = made(s, clock.now());
    const auto who = std::get<caller>(call(*auth, *token, clock.now()));
    EXPECT_EQ(who.user, "u-1001");
    EXPECT_EQ(who.tier, "PRO");
    clock.advance(60s);
    EXPECT_EQ(verdict(call(*auth, *token, clock.now())), "refused: expired");
  }
}

TEST(algorithms, minting_refuses_what_could_not_be_verified) {
  const manual_clock clock;
  const auto jwt = secret_settings().identity.jwt;
  EXPECT_FALSE(mint_token(jwt, "", "FREE", 60s, clock.now()));
  EXPECT_FALSE(mint_token(jwt, "a\nb", "FREE", 60s, clock.now()));
  EXPECT_FALSE(mint_token(jwt, "\xFF", "FREE", 60s, clock.now()));
  EXPECT_FALSE(mint_token(jwt, "u", "FREE", 999ms, clock.now()));
  EXPECT_FALSE(mint_token(jwt, "u", "FREE", 60s, clock.now(), rsa_one().private_pem()));
  EXPECT_FALSE(mint_token(jwt, "u", "FREE", 60s, clock.now(), "no key"));
  EXPECT_FALSE(mint_token({}, "u", "FREE", 60s, clock.now()));
}

}  // namespace
}  // namespace weir::identity::testing
