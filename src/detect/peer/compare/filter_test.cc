#include "detect/peer/compare/filter.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "testing/property.h"
#include "testing/restored.h"

namespace laggard::detect {
namespace {

std::vector<WindowVerdict> one(bool anomalous, double score) { return {{true, anomalous, score}}; }

TEST(FaultFilter, ThreeOfFive) {
  FaultFilter filter({}, 1);
  const std::string_view input = "1.11....1";
  const std::string_view faulty = "...##.....";
  for (std::size_t w = 0; w < input.size(); ++w) {
    const auto states = filter.update(static_cast<std::int64_t>(w), one(input[w] == '1', 1));
    EXPECT_EQ(states[0].faulty, faulty[w] == '#') << w;
  }
  EXPECT_EQ(filter.states()[0].persistence, 0);
}

/// F §10.1 and T §3.4 word for word, with the signed scores of the windows in a map; ours is what the other
/// side does.
struct Definition {
  std::size_t k = 3;
  bool below_is_sick = true;
  std::map<std::int64_t, double> signed_score;
  bool faulty = false;
  int persistence = 0;
  double above = 0;
  double below = 0;

  /// \param s  s / T, negative below the peers.
  void update(std::int64_t window, bool judged, double s) {
    signed_score[window] = judged ? s : 0;
    int high = 0;
    int low = 0;
    for (std::int64_t w = window - 2 * static_cast<std::int64_t>(k) + 2; w <= window; ++w) {
      if (!signed_score.contains(w)) continue;
      const double x = signed_score[w];
      high += x > 1 ? 1 : x < -0.25 ? -1 : 0;
      low += x < -1 ? 1 : x > 0.25 ? -1 : 0;
    }
    const int least = static_cast<int>(k);
    faulty = high >= least || (below_is_sick && low >= least);
    if (!judged) return;
    persistence = std::max(0, persistence + (faulty ? 1 : -1));
    const double g = std::clamp(std::log2(std::abs(s)), -1.0, 6.0);
    above = std::max(0.0, above + (s > 0 ? g : -std::max(1.0, g)));
    below = std::max(0.0, below + (s > 0 ? -std::max(1.0, g) : below_is_sick ? g : -1));
  }
  [[nodiscard]] bool sick(double s) const { return s > 0 || below_is_sick; }
  [[nodiscard]] double severity() const { return std::max(above, below); }
};

TEST(FaultFilter, AgreesWithTheDefinition) {
  expect_property("k of the past 2k-1, +1/-1, clipped logs", [](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (int repeat = 0; repeat < 20; ++repeat) {
      Definition want{.k = 1 + random() % 5, .below_is_sick = random() % 2 == 0, .signed_score = {}};
      FaultFilter filter({.k = want.k}, 1);
      std::int64_t window = static_cast<std::int64_t>(random() % 100) - 50;
      for (int step = 0; step < 60; ++step) {
        window += random() % 12 == 0 ? static_cast<std::int64_t>(1 + random() % 90) : 1;
        const bool judged = random() % 9 != 0;
        const double far = std::exp2(static_cast<double>(random() % 24) - 10.5);
        const double s = random() % 3 == 0 ? -far : far;
        const double score = want.sick(s) ? far : 0;
        const WindowVerdict verdict{judged, score > 1, score, s < 0 ? far : 0};
        want.update(window, judged, s);
        if (random() % 10 == 0) {
          FaultFilter fresh({.k = want.k}, 1);
          expect_restores(filter, fresh);
          RC_ASSERT(fresh == filter);
          filter = fresh;
        }
        const ComponentState state = filter.update(window, std::span(&verdict, 1))[0];
        RC_ASSERT(state.faulty == want.faulty);
        RC_ASSERT(state.persistence == want.persistence);
        RC_ASSERT(std::abs(state.severity - want.severity()) < 1e-9);
      }
    }
  });
}

/// Write-back out of step: above its peers, then below, then above. Neither side is k windows ahead.
TEST(FaultFilter, WhatSwingsIsNotFaulty) {
  FaultFilter filter({}, 1);
  for (int w = 0; w < 40; ++w) {
    const bool high = w % 4 < 2;
    const WindowVerdict verdict{true, true, 3, high ? 0.0 : 3.0};
    EXPECT_FALSE(filter.update(w, std::span(&verdict, 1))[0].faulty) << w;
    EXPECT_LT(filter.states()[0].severity, 4) << w;
  }
  EXPECT_EQ(filter.states()[0].persistence, 0);
}

/// A recorded healthy server: 16-s windows against a write-back of half a minute, out of step with its
/// peers'.
TEST(FaultFilter, WriteBackOutOfStepIsNotFaulty) {
  FaultFilter filter({}, 1);
  const std::vector<double> signed_scores{0.5,  -0.7, -0.3, 1.7, 2.5,  -0.7, -0.4, 1.4, 2.4, 0.5,
                                          -0.5, -0.3, 1.6,  2.4, -0.3, -0.3, 0.3,  1.1, 0.7, -0.3};
  std::int64_t window = 0;
  for (const double s : signed_scores) {
    const WindowVerdict verdict{true, s > 1, std::max(s, 0.0), std::max(-s, 0.0)};
    EXPECT_FALSE(filter.update(window++, std::span(&verdict, 1))[0].faulty) << window;
  }
}

TEST(FaultFilter, BelowAllTheTimeIsFaulty) {
  FaultFilter filter({}, 1);
  const WindowVerdict verdict{true, true, 4, 4};
  for (int w = 0; w < 5; ++w) filter.update(w, std::span(&verdict, 1));
  EXPECT_TRUE(filter.states()[0].faulty);
  EXPECT_EQ(filter.states()[0].severity, 10);
}

TEST(FaultFilter, ForgetsOnRepair) {
  FaultFilter filter({}, 2);
  const std::vector<WindowVerdict> both{{true, true, 8}, {true, true, 8}};
  for (int w = 0; w < 6; ++w) filter.update(w, both);
  filter.repaired(0);
  EXPECT_EQ(filter.states()[0], ComponentState{});
  EXPECT_EQ(filter.states()[1].persistence, 4);
  EXPECT_EQ(filter.states()[1].severity, 18);
  EXPECT_FALSE(filter.update(6, both)[0].faulty);
}

TEST(FaultFilter, ScoreOfZeroCountsDown) {
  FaultFilter filter({}, 1);
  filter.update(0, one(true, 4));
  EXPECT_EQ(filter.states()[0].severity, 2);
  filter.update(1, one(false, 0));
  EXPECT_EQ(filter.states()[0].severity, 1);
}

}  // namespace
}  // namespace laggard::detect
