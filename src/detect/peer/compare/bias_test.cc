#include "detect/peer/compare/bias.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "testing/restored.h"

namespace laggard::detect {
namespace {

/// A group of peers whose windows scatter log-normally; component 0 is slower by a factor.
struct Group {
  std::mt19937_64 random{7};
  std::size_t n = 12;
  double slower = 1;
  double scatter = 0.05;

  std::vector<double> window(double level = 20) {
    std::normal_distribution<double> noise(0, scatter);
    std::vector<double> means(n);
    for (std::size_t i = 0; i < n; ++i) means[i] = level * std::exp(noise(random)) * (i == 0 ? slower : 1);
    return means;
  }
};

BiasVerdict after(Group group, std::size_t windows, double floor = 1, double level = 20) {
  BiasDetector detector(group.n);
  BiasVerdict last = BiasVerdict::kNone;
  for (std::size_t w = 0; w < windows; ++w) last = detector.add(group.window(level), {}, floor)[0].verdict;
  return last;
}

TEST(Bias, APersistentlySlowerDiskIsConfirmed) {
  EXPECT_EQ(after({.slower = 1.3}, 24), BiasVerdict::kConfirmed);
  EXPECT_EQ(after({.n = 768, .slower = 1.3}, 24), BiasVerdict::kConfirmed);
}

TEST(Bias, ASmallButSureShiftIsOnlySuspected) {
  EXPECT_EQ(after({.slower = 1.12}, 100), BiasVerdict::kSuspected);
}

TEST(Bias, NothingIsSaidBeforeTwoBlocks) { EXPECT_EQ(after({.slower = 2}, 15), BiasVerdict::kNone); }

TEST(Bias, AFasterDiskIsNotSick) { EXPECT_EQ(after({.slower = 0.5}, 100), BiasVerdict::kNone); }

TEST(Bias, DifferencesBelowTheNoiseFloorDoNotCount) {
  EXPECT_EQ(after({.slower = 1.5}, 100, 1.0, 0.4), BiasVerdict::kNone);
  EXPECT_EQ(after({.slower = 1.5}, 100, 0.05, 0.4), BiasVerdict::kConfirmed);
}

TEST(Bias, HealthyGroupsAreQuiet) {
  std::size_t alarms = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Group group;
    group.random.seed(seed);
    group.scatter = 0.15;
    BiasDetector detector(group.n);
    for (int w = 0; w < 200; ++w) {
      for (const Bias& bias : detector.add(group.window(), {}, 1))
        alarms += bias.verdict != BiasVerdict::kNone ? 1U : 0U;
    }
  }
  EXPECT_EQ(alarms, 0U) << "of 40 groups x 200 windows x 12 components";
}

TEST(Bias, WhoIsNotSlowInNearlyEveryMinuteIsWell) {
  for (const auto& [share, verdict] :
       {std::pair(0.84, BiasVerdict::kNone), std::pair(0.86, BiasVerdict::kConfirmed)}) {
    Group group{.slower = 1.4};
    BiasDetector detector(group.n);
    const std::vector<double> slow(group.n, share);
    BiasVerdict last = BiasVerdict::kNone;
    for (int w = 0; w < 40; ++w) last = detector.add(group.window(), slow, 1)[0].verdict;
    EXPECT_EQ(last, verdict) << share;
  }
}

TEST(Bias, ANaturallyScatteredGroupIsQuiet) {
  Group group;
  BiasDetector detector(group.n);
  for (int w = 0; w < 200; ++w) {
    std::vector<double> means = group.window();
    // Constant factors spread over +-30 %: component 5 is no sicker than its neighbours in rank.
    for (std::size_t i = 0; i < means.size(); ++i) means[i] *= 0.7 + 0.6 * static_cast<double>(i) / 11;
    for (const Bias& bias : detector.add(means, {}, 1)) EXPECT_NE(bias.verdict, BiasVerdict::kConfirmed);
  }
}

TEST(Bias, OneBurstDoesNotConvict) {
  // Blocks begin at multiples of eight: the burst lies within one, across two, and it is followed by chance.
  for (const int begins : {24, 27, 31}) {
    Group group{.scatter = 0.15};
    BiasDetector detector(group.n);
    for (int w = 0; w < 80; ++w) {
      std::vector<double> means = group.window();
      // Of the minutes of a healthy component chance makes half slow.
      std::vector<double> slow(group.n, 0.5);
      if (w >= begins && w < begins + 8) {
        means[0] *= 20;
        slow[0] = 1;
      }
      EXPECT_NE(detector.add(means, slow, 1)[0].verdict, BiasVerdict::kConfirmed) << begins << ' ' << w;
    }
  }
}

/// Windows from the end of a slowness of a day to when the component's verdict is dropped.
std::size_t forgotten_after(Group group) {
  constexpr std::size_t kLongest = 100;
  BiasDetector detector(group.n);
  for (std::size_t w = 0; w < 192; ++w) detector.add(group.window(), {}, 1);
  EXPECT_EQ(detector.verdicts()[0].verdict, BiasVerdict::kConfirmed);
  group.slower = 1;
  std::size_t windows = 0;
  for (; windows < kLongest && detector.verdicts()[0].verdict != BiasVerdict::kNone; ++windows) {
    detector.add(group.window(), {}, 1);
  }
  for (std::size_t w = 0; w < 200; ++w) {
    EXPECT_EQ(detector.add(group.window(), {}, 1)[0].verdict, BiasVerdict::kNone) << "forgotten for good";
  }
  return windows;
}

TEST(Bias, WhatIsOverIsForgotten) {
  EXPECT_LE(forgotten_after({.slower = 2}), 1U);
  EXPECT_LE(forgotten_after({.slower = 1.3, .scatter = 0.15}), 24U);
}

TEST(Bias, WhatGoesOnIsNotForgotten) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Group group{.slower = 1.35, .scatter = 0.15};
    group.random.seed(seed);
    BiasDetector detector(group.n);
    std::size_t lost = 0;
    std::size_t goes_on = 0;
    for (std::size_t w = 0; w < 400; ++w) {
      const Bias bias = detector.add(group.window(), {}, 1)[0];
      if (w < 100) continue;
      lost += bias.verdict != BiasVerdict::kConfirmed ? 1U : 0U;
      goes_on += bias.goes_on ? 1U : 0U;
    }
    EXPECT_EQ(lost, 0U) << seed;
    EXPECT_GE(goes_on, 210U) << seed << ": seven windows in ten, so never five in a row without";
  }
}

