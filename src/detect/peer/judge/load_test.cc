#include "detect/peer/judge/load.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/missing.h"

namespace laggard::detect {
namespace {

TEST(Load, IsAPowerOfFour) {
  EXPECT_EQ(load_of(1.0), Load{0});
  EXPECT_EQ(load_of(3.999), Load{0});
  EXPECT_EQ(load_of(4.0), Load{1});
  EXPECT_EQ(load_of(std::ldexp(1.0, 20)), Load{10});
  EXPECT_EQ(load_of(std::nextafter(std::ldexp(1.0, 20), 0.0)), Load{9});
  EXPECT_EQ(load_of(0.3), Load{-1}) << "below one byte a second, too";
  EXPECT_EQ(load_of(0.2), Load{-2});
  EXPECT_EQ(load_of(0.0), std::nullopt);
  EXPECT_EQ(load_of(-5.0), std::nullopt);
  EXPECT_EQ(load_of(kMissing), std::nullopt);
  EXPECT_EQ(load_of(std::numeric_limits<double>::infinity()), std::nullopt);
  EXPECT_EQ(load_of(std::numeric_limits<double>::max()), Load{511});
  EXPECT_EQ(load_of(std::numeric_limits<double>::denorm_min()), Load{-537});
}

TEST(Load, IsOfTheMedianMemberReadsAndWritesTogether) {
  const std::vector<GroupJudge::Column> columns{
      {find_metric("await")}, {find_metric("rd_sec"), false}, {find_metric("wr_sec"), false}};
  WindowJudgement window;
  window.levels = {{9, 9, 9}, {10, 1e9, kMissing}, {10, 1e9, 1e9}};
  EXPECT_EQ(load_of(window, columns), load_of(512 * (20 + (2e9 - 20) / 2)));
  window.levels = {{9, 9, 9}, {10, 20, 30}, {0, 0, 4000}};
  EXPECT_EQ(load_of(window, columns), load_of(512 * 20.0));
  EXPECT_EQ(load_of(window, std::span(columns).first(2)), std::nullopt) << "writes are not recorded";
}

}  // namespace
}  // namespace laggard::detect
