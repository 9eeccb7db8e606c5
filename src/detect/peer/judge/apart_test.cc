#include "detect/peer/judge/apart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/missing.h"

namespace laggard::detect {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr ApartOptions kUpwards{.bad = BadDirection::kHigher, .floor = 1, .least_gap = 3};

std::vector<std::uint32_t> apart(const std::vector<double>& levels, const ApartOptions& options = kUpwards) {
  return standing_apart(levels, options);
}

TEST(Apart, TwoOfNineThatAreFarAboveTheRest) {
  EXPECT_THAT(apart({300, 310, 1500, 290, 330, 1400, 305, 280, 320}), ElementsAre(2, 5));
}

TEST(Apart, OneAloneIsLeftToTheQuartiles) {
  EXPECT_THAT(apart({300, 310, 1500, 290, 330, 315, 305, 280, 320}), IsEmpty());
}

TEST(Apart, JustUnderHalfAtMost) {
  EXPECT_THAT(apart({10, 11, 12, 9, 10, 100, 110, 120, 130}), ElementsAre(8, 7, 6, 5));
  EXPECT_THAT(apart({10, 11, 12, 9, 100, 110, 120, 130}), IsEmpty());
}

TEST(Apart, AllOfThemHoweverUnlike) {
  EXPECT_THAT(apart({10, 11, 12, 9, 10, 11, 60, 80, 5000}), ElementsAre(8, 7, 6));
}

TEST(Apart, WhoWandersIsNotApart) {
  // The rest is spread by 60 above its median, the nearest is 100 above the farthest of them.
  EXPECT_THAT(apart({300, 310, 460, 290, 360, 470, 305, 280, 320}), IsEmpty());
}

TEST(Apart, DifferencesBelowTheFloorAreNone) {
  EXPECT_THAT(apart({0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 3, 3}), IsEmpty());
  EXPECT_THAT(apart({0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 5, 5}), ElementsAre(8, 7));
}

TEST(Apart, DownwardsWhereBothDirectionsCount) {
  ApartOptions both = kUpwards;
  both.bad = BadDirection::kBoth;
  const std::vector<double> levels{300, 310, 20, 290, 330, 25, 305, 280, 320};
  EXPECT_THAT(apart(levels), IsEmpty());
  EXPECT_THAT(apart(levels, both), ElementsAre(2, 5));
}

TEST(Apart, WhoAloneHasWorkIsNotApart) {
  ApartOptions options = kUpwards;
  const std::vector<double> levels{0, 0, 0, 0, 0, 0, 0, 100, 110};
  const std::vector<double> few_work{0, 0, 0, 0, 0, 0, 0, 50, 50};
  const std::vector<double> all_work(9, 50);
  options.activity = few_work;
  EXPECT_THAT(apart(levels, options), IsEmpty());
  options.activity = all_work;
  EXPECT_THAT(apart(levels, options), ElementsAre(8, 7));
}

TEST(Apart, WhoIsAskedForMoreIsNotSlow) {
  ApartOptions options = kUpwards;
  const std::vector<double> levels{10, 11, 12, 9, 10, 11, 10, 100, 110};
  std::vector<double> requests(9, 50);
  options.requests = requests;
  EXPECT_THAT(apart(levels, options), ElementsAre(8, 7));
  requests[7] = requests[8] = 80;
  EXPECT_THAT(apart(levels, options), IsEmpty());
}

TEST(Apart, WhoIsOnlyWaitedForIsNotSlow) {
  ApartOptions options = kUpwards;
  options.least_slowdown = 1.13;
  const std::vector<double> levels{10, 11, 12, 9, 10, 11, 10, 100, 110};
  const std::vector<double> waited_for{1, 1, 1, 1, 1, 1, 1, 1.1, 3};
  const std::vector<double> slower{1, 1, 1, 1, 1, 1, 1, 1.2, 3};
  const std::vector<double> unknown(9, kMissing);
  options.slowdown = waited_for;
  EXPECT_THAT(apart(levels, options), IsEmpty());
  options.slowdown = slower;
  EXPECT_THAT(apart(levels, options), ElementsAre(8, 7));
  options.slowdown = unknown;
  EXPECT_THAT(apart(levels, options), ElementsAre(8, 7));
}

TEST(Apart, MembersWithoutALevelAreOfNeitherSet) {
  EXPECT_THAT(apart({kMissing, 10, 11, 12, 100, kMissing, 9, 110}), ElementsAre(7, 4));
  EXPECT_THAT(apart({kMissing, kMissing, kMissing}), IsEmpty());
  EXPECT_THAT(apart({}), IsEmpty());
  EXPECT_THAT(apart({1, 2, 100, 110}), IsEmpty());
}

/// The rule as its sentence says it, for every k by itself.
std::vector<std::uint32_t> by_definition(std::vector<double> levels, const ApartOptions& options) {
  std::vector<std::uint32_t> order(levels.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return levels[a] < levels[b]; });
  std::vector<std::uint32_t> found;
  for (std::size_t k = 2; 2 * k < order.size(); ++k) {
    const std::size_t rest = order.size() - k;
    const double middle = (levels[order[(rest - 1) / 2]] + levels[order[rest / 2]]) / 2;
    const double spread = std::max(levels[order[rest - 1]] - middle, options.floor);
    if (!(levels[order[rest]] - middle > (1 + options.least_gap) * spread)) continue;
    found.assign(order.rbegin(), order.rbegin() + static_cast<std::ptrdiff_t>(k));
  }
  return found;
}

TEST(Apart, IsWhatItsDefinitionSays) {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> level(3, 1.5);
  std::size_t found = 0;
  for (int round = 0; round < 5000; ++round) {
    std::vector<double> levels(3 + random() % 12);
    for (double& x : levels) x = random() % 3 == 0 ? 20 * level(random) : std::round(level(random));
    const std::vector<std::uint32_t> members = apart(levels);
    ASSERT_EQ(members, by_definition(levels, kUpwards)) << testing::PrintToString(levels);
    if (!members.empty()) ++found;
  }
  EXPECT_GT(found, 100U);
}

}  // namespace
}  // namespace laggard::detect
