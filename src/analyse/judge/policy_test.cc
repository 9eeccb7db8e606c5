#include "analyse/judge/policy.h"

#include <gtest/gtest.h>

namespace laggard::analyse {
namespace {

TEST(Policy, EveryMetricHasThresholdsThatCanBeExceeded) {
  for (const MetricSpec& metric : metric_catalogue()) {
    const MetricPolicy& policy = policy_of(metric);
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
    const double writes = self_threshold(metric, Regime::kWrites);
    for (const Regime regime : {Regime::kAny, Regime::kReads}) {
      const bool differs = self_threshold(metric, regime) != writes;
      EXPECT_EQ(differs, metric.role == Role::kLatency) << metric.name << " " << to_name(regime);
    }
  }
}

}  // namespace
}  // namespace laggard::analyse