TEST(Bias, AnOnsetLateInTheRecordingIsFound) {
  Group group;
  BiasDetector detector(group.n);
  BiasVerdict verdict = BiasVerdict::kNone;
  for (int w = 0; w < 192; ++w) {
    group.slower = w < 160 ? 1 : 1.4;
    verdict = detector.add(group.window(), {}, 1)[0].verdict;
    if (w < 160) {
      EXPECT_EQ(verdict, BiasVerdict::kNone);
    }
  }
  EXPECT_EQ(verdict, BiasVerdict::kConfirmed);
}

TEST(Bias, MissingComponentsAndSmallGroups) {
  const double missing = std::numeric_limits<double>::quiet_NaN();
  BiasDetector detector(3);
  for (int w = 0; w < 50; ++w) {
    for (const Bias& bias : detector.add(std::vector<double>{40, 20, missing}, {}, 1)) {
      EXPECT_EQ(bias.verdict, BiasVerdict::kNone) << "two cannot tell who is slow";
    }
  }
  Group group{.slower = 1.4};
  BiasDetector with_hole(group.n);
  BiasVerdict verdict = BiasVerdict::kNone;
  for (int w = 0; w < 50; ++w) {
    std::vector<double> means = group.window();
    means[11] = missing;
    const auto verdicts = with_hole.add(means, {}, 1);
    verdict = verdicts[0].verdict;
    EXPECT_EQ(verdicts[11].verdict, BiasVerdict::kNone);
  }
  EXPECT_EQ(verdict, BiasVerdict::kConfirmed);
}

TEST(Bias, ARepairForgetsTheComponentAndLeavesTheOthers) {
  Group sick{.slower = 1.3};
  BiasDetector detector(sick.n);
  for (int w = 0; w < 40; ++w) detector.add(sick.window(), {}, 1);
  detector.repaired(0);
  sick.slower = 1;
  for (int w = 0; w < 100; ++w) {
    for (const Bias& bias : detector.add(sick.window(), {}, 1))
      ASSERT_EQ(bias.verdict, BiasVerdict::kNone) << w;
  }
  sick.slower = 1.3;
  BiasVerdict last = BiasVerdict::kNone;
  for (int w = 0; w < 200; ++w) last = detector.add(sick.window(), {}, 1)[0].verdict;
  EXPECT_EQ(last, BiasVerdict::kConfirmed) << "sick again";
}

TEST(Bias, GoesOnWhereItsStateWasSaved) {
  Group group{.slower = 1.3};
  BiasDetector whole(group.n);
  BiasDetector stopped(group.n);
  for (int w = 0; w < 250; ++w) {
    const auto window = group.window();
    const std::vector<double> slow(group.n, 0.86 + 0.01 * (w % 10));
    whole.add(window, slow, 1);
    stopped.add(window, slow, 1);
    if (w % 7 != 0) continue;
    BiasDetector fresh(group.n);
    expect_restores(stopped, fresh);
    EXPECT_TRUE(fresh == whole) << w;
    stopped = fresh;
  }
  EXPECT_EQ(stopped.verdicts()[0].verdict, BiasVerdict::kConfirmed);
}

}  // namespace
}  // namespace laggard::detect
