// One line per period instead of one per call.
#include "observe/rate_limited.hpp"

#include <gtest/gtest.h>

namespace weir::observe {
namespace {

TEST(rate_limited_message, passes_once_per_period_and_tells_how_many_it_swallowed) {
  manual_clock time;
  rate_limited once{10s};
  EXPECT_EQ(once.pass(time.mono()), 0U);
  for (int i = 0; i < 7; ++i) EXPECT_EQ(once.pass(time.mono()), std::nullopt);
  time.advance(10s - 1us);
  EXPECT_EQ(once.pass(time.mono()), std::nullopt);
  time.advance(1us);
  EXPECT_EQ(once.pass(time.mono()), 8U);
  time.advance(1h);
  EXPECT_EQ(once.pass(time.mono()), 0U);
}

}  // namespace
}  // namespace weir::observe
