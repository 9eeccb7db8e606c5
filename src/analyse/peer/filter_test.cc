#include "analyse/peer/filter.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <map>
#include <random>

namespace laggard::analyse {
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

/// F §10.1 and T §3.4 word for word, with the windows in a map.
struct Definition {
  std::size_t k = 3;
  std::map<std::int64_t, bool> anomalous;
  bool faulty = false;
  int persistence = 0;
  double severity = 0;

  void update(std::int64_t window, const WindowVerdict& verdict) {
    anomalous[window] = verdict.judged && verdict.anomalous;
    std::size_t count = 0;
    for (std::int64_t w = window - 2 * static_cast<std::int64_t>(k) + 2; w <= window; ++w) {
      count += anomalous.contains(w) && anomalous[w] ? 1U : 0U;
    }
    faulty = count >= k;
    if (!verdict.judged) return;
    persistence = std::max(0, persistence + (faulty ? 1 : -1));
    severity = std::max(0.0, severity + std::clamp(std::log2(verdict.score), -1.0, 6.0));
  }
};

TEST(FaultFilter, AgreesWithTheDefinition) {
  rc::check("k of the past 2k-1, +1/-1, clipped logs", [](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (int repeat = 0; repeat < 20; ++repeat) {
      Definition want{.k = 1 + random() % 5, .anomalous = {}};
      FaultFilter filter({.k = want.k}, 1);
      std::int64_t window = static_cast<std::int64_t>(random() % 100) - 50;
      for (int step = 0; step < 60; ++step) {
        window += random() % 12 == 0 ? static_cast<std::int64_t>(1 + random() % 90) : 1;
        const WindowVerdict verdict{random() % 9 != 0, random() % 2 == 0,
                                    std::exp2(static_cast<double>(random() % 24) - 10)};
        want.update(window, verdict);
        if (random() % 10 == 0) filter = *FaultFilter::restore(filter.save());
        const ComponentState state = filter.update(window, std::span(&verdict, 1))[0];
        RC_ASSERT(state.faulty == want.faulty);
        RC_ASSERT(state.persistence == want.persistence);
        RC_ASSERT(std::abs(state.severity - want.severity) < 1e-9);
      }
    }
  });
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

TEST(FaultFilter, RefusesDamagedStates) {
  FaultFilter filter({}, 2);
  const std::string good = filter.save();
  EXPECT_TRUE(FaultFilter::restore(good) == filter);
  for (std::size_t cut = 0; cut < good.size(); ++cut) {
    EXPECT_FALSE(FaultFilter::restore(good.substr(0, cut)).has_value());
  }
  EXPECT_FALSE(FaultFilter::restore(good + "x").has_value());
}

}  // namespace
}  // namespace laggard::analyse
