// Which caller a call becomes: credentials, anonymous calls, tiers and teams.
#include <gtest/gtest.h>

#include "identity/key_entry.hpp"
#include "support.hpp"

namespace weir::identity::testing {
namespace {

const std::string key_text = std::string{api_key_prefix} + std::string(64, 'a');

api_key a_key() {
  api_key key;
  key.id = "ci";
  key.hash = sha256(key_text);
  key.user = "u-7";
  key.tier = "pro";
  return key;
}

class callers : public ::testing::Test {
 protected:
  [[nodiscard]] key_table table(const api_key& key) { return key_table::make({key}).value(); }
  [[nodiscard]] std::string with_headers(std::string_view authorization, std::string_view api_key) {
    return verdict(auth_->authenticate({authorization, api_key, "192.0.2.7"}, clock_.now()));
  }
  [[nodiscard]] caller of_tier(const json& tier, std::string_view user = "u-1") {
    auto p = good_payload(clock_.now());
    p["sub"] = user;
    p["tier"] = tier;
    return std::get<caller>(call(*auth_, token_of("HS256", p, secret_), clock_.now()));
  }

  static config::settings both() {
    auto s = secret_settings();
    s.identity.api_keys_file = "keys.yaml";
    return s;
  }

  manual_clock clock_;
  maker secret_{maker::secret(secret_settings().identity.jwt.secret)};
  std::unique_ptr<authenticator> auth_{made(both(), clock_.now(), table(a_key()))};
};

TEST_F(callers, without_credentials_the_address_is_the_user) {
  const auto who = std::get<caller>(auth_->authenticate({{}, {}, "192.0.2.7"}, clock_.now()));
  EXPECT_EQ(who.user, "192.0.2.7");
  EXPECT_EQ(who.address, "192.0.2.7");
  EXPECT_EQ(who.tier, "FREE");
  EXPECT_EQ(who.how, caller::kind::anonymous);
  EXPECT_TRUE(who.may_use("anything"));
}

TEST_F(callers, anonymous_calls_can_be_off) {
  auto s = both();
  s.identity.anonymous = false;
  auth_ = made(s, clock_.now());
  const auto said = auth_->authenticate({{}, {}, "192.0.2.7"}, clock_.now());
  EXPECT_EQ(verdict(said), "refused: missing_credentials");
  EXPECT_EQ(std::get<rejection>(said).challenge, "Bearer");
}

TEST_F(callers, a_credential_that_does_not_hold_is_never_anonymous) {
  EXPECT_EQ(with_headers("Basic dTpw", ""), "refused: unsupported_scheme");
  EXPECT_EQ(with_headers("Bearer", ""), "refused: malformed_token");
  EXPECT_EQ(with_headers("Bearer   ", ""), "refused: malformed_token");
  EXPECT_EQ(with_headers("Bearer x", ""), "refused: malformed_token");
  EXPECT_EQ(with_headers("", "nonsense"), "refused: malformed_token");
  EXPECT_EQ(with_headers(key_text, ""), "refused: unsupported_scheme");
}

TEST_F(callers, where_no_credentials_are_configured_what_is_sent_is_not_looked_at) {
  auth_ = made(plain_settings(), clock_.now());
  EXPECT_EQ(with_headers("Bearer dummy", ""), "192.0.2.7");
  EXPECT_EQ(with_headers("", "dummy"), "192.0.2.7");
}

TEST_F(callers, an_api_key_may_come_in_either_header) {
  EXPECT_EQ(with_headers(bearer(key_text), ""), "u-7");
  EXPECT_EQ(with_headers("bEARER  " + key_text, ""), "u-7");
  EXPECT_EQ(with_headers("", key_text), "u-7");
  EXPECT_EQ(with_headers("Bearer x", key_text), "refused: malformed_token");
}

TEST_F(callers, an_api_key_brings_its_rights_along) {
  auto key = a_key();
  key.team = "ops";
  key.models = {"small", "tiny"};
  key.limits = std::make_shared<const std::vector<config::limit_settings>>(
      key_limits({"10 requests/min"}, "ci").value());
  auth_->install_keys(table(key));
  const auto who = std::get<caller>(call(*auth_, key_text, clock_.now()));
  EXPECT_EQ(who.how, caller::kind::api_key);
  EXPECT_EQ(who.key_id, "ci");
  EXPECT_EQ(who.tier, "PRO");
  EXPECT_EQ(who.tenant(), "ops");
  EXPECT_EQ(who.limits, key.limits);
  EXPECT_EQ(who.address, "192.0.2.7");
  EXPECT_TRUE(who.may_use("tiny"));
  EXPECT_FALSE(who.may_use("large"));
}

TEST_F(callers, an_unknown_key_is_refused) {
  EXPECT_EQ(with_headers("", std::string{api_key_prefix} + std::string(64, 'b')),
            "refused: unknown_api_key");
  EXPECT_EQ(with_headers("", api_key_prefix), "refused: unknown_api_key");
}

TEST_F(callers, a_revoked_key_stops_working_although_it_was_seen) {
  EXPECT_EQ(with_headers("", key_text), "u-7");
  auth_->install_keys({});
  EXPECT_EQ(with_headers("", key_text), "refused: unknown_api_key");
}

TEST_F(callers, a_key_expires_at_its_instant_although_it_was_seen) {
  auto key = a_key();
  key.expires = clock_.now().wall + 1min;
  auth_->install_keys(table(key));
  clock_.advance(1min - 1us);
  EXPECT_EQ(with_headers("", key_text), "u-7");
  clock_.advance(1us);
  EXPECT_EQ(with_headers("", key_text), "refused: api_key_expired");
}

TEST_F(callers, a_tier_counts_in_any_case_and_an_unknown_one_is_the_default) {
  EXPECT_EQ(of_tier("pro").tier, "PRO");
  EXPECT_EQ(of_tier("EnterPrise").tier, "ENTERPRISE");
  EXPECT_EQ(of_tier("root").tier, "FREE");
  EXPECT_EQ(of_tier("PRO ").tier, "FREE");
  EXPECT_EQ(of_tier(7).tier, "FREE");
  EXPECT_EQ(of_tier(json::array({"PRO"})).tier, "FREE");
  auto s = both();
  s.identity.default_tier = "pro";
  s.identity.anonymous_tier = "free";
  auth_ = made(s, clock_.now());
  EXPECT_EQ(of_tier("root").tier, "PRO");
  EXPECT_EQ(auth_->anonymous("192.0.2.7").tier, "FREE");
}

TEST_F(callers, a_user_has_the_team_that_lists_it) {
  EXPECT_EQ(of_tier("FREE", "u-1001").team, "research");
  EXPECT_EQ(of_tier("FREE", "u-1001").tenant(), "research");
  EXPECT_EQ(of_tier("FREE", "u-1").team, "");
  EXPECT_EQ(of_tier("FREE", "u-1").tenant(), "u-1");
}

TEST_F(callers, claims_can_have_other_names) {
  auto s = both();
  s.identity.jwt.user_claim = "email";
  s.identity.jwt.tier_claim = "plan";
  auth_ = made(s, clock_.now());
  auto p = good_payload(clock_.now());
  p["email"] = "a@example.org";
  p["plan"] = "pro";
  const auto who = std::get<caller>(call(*auth_, token_of("HS256", p, secret_), clock_.now()));
  EXPECT_EQ(who.user, "a@example.org");
  EXPECT_EQ(who.tier, "PRO");
}

TEST_F(callers, leeway_stretches_both_ends) {
  auto s = both();
  s.identity.jwt.leeway = 5s;
  auth_ = made(s, clock_.now());
  auto p = good_payload(clock_.now());
  p["exp"] = seconds(clock_.now()) - 4;
  p["nbf"] = seconds(clock_.now()) + 5;
  EXPECT_EQ(verdict(call(*auth_, token_of("HS256", p, secret_), clock_.now())), "u-1");
  p["exp"] = seconds(clock_.now()) - 5;
  EXPECT_EQ(verdict(call(*auth_, token_of("HS256", p, secret_), clock_.now())), "refused: expired");
}

}  // namespace
}  // namespace weir::identity::testing
