// Whose address counts, with and without trusted proxies, for headers that tell the truth, lie or
// are garbage.
#include "identity/client_address.hpp"

#include <gtest/gtest.h>

namespace weir::identity {
namespace {

using lines = std::vector<std::string_view>;

trusted_networks trust(const std::vector<std::string>& cidrs) {
  return trusted_networks::make(cidrs).value();
}

// From 127.0.0.1, which is trusted unless `trusted` says otherwise.
std::string by_list(const lines& values, const trusted_networks& trusted = trust({"127.0.0.1"})) {
  return client_address("127.0.0.1", values, {}, trusted);
}
std::string by_forwarded(const lines& values) {
  return client_address("127.0.0.1", {}, values, trust({"127.0.0.1"}));
}

TEST(client_addresses, headers_of_a_peer_that_is_not_trusted_do_not_count) {
  const lines xff{"10.0.0.1"};
  const lines fwd{"for=10.0.0.1"};
  EXPECT_EQ(by_list(xff, {}), "127.0.0.1");
  EXPECT_EQ(client_address("192.0.2.1", xff, fwd, trust({"127.0.0.0/8"})), "192.0.2.1");
}

TEST(client_addresses, the_right_most_hop_that_is_not_trusted_counts) {
  EXPECT_EQ(by_list({"6.6.6.6, 10.0.0.5"}), "10.0.0.5");
  EXPECT_EQ(by_list({"6.6.6.6", "10.0.0.5"}), "10.0.0.5");
  const auto both = trust({"127.0.0.1", "10.0.0.0/8"});
  EXPECT_EQ(by_list({"6.6.6.6,203.0.113.9 , 10.0.0.5"}, both), "203.0.113.9");
  EXPECT_EQ(by_list({"203.0.113.9", "10.0.0.6,10.0.0.5"}, both), "203.0.113.9");
  EXPECT_EQ(by_list({"10.0.0.7, 10.0.0.5"}, both), "10.0.0.7");
}

TEST(client_addresses, garbage_leads_back_to_the_peer) {
  for (const auto* text :
       {"", ",", "unknown", "10.0.0.1.2", "10.0.0", "0x7f.1", "10.0.0.1 10.0.0.2", "a, b", "[::1",
        "::1]", "10.0.0.1:", "10.0.0.1:99999", "[::1]x", "fe80::1%", "\"10.0.0.1\"", "1.2.3.4,"})
    EXPECT_EQ(by_list({text}), "127.0.0.1") << text;
  EXPECT_EQ(by_list({std::string_view{"10.0.0.1\0", 9}}), "127.0.0.1");
}

TEST(client_addresses, garbage_beyond_the_hop_that_counts_does_not_matter) {
  EXPECT_EQ(by_list({"<script>, 10.0.0.5"}), "10.0.0.5");
}

TEST(client_addresses, hundreds_of_hops_are_bounded) {
  std::string many;
  for (int i = 0; i < 200; ++i) many += "6.6.6.6, ";
  EXPECT_EQ(by_list({many + "10.0.0.5"}), "10.0.0.5");
  std::string chain = "203.0.113.9";
  for (int i = 0; i < 31; ++i) chain += ", 127.0.0.1";
  EXPECT_EQ(by_list({chain}), "203.0.113.9");
  EXPECT_EQ(by_list({chain + ", 127.0.0.1"}), "127.0.0.1");
}

TEST(client_addresses, ports_brackets_and_zones_are_taken_off) {
  EXPECT_EQ(by_list({"203.0.113.9:4711"}), "203.0.113.9");
  EXPECT_EQ(by_list({"[2001:db8::1]:55"}), "2001:db8::/64");
  EXPECT_EQ(by_list({"[2001:db8::1]"}), "2001:db8::/64");
  EXPECT_EQ(client_address("fe80::1%eth0", {}, {}, {}), "fe80::/64");
}

TEST(client_addresses, an_ipv6_client_is_its_64) {
  EXPECT_EQ(by_list({"2001:db8:1:2:3:4:5:6"}), "2001:db8:1:2::/64");
  EXPECT_EQ(by_list({"2001:DB8:1:2:ffff::"}), "2001:db8:1:2::/64");
  EXPECT_NE(by_list({"2001:db8:1:3::1"}), by_list({"2001:db8:1:2::1"}));
}

TEST(client_addresses, ipv4_within_ipv6_is_ipv4) {
  EXPECT_EQ(by_list({"::ffff:203.0.113.9"}), "203.0.113.9");
  EXPECT_EQ(client_address("::ffff:127.0.0.1", lines{"10.0.0.5"}, {}, trust({"127.0.0.1/32"})),
            "10.0.0.5");
  EXPECT_EQ(client_address("::ffff:192.0.2.1", lines{"10.0.0.5"}, {}, trust({"127.0.0.1/32"})),
            "192.0.2.1");
}

TEST(client_addresses, forwarded_counts_by_its_for) {
  EXPECT_EQ(by_forwarded({"for=\"[2001:db8::1]:55\""}), "2001:db8::/64");
  EXPECT_EQ(by_forwarded({"for=6.6.6.6, proto=https;FOR=10.0.0.5;by=127.0.0.1"}), "10.0.0.5");
  EXPECT_EQ(by_forwarded({"for = 10.0.0.5 "}), "10.0.0.5");
  for (const auto* text : {"for=unknown", "for=_hidden", "proto=https", "for", "for=", "for=\"",
                           "for=10.0.0.5;for=10.0.0.6", "for=\"a,b\""})
    EXPECT_EQ(by_forwarded({text}), "127.0.0.1") << text;
}

TEST(client_addresses, two_headers_that_disagree_lead_back_to_the_peer) {
  const auto trusted = trust({"127.0.0.1"});
  const lines xff{"10.0.0.5"};
  const lines same{"for=\"10.0.0.5:99\""};
  const lines other{"for=6.6.6.6"};
  EXPECT_EQ(client_address("127.0.0.1", xff, same, trusted), "10.0.0.5");
  EXPECT_EQ(client_address("127.0.0.1", xff, other, trusted), "127.0.0.1");
}

TEST(client_addresses, a_peer_that_is_no_address_stays_as_it_is) {
  EXPECT_EQ(client_address("unix:", lines{"10.0.0.5"}, {}, trust({"0.0.0.0/0"})), "unix:");
}

TEST(trusted_networks, hold_exactly_their_prefix) {
  const auto nets = trust({"10.0.0.0/15", "2001:db8::/33", "0.0.0.0/32"});
  const auto in = [&](std::string_view a) { return nets.contains(ip_address::parse(a).value()); };
  EXPECT_TRUE(trust({"10.0.0.0/15"}).contains(ip_address::parse("10.1.255.255").value()));
  EXPECT_FALSE(trust({"10.0.0.0/15"}).contains(ip_address::parse("10.2.0.0").value()));
  EXPECT_TRUE(in("2001:db8:7fff::1"));
  EXPECT_FALSE(in("2001:db8:8000::1"));
  EXPECT_TRUE(in("0.0.0.0"));
  EXPECT_FALSE(in("::"));
  EXPECT_TRUE(trust({"0.0.0.0/0"}).contains(ip_address::parse("255.1.1.1").value()));
  EXPECT_FALSE(trust({"0.0.0.0/0"}).contains(ip_address::parse("2001:db8::1").value()));
}

TEST(trusted_networks, what_is_no_network_is_refused_by_name) {
  for (const auto* text : {"", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0.1/8", "x/8",
                           "::/129", "10.0.0.0/8x", "fd00::1/8"}) {
    const auto nets = trusted_networks::make({text});
    ASSERT_FALSE(nets) << text;
    EXPECT_NE(nets.error().message.find("'" + std::string{text} + "'"), std::string::npos);
  }
}

}  // namespace
}  // namespace weir::identity
