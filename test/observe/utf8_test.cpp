// The borders of RFC 3629.
#include "observe/utf8.hpp"

#include <gtest/gtest.h>

namespace weir::observe {
namespace {

TEST(code_points, are_accepted_at_the_borders_of_their_ranges) {
  for (const std::string_view valid :
       {"a", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
        "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_EQ(code_point_size(valid), valid.size()) << valid;
  }
}

TEST(code_points, are_refused_when_overlong_cut_surrogate_or_too_large) {
  for (const std::string_view invalid :
       {"", "\x80", "\xbf", "\xc0\xaf", "\xc1\xbf", "\xc2", "\xc2\x41", "\xe0\x9f\xbf",
        "\xed\xa0\x80", "\xe2\x82", "\xe2\x82\x41", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80",
        "\xf5\x80\x80\x80", "\xff"}) {
    EXPECT_EQ(code_point_size(invalid), 0U) << invalid;
  }
}

TEST(valid_text, is_cut_between_characters_only) {
  EXPECT_EQ(valid_utf8("aé", 2), "a");
  EXPECT_EQ(valid_utf8("aé", 3), "aé");
  EXPECT_EQ(valid_utf8("a\xff", 3), "a");
  EXPECT_EQ(valid_utf8("a\xff", 4), "a\xEF\xBF\xBD");
  EXPECT_EQ(valid_utf8(std::string_view{"\0", 1}, 9), replacement);
}

}  // namespace
}  // namespace weir::observe
