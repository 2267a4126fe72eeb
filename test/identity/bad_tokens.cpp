// Tokens that must not get in: what attackers and broken issuers send. Every row is signed with the
// right key unless it says otherwise, so that only what it names can be the cause of the refusal.
#include <gtest/gtest.h>

#include "support.hpp"

namespace weir::identity::testing {
namespace {

class bad_tokens : public ::testing::Test {
 protected:
  bad_tokens() {
    auto s = pem_settings(folder_, rsa_one(), {"RS256"});
    s.identity.jwt.issuer = "https://issuer.example";
    s.identity.jwt.audience = "weir";
    auth_ = made(s, clock_.now());
  }

  [[nodiscard]] json payload() const {
    auto p = good_payload(clock_.now());
    p["iss"] = "https://issuer.example";
    p["aud"] = "weir";
    return p;
  }
  [[nodiscard]] std::string of(std::string_view token) {
    return verdict(call(*auth_, token, clock_.now()));
  }
  [[nodiscard]] std::string of_payload(const json& p) {
    return of(token_of("RS256", p, rsa_one()));
  }
  [[nodiscard]] std::string of_raw_payload(std::string_view text) {
    return of(token_of(R"({"alg":"RS256"})", text, "RS256", rsa_one()));
  }
  [[nodiscard]] std::string of_header(std::string_view text) {
    return of(token_of(text, payload().dump(), "RS256", rsa_one()));
  }
  [[nodiscard]] std::string with(std::string_view name, const json& value) {
    auto p = payload();
    p[std::string{name}] = value;
    return of_payload(p);
  }
  [[nodiscard]] std::string without(std::string_view name) {
    auto p = payload();
    p.erase(std::string{name});
    return of_payload(p);
  }
  [[nodiscard]] std::int64_t now() const { return seconds(clock_.now()); }

