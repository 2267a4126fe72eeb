// Addresses, base URLs, networks and origins.
#include "config/places.hpp"

#include <gtest/gtest.h>

namespace weir::config {
namespace {

TEST(addresses, have_a_host_and_a_port) {
  const auto plain = parse_address("0.0.0.0:8080");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->host, "0.0.0.0");
  EXPECT_EQ(plain->port, 8080);
  EXPECT_EQ(parse_address("[::1]:80")->host, "::1");
  EXPECT_EQ(parse_address("localhost:0")->port, 0);
  EXPECT_EQ(parse_address(":8080")->host, "");
}

TEST(addresses, that_are_none_are_refused) {
  for (const auto* text : {"", "8080", "host", "host:", "host:65536", "host:-1", "::1:80", "[::1]",
                           "[host]:80", "http://host:80", "a b:80", "host:8o", "[]:80"}) {
    EXPECT_FALSE(parse_address(text)) << text;
  }
}

TEST(provider_urls, reach_v1_whether_or_not_they_end_in_it) {
  for (const auto* text : {"http://127.0.0.1:9001", "http://127.0.0.1:9001/",
                           "http://127.0.0.1:9001/v1", "http://127.0.0.1:9001/v1/"}) {
    const auto parsed = parse_provider_url(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(parsed->path, "") << text;
    EXPECT_EQ(parsed->host, "127.0.0.1");
    EXPECT_EQ(parsed->port, 9001);
  }
  EXPECT_EQ(parse_provider_url("http://127.0.0.1:9001/prefix/v1")->path, "/prefix");
  EXPECT_EQ(parse_provider_url("http://h/prefixv1")->path, "/prefixv1");
}

TEST(provider_urls, with_a_query_a_fragment_or_a_user_are_refused) {
  EXPECT_FALSE(parse_provider_url("http://h/?x=1"));
  EXPECT_FALSE(parse_provider_url("http://h/#x"));
  EXPECT_FALSE(parse_provider_url("http://user@h/"));
  const auto secret = parse_provider_url("http://user:hunter2@h/");
  ASSERT_FALSE(secret);
  EXPECT_EQ(secret.error().message.find("hunter2"), std::string::npos);
}

TEST(urls, know_their_scheme_port_and_path) {
  EXPECT_EQ(parse_url("http://h")->port, 80);
  EXPECT_FALSE(parse_url("http://h")->tls);
  EXPECT_EQ(parse_url("https://h")->port, 443);
  EXPECT_TRUE(parse_url("https://h")->tls);
  EXPECT_EQ(parse_url("http://[::1]:8000/a/")->host, "::1");
  EXPECT_EQ(parse_url("http://h/a/v1/")->path, "/a/v1");
  EXPECT_EQ(format_url(*parse_url("http://[::1]:8000/a/")), "http://[::1]:8000/a");
}

TEST(urls, that_are_none_are_refused) {
  for (const auto* text :
       {"", "h:80", "127.0.0.1:8000", "ftp://h", "http://", "http:///x", "http://h:0",
        "http://h:65536", "http://h h", "http://h%20x/", "//h", "redis://h", "http://h\r\nx"}) {
    EXPECT_FALSE(parse_url(text)) << text;
  }
}

TEST(networks, are_given_back_in_one_way) {
  EXPECT_EQ(*parse_network("10.0.0.0/8"), "10.0.0.0/8");
  EXPECT_EQ(*parse_network("127.0.0.1"), "127.0.0.1/32");
  EXPECT_EQ(*parse_network("FD00:0::/8"), "fd00::/8");
  EXPECT_EQ(*parse_network("::1"), "::1/128");
  EXPECT_EQ(*parse_network("0.0.0.0/0"), "0.0.0.0/0");
}

TEST(networks, with_bits_beyond_the_prefix_are_refused_with_what_was_meant) {
  const auto odd = parse_network("10.1.2.3/8");
  ASSERT_FALSE(odd);
  EXPECT_NE(odd.error().message.find("10.0.0.0/8"), std::string::npos);
}

TEST(networks, that_are_none_are_refused) {
  for (const auto* text : {"", "10.0.0.0/33", "::/129", "10.0.0/8", "host/8", "10.0.0.0/",
                           "10.0.0.0/-1", "10.0.0.0/8/8", "010.0.0.0/8"}) {
    EXPECT_FALSE(parse_network(text)) << text;
  }
}

TEST(origins, are_what_browsers_send) {
  EXPECT_TRUE(parse_origin("https://app.example"));
  EXPECT_TRUE(parse_origin("http://localhost:3000"));
  for (const auto* text : {"*", "app.example", "https://app.example/", "https://a/b", "null"}) {
    EXPECT_FALSE(parse_origin(text)) << text;
  }
}

}  // namespace
}  // namespace weir::config
