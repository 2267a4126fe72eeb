// Proposals for misspelt names.
#include "config/nearest.hpp"

#include <array>
#include <gtest/gtest.h>

namespace weir::config {
namespace {

constexpr std::array<std::string_view, 5> names{"listen", "max_body", "max_header", "tls", "cors"};

TEST(nearest_name, is_found_through_one_edit_of_each_kind) {
  EXPECT_EQ(nearest("lsten", names), "listen");       // a letter too few
  EXPECT_EQ(nearest("lissten", names), "listen");     // one too many
  EXPECT_EQ(nearest("lisden", names), "listen");      // another
  EXPECT_EQ(nearest("max_bdoy", names), "max_body");  // two swapped
  EXPECT_EQ(nearest("TLS", names), "tls");            // the wrong case
}

TEST(nearest_name, is_the_closest_of_several) {
  EXPECT_EQ(nearest("max_heade", names), "max_header");
  EXPECT_EQ(nearest("max_bode", names), "max_body");
}

TEST(nearest_name, is_none_where_nothing_is_near) {
  EXPECT_EQ(nearest("colour", names), "");
  EXPECT_EQ(nearest("x", names), "");
  EXPECT_EQ(nearest("", names), "");
  EXPECT_EQ(nearest(std::string(100'000, 'a'), names), "");
  EXPECT_EQ(nearest("listen", {}), "");
}

}  // namespace
}  // namespace weir::config
