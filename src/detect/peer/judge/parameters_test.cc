#include "detect/peer/judge/parameters.h"

#include <gtest/gtest.h>

namespace laggard::detect {
namespace {
TEST(Policy, EveryMetricHasThresholdsThatCanBeExceeded) {
  for (const MetricSpec& metric : metric_catalogue()) {
    const MetricPolicy policy = policy_of({}, metric);
    EXPECT_GT(policy.self_threshold, 0) << metric.name;
    EXPECT_GE(policy.self_threshold_reads, policy.self_threshold)
        << metric.name << ": the safe one is larger";
    EXPECT_GT(policy.least_threshold, 0) << metric.name;
    EXPECT_LE(policy.least_threshold, policy.self_threshold) << metric.name;
    EXPECT_LT(policy.floor_share, 1) << metric.name;
  }
}

TEST(Policy, OnlyLatencyAsksWhatTheGroupIsDoing) {
  for (const MetricSpec& metric : metric_catalogue()) {
    for (const std::string_view detector : {"cdf", "wasserstein", "kl", "median", "thresh"}) {
      const double writes = self_threshold({}, metric, {detector, Regime::kWrites});
      for (const Regime regime : {Regime::kAny, Regime::kReads}) {
        const bool differs = self_threshold({}, metric, {detector, regime}) != writes;
        EXPECT_EQ(differs, metric.role == Role::kLatency) << metric.name << " " << to_name(regime);
      }
    }
  }
}

TEST(Policy, TrafficOfServersDiffersMoreThanThatOfDisks) {
  EXPECT_GT(policy_of({}, *find_metric("rxbyt")).self_threshold,
            policy_of({}, *find_metric("wr_sec")).self_threshold);
}

TEST(Policy, KlIsHeldAgainstItsCeiling) {
  const MetricSpec& await = *find_metric("await");
  EXPECT_LT(self_threshold({}, await, {"kl", Regime::kWrites, 16.0 / 5}), 1);
  EXPECT_LT(self_threshold({}, await, {"kl", Regime::kReads, 64.0 / 5}), 1);
  EXPECT_EQ(self_threshold({}, await, {"kl", Regime::kReads, 16.0 / 5}), 1)
      << "nothing is ever above its ceiling";
  for (const MetricSpec& metric : metric_catalogue()) {
    EXPECT_LT(least_threshold({}, metric, {"kl"}), self_threshold({}, metric, {"kl", Regime::kWrites}));
  }
}

TEST(Policy, DistancesInBinsShareTheirThresholds) {
  for (const MetricSpec& metric : metric_catalogue()) {
    for (const std::string_view detector : {"wasserstein", "median", "thresh"}) {
      EXPECT_EQ(self_threshold({}, metric, {detector}), self_threshold({}, metric, {"cdf"}));
      EXPECT_EQ(least_threshold({}, metric, {detector}), least_threshold({}, metric, {"cdf"}));
    }
  }
}

}  // namespace
}  // namespace laggard::detect
