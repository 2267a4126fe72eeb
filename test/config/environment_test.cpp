// ${NAME} in values.
#include "config/environment.hpp"

#include <gtest/gtest.h>

namespace weir::config {
namespace {

const environment variables{{"A", "one"}, {"B_2", "two"}, {"EMPTY", ""}, {"NESTED", "${A}"}};

TEST(variables_in_values, are_replaced) {
  EXPECT_EQ(*expand("${A}", variables), "one");
  EXPECT_EQ(*expand("x${A}y${B_2}z", variables), "xoneytwoz");
  EXPECT_EQ(*expand("no variable, 5 $ and $A {x}", variables), "no variable, 5 $ and $A {x}");
}

TEST(variables_in_values, have_defaults_where_unset_or_empty) {
  EXPECT_EQ(*expand("${NO:-d}", variables), "d");
  EXPECT_EQ(*expand("${EMPTY:-d}", variables), "d");
  EXPECT_EQ(*expand("${A:-d}", variables), "one");
  EXPECT_EQ(*expand("${NO:-}", variables), "");
  EXPECT_EQ(*expand("${NO:-a:-b}", variables), "a:-b");
}

TEST(variables_in_values, that_are_unset_or_empty_are_an_error_that_names_them) {
  for (const auto* text : {"${MISSING_ONE}", "x ${MISSING_ONE} y"}) {
    const auto got = expand(text, variables);
    ASSERT_FALSE(got);
    EXPECT_NE(got.error().message.find("MISSING_ONE"), std::string::npos);
  }
  EXPECT_FALSE(expand("${EMPTY}", variables));
}

TEST(variables_in_values, are_not_replaced_twice) {
  EXPECT_EQ(*expand("${NESTED}", variables), "${A}");
}

TEST(variables_in_values, can_be_escaped) {
  EXPECT_EQ(*expand("$${A}", variables), "${A}");
  EXPECT_EQ(*expand("$${A} ${A}", variables), "${A} one");
}

TEST(variables_in_values, must_be_well_formed) {
  for (const auto* text : {"${", "${A", "${}", "${a-b}", "${1A}", "${ A }", "${:-d}"}) {
    EXPECT_FALSE(expand(text, variables)) << text;
  }
}

TEST(the_process_environment, is_copied) {
  ASSERT_EQ(setenv("WEIR_TEST_COPIED", "a=b", 1), 0);
  EXPECT_EQ(process_environment().at("WEIR_TEST_COPIED"), "a=b");
}

}  // namespace
}  // namespace weir::config