  scratch_folder folder_;
  manual_clock clock_;
  std::unique_ptr<authenticator> auth_;
};

TEST_F(bad_tokens, a_good_one_gets_in_so_that_the_refusals_mean_something) {
  EXPECT_EQ(of_payload(payload()), "u-1");
}

TEST_F(bad_tokens, no_algorithm_is_refused_in_any_spelling) {
  const auto text = base64url(R"({"alg":"none"})") + "." + base64url(payload().dump());
  EXPECT_EQ(of(text + "."), "refused: malformed_token");
  EXPECT_EQ(of(text + ".AAAA"), "refused: algorithm_refused");
  for (const auto* header : {R"({"alg":"None"})", R"({"alg":"NONE"})", R"({"alg":""})",
                             R"({"alg":null})", R"({"alg":["RS256"]})", R"({"alg":"rs256"})",
                             R"({"typ":"JWT"})", R"({"alg":"RS256 "})", R"({"alg":"EdDSA"})"})
    EXPECT_EQ(of_header(header), "refused: algorithm_refused") << header;
}

TEST_F(bad_tokens, the_public_key_is_no_secret_for_hmac) {
  const auto forger = maker::secret(rsa_one().public_pem());
  EXPECT_EQ(of(token_of("HS256", payload(), forger)), "refused: algorithm_refused");

  auto s = pem_settings(folder_, rsa_one(), {"RS256", "HS256"});
  auto both = made(s, clock_.now());
  EXPECT_EQ(verdict(call(*both, token_of("HS256", payload(), forger), clock_.now())),
            "refused: no_key_for_algorithm");
  s.identity.jwt.secret = "another secret of more than 32 bytes";
  both = made(s, clock_.now());
  EXPECT_EQ(verdict(call(*both, token_of("HS256", payload(), forger), clock_.now())),
            "refused: bad_signature");
}

TEST_F(bad_tokens, an_algorithm_of_the_same_key_that_is_not_listed_is_refused) {
  EXPECT_EQ(of(token_of("RS512", payload(), rsa_one())), "refused: algorithm_refused");
  EXPECT_EQ(of(token_of("PS256", payload(), rsa_one())), "refused: algorithm_refused");
}

TEST_F(bad_tokens, a_signature_by_another_key_or_over_other_text_is_refused) {
  EXPECT_EQ(of(token_of("RS256", payload(), rsa_two())), "refused: bad_signature");
  const auto good = token_of("RS256", payload(), rsa_one());
  auto other = payload();
  other["sub"] = "u-admin";
  const auto swapped =
      good.substr(0, good.find('.') + 1) + base64url(other.dump()) + good.substr(good.rfind('.'));
  EXPECT_EQ(of(swapped), "refused: bad_signature");
  EXPECT_EQ(of(good.substr(0, good.rfind('.') + 1) + "AAAA"), "refused: bad_signature");
  EXPECT_EQ(of(good.substr(0, good.size() - 8)), "refused: bad_signature");
}

TEST_F(bad_tokens, expiry_is_exact_to_the_microsecond_without_leeway) {
  const auto token = token_of("RS256", payload(), rsa_one());
  clock_.advance(3600s - 1us);
  EXPECT_EQ(of(token), "u-1");
  clock_.advance(1us);
  EXPECT_EQ(of(token), "refused: expired");
  EXPECT_EQ(with("exp", now() - 1), "refused: expired");
  EXPECT_EQ(with("exp", -1), "refused: expired");
}

TEST_F(bad_tokens, a_token_that_is_not_yet_valid_waits_for_its_time) {
  EXPECT_EQ(with("nbf", now() + 60), "refused: not_yet_valid");
  EXPECT_EQ(with("nbf", now()), "u-1");
  auto p = payload();
  p["nbf"] = now() + 60;
  const auto token = token_of("RS256", p, rsa_one());
  clock_.advance(60s);
  EXPECT_EQ(of(token), "u-1");
  clock_.step_wall(-1us);
  EXPECT_EQ(of(token), "refused: not_yet_valid");
}

TEST_F(bad_tokens, an_expiry_that_is_no_sane_number_is_refused) {
  EXPECT_EQ(without("exp"), "refused: missing_expiry");
  EXPECT_EQ(with("exp", "1964590400"), "refused: malformed_claim");
  EXPECT_EQ(with("exp", nullptr), "refused: malformed_claim");
  EXPECT_EQ(with("exp", true), "refused: malformed_claim");
  EXPECT_EQ(with("exp", json::array({now() + 60})), "refused: malformed_claim");
  EXPECT_EQ(with("exp", 1e300), "refused: malformed_claim");
  EXPECT_EQ(with("exp", 18446744073709551615U), "refused: malformed_claim");
  EXPECT_EQ(with("nbf", "0"), "refused: malformed_claim");
  EXPECT_EQ(of_raw_payload(R"({"sub":"u-1","exp":1e400})"), "refused: malformed_token");
  EXPECT_EQ(of_raw_payload(R"({"sub":"u-1","exp":NaN})"), "refused: malformed_token");
}

TEST_F(bad_tokens, a_fraction_of_a_second_counts) {
  auto p = payload();
  p["exp"] = static_cast<double>(now()) + 0.5;
  const auto token = token_of("RS256", p, rsa_one());
  EXPECT_EQ(of(token), "u-1");
  clock_.advance(500ms);
  EXPECT_EQ(of(token), "refused: expired");
}

TEST_F(bad_tokens, issuer_and_audience_must_be_the_configured_ones) {
  EXPECT_EQ(without("iss"), "refused: wrong_issuer");
  EXPECT_EQ(with("iss", "https://issuer.example/"), "refused: wrong_issuer");
  EXPECT_EQ(with("iss", 7), "refused: malformed_claim");
  EXPECT_EQ(without("aud"), "refused: wrong_audience");
  EXPECT_EQ(with("aud", "other"), "refused: wrong_audience");
  EXPECT_EQ(with("aud", json::array({"other"})), "refused: wrong_audience");
  EXPECT_EQ(with("aud", json::array()), "refused: wrong_audience");
  EXPECT_EQ(with("aud", json::array({"weir", 7})), "refused: malformed_claim");
  EXPECT_EQ(with("aud", json{{"weir", "weir"}}), "refused: malformed_claim");
  EXPECT_EQ(with("aud", json::array({"other", "weir"})), "u-1");
}

TEST_F(bad_tokens, a_user_must_be_a_short_clean_text) {
  EXPECT_EQ(without("sub"), "refused: bad_user");
  EXPECT_EQ(with("sub", ""), "refused: bad_user");
  EXPECT_EQ(with("sub", 1001), "refused: bad_user");
  EXPECT_EQ(with("sub", "a\nb"), "refused: bad_user");
  EXPECT_EQ(with("sub", std::string("a\0b", 3)), "refused: bad_user");
  EXPECT_EQ(with("sub", "a\x7F"), "refused: bad_user");
  EXPECT_EQ(with("sub", "a\xC2\x85"), "refused: bad_user");
  EXPECT_EQ(with("sub", std::string(257, 'a')), "refused: bad_user");
  EXPECT_EQ(with("sub", std::string(256, 'a')), std::string(256, 'a'));
  EXPECT_EQ(with("sub", "zo\xC3\xAB {weir}:*"), "zo\xC3\xAB {weir}:*");
}

TEST_F(bad_tokens, text_that_is_not_utf8_is_refused) {
  const auto start = R"({"exp":4000000000,"iss":"https://issuer.example","aud":"weir","sub":")";
  for (const std::string sub :
       {"\xFF", "\xC0\x80", "\xED\xA0\x80", "\xF5\x80\x80\x80", "\xC3", R"(\ud800)"})
    EXPECT_EQ(of_raw_payload(start + sub + "\"}"), "refused: malformed_token");
}

TEST_F(bad_tokens, members_that_stand_twice_are_refused) {
  EXPECT_EQ(of_header(R"({"alg":"RS256","alg":"RS256"})"), "refused: malformed_token");
  EXPECT_EQ(of_header(R"({"alg":"RS256","\u0061lg":"RS256"})"), "refused: malformed_token");
  const auto text = payload().dump();
  const auto open = text.substr(0, text.size() - 1);
  EXPECT_EQ(of_raw_payload(open + R"(,"x":{"y":1}})"), "u-1");
  EXPECT_EQ(of_raw_payload(open + R"(,"sub":"u-admin"})"), "refused: malformed_token");
  EXPECT_EQ(of_raw_payload(open + R"(,"x":{"y":1,"y":2}})"), "refused: malformed_token");
}

TEST_F(bad_tokens, a_token_cannot_bring_its_own_key_or_rules) {
  auto header = json{{"alg", "RS256"}, {"jwk", rsa_two().jwk()}};
  EXPECT_EQ(of(token_of(header.dump(), payload().dump(), "RS256", rsa_two())),
            "refused: forbidden_header");
  for (const auto* text :
       {R"({"alg":"RS256","crit":["x"],"x":1})", R"({"alg":"RS256","crit":[]})",
        R"({"alg":"RS256","jku":"https://evil.example/keys"})",
        R"({"alg":"RS256","x5u":"https://evil.example/cert"})", R"({"alg":"RS256","x5c":["AA"]})"})
    EXPECT_EQ(of_header(text), "refused: forbidden_header") << text;
}

TEST_F(bad_tokens, only_three_parts_of_base64url_are_a_token) {
  const auto good = token_of("RS256", payload(), rsa_one());
  for (const auto& text :
       {good + ".x", good + ".", "." + good, good.substr(0, good.rfind('.')),
        good.substr(good.find('.')), std::string{"..."}, std::string{".."}, std::string{"x"},
        "a" + good, "=" + good, good + "=", good.substr(0, 10) + " " + good.substr(10)})
    EXPECT_TRUE(of(text).starts_with("refused: ")) << text.size();
}

TEST_F(bad_tokens, header_and_payload_must_be_objects) {
  for (const auto* text : {"[]", "\"RS256\"", "7", "", "{", R"({"alg":"RS256"}x)"})
    EXPECT_EQ(of_header(text), "refused: malformed_token") << text;
  for (const auto* text : {"[]", "null", "{\"sub\":\"u-1\"", "x"})
    EXPECT_EQ(of_raw_payload(text), "refused: malformed_token") << text;
}

TEST_F(bad_tokens, huge_ones_are_refused_before_any_work) {
  auto p = payload();
  p["pad"] = std::string(16 * 1024, 'x');
  EXPECT_EQ(of_payload(p), "refused: malformed_token");
  EXPECT_EQ(of(std::string(3 * 1024 * 1024, 'x')), "refused: malformed_token");
  p["pad"] = std::string(8 * 1024, 'x');
  EXPECT_EQ(of_payload(p), "u-1");
  EXPECT_EQ(of_raw_payload(R"({"sub":)" + std::string(10000, '[')), "refused: malformed_token");
}

TEST_F(bad_tokens, every_refusal_is_the_same_401_to_the_caller) {
  for (const auto& token : {token_of("RS256", payload(), rsa_two()), std::string{"x.y.z"},
                            token_of("RS256", json{{"sub", "u"}}, rsa_one())}) {
    const auto no = std::get<rejection>(call(*auth_, token, clock_.now()));
    EXPECT_EQ(no.status, 401);
    EXPECT_EQ(no.challenge, "Bearer error=\"invalid_token\"");
  }
}

}  // namespace
}  // namespace weir::identity::testing
