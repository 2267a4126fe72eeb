// What stops weir at the start, what it warns of, and that no message holds a secret.
#include <gtest/gtest.h>

#include "identity/jwk.hpp"
#include "support.hpp"

namespace weir::identity::testing {
namespace {

std::string failure(const config::settings& s) {
  const auto auth = authenticator::make(s, {}, manual_clock{}.now());
  return auth ? "none" : auth.error().message;
}

config::settings with_pem(const scratch_folder& folder, std::string_view text) {
  auto s = plain_settings();
  s.identity.jwt.enabled = true;
  s.identity.jwt.algorithms = {"RS256"};
  s.identity.jwt.public_key = folder.write("key.pem", text);
  return s;
}

TEST(startup, an_unknown_algorithm_is_named) {
  auto s = secret_settings();
  s.identity.jwt.algorithms = {"HS256", "none"};
  EXPECT_NE(failure(s).find("identity.jwt.algorithms: 'none'"), std::string::npos);
}

TEST(startup, a_key_file_that_cannot_be_used_is_named_with_what_was_expected) {
  const scratch_folder folder;
  auto s = with_pem(folder, "");
  s.identity.jwt.public_key = folder.file("missing.pem");
  EXPECT_NE(failure(s).find("missing.pem: No such file"), std::string::npos);
  EXPECT_NE(failure(with_pem(folder, "")).find("PUBLIC KEY"), std::string::npos);
  EXPECT_NE(failure(with_pem(folder, "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----"))
                .find("key.pem"),
            std::string::npos);
  for (const auto& key : {maker::rsa(1024), maker::ec("secp256k1"), maker::ed25519()})
    EXPECT_NE(failure(with_pem(folder, key.public_pem())).find("2048 bits"), std::string::npos);
}

TEST(startup, a_private_key_in_place_of_the_public_one_is_refused_and_not_repeated) {
  const scratch_folder folder;
  const auto message = failure(with_pem(folder, rsa_one().private_pem()));
  EXPECT_NE(message.find("openssl pkey"), std::string::npos);
  EXPECT_EQ(message.find(rsa_one().private_pem().substr(40, 20)), std::string::npos);
}

TEST(startup, a_jwks_file_that_cannot_be_used_is_named) {
  const scratch_folder folder;
  auto s = url_settings();
  s.identity.jwt.jwks = folder.file("missing.json");
  EXPECT_NE(failure(s).find("missing.json"), std::string::npos);
  s.identity.jwt.jwks = folder.write("keys.json", R"({"keys":[{"kty":"oct","k":"U0VDUkVU#"}]})");
  EXPECT_NE(failure(s).find("keys.json"), std::string::npos);
  EXPECT_EQ(failure(s).find("U0VDUkVU"), std::string::npos);
}

TEST(startup, a_jwks_url_is_not_repeated_since_it_may_hold_a_secret) {
  auto s = url_settings();
  s.identity.jwt.jwks = "https://issuer.example/keys?token=SECRET";
  const auto auth = made(s, manual_clock{}.now());
  const auto bad = auth->install_jwks("SECRET", manual_clock{}.now());
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().message.find("SECRET"), std::string::npos);
}

TEST(startup, a_short_secret_works_with_a_warning_that_does_not_repeat_it) {
  const manual_clock clock;
  const auto auth = made(secret_settings("SECRET"), clock.now());
  ASSERT_EQ(auth->warnings().size(), 1U);
  EXPECT_EQ(auth->warnings().front().find("SECRET"), std::string::npos);
  const auto token = token_of("HS256", good_payload(clock.now()), maker::secret("SECRET"));
  EXPECT_EQ(verdict(call(*auth, token, clock.now())), "u-1");
  EXPECT_TRUE(made(secret_settings(), clock.now())->warnings().empty());
}

TEST(startup, jwt_settings_that_are_off_are_not_looked_at) {
  auto s = secret_settings();
  s.identity.jwt.enabled = false;
  s.identity.jwt.public_key = "missing.pem";
  EXPECT_EQ(failure(s), "none");
}

TEST(base64url, decodes_only_its_own_alphabet_without_padding) {
  EXPECT_EQ(base64url_decode("LV8-"), "-_>");
  EXPECT_EQ(base64url_decode("YQ"), "a");
  EXPECT_EQ(base64url_decode(""), "");
  for (const auto* text : {"YQ==", "Y", "Y+", "Y/", "Y Q", "YQ\n"})
    EXPECT_FALSE(base64url_decode(text)) << text;
}

}  // namespace
}  // namespace weir::identity::testing
