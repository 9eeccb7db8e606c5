#include "detect/peer/judge/levels.h"

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

const std::vector<GroupJudge::Column> kColumns{
    {find_metric("await")}, {find_metric("tps"), false}, {find_metric("%util"), false}};

WindowJudgement window(std::vector<double> requests, std::vector<double> busy) {
  WindowJudgement window;
  window.levels = {std::vector<double>(requests.size(), 9), std::move(requests), std::move(busy)};
  return window;
}

TEST(Slowdown, IsTheBusyTimeBesideThatOfThePeers) {
  const auto slowdown = slowdown_of(window({100, 100, 50, 40}, {50, 60, 30, 60}), kColumns);
  ASSERT_EQ(slowdown.size(), 4U);
  EXPECT_DOUBLE_EQ(slowdown[3], 1.5 / 0.6) << "the peers need 0.5, 0.6, 0.6";
  EXPECT_DOUBLE_EQ(slowdown[2], 0.6 / 0.6) << "half of the requests, as long each";
  EXPECT_DOUBLE_EQ(slowdown[0], 0.5 / 0.6);
}

TEST(Slowdown, AHogsManyCheapRequestsMakeItsDiskBusier) {
  const auto slowdown = slowdown_of(window({100, 100, 100, 500}, {50, 50, 50, 100}), kColumns);
  EXPECT_DOUBLE_EQ(slowdown[3], 2);
}

TEST(Slowdown, WhoDoesNothingHasNone) {
  const auto slowdown = slowdown_of(window({100, 0, kMissing, 100}, {50, 0, 3, 100}), kColumns);
  EXPECT_DOUBLE_EQ(slowdown[0], 0.5);
  EXPECT_TRUE(std::isnan(slowdown[1]));
  EXPECT_TRUE(std::isnan(slowdown[2]));
  EXPECT_TRUE(std::isnan(slowdown_of(window({5, 0}, {5, 0}), kColumns)[0])) << "nobody to compare with";
  EXPECT_TRUE(slowdown_of(window({5, 5}, {5, 5}), std::span(kColumns).first(2)).empty());
}

TEST(Slowdown, WhoIsHardlySlowerHasToBeFarAway) {
  Parameters parameters;
  parameters.least_slowdown = 1.2;
  std::vector<double> thresholds{2, 2, 2, 90};
  ask_for_magnitude(std::vector<double>{1.1, 1.3, kMissing, 1.0}, parameters, 64, thresholds);
  EXPECT_EQ(thresholds, (std::vector<double>{64, 2, 2, 90}));
  ask_for_magnitude({}, parameters, 64, thresholds);
  EXPECT_EQ(thresholds, (std::vector<double>{64, 2, 2, 90})) << "busy times are not recorded";
}

}  // namespace
}  // namespace laggard::detect
