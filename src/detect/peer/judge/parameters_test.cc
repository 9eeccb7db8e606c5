#include "detect/peer/judge/parameters.h"

#include <gtest/gtest.h>

#include <string>

#include "testing/named_number.h"

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

TEST(Policy, AmongManyMembersTheSpreadShowsHowUnequalReadsAre) {
  const Parameters parameters;
  const auto threshold = [&](Regime regime, std::size_t members) {
    return self_threshold(parameters, *find_metric("await"), {"cdf", regime, 4, members});
  };
  const std::size_t many = parameters.many_members;
  EXPECT_EQ(threshold(Regime::kReads, many), parameters.latency_of_many);
  EXPECT_EQ(threshold(Regime::kReads, many - 1), parameters.latency.self_threshold_reads);
  EXPECT_EQ(threshold(Regime::kWrites, many), parameters.latency.self_threshold);
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

TEST(ConstantsTable, EveryNameChangesItsOwnNumberAndNoOther) { expect_each_sets_its_own(named_parameters()); }

TEST(ConstantsTable, SetsWhatIsNamed) {
  Parameters parameters;
  ASSERT_TRUE(set_parameter(parameters, "latency.threshold = 4.5"));
  EXPECT_EQ(parameters.latency.self_threshold, 4.5);
  ASSERT_TRUE(set_parameter(parameters, "filled-hole=5"));
  EXPECT_EQ(parameters.longest_filled_hole, 5U);
  ASSERT_TRUE(set_parameter(parameters, "noise.await=2"));
  EXPECT_EQ(noise_floor(parameters, *find_metric("await"), true), 2);
  EXPECT_EQ(noise_floor(parameters, *find_metric("rd_sec"), true), find_metric("rd_sec")->noise_floor_flash);
  const std::string text = describe_parameters(parameters);
  EXPECT_NE(text.find("latency.threshold               4.5  latency: untrained"), std::string::npos) << text;
  EXPECT_NE(text.find("noise.await                       2  noise floor of await, ms"), std::string::npos)
      << text;
}

TEST(ConstantsTable, SaysWhatIsWrong) {
  const auto message = [](const char* assignment) {
    Parameters parameters;
    const Status status = set_parameter(parameters, assignment);
    return status ? std::string() : status.error().message();
  };
  EXPECT_EQ(message("latency"), "--set: 'latency' is not NAME=NUMBER such as latency.threshold=4");
  EXPECT_EQ(message("latency.threshold=nan"),
            "--set: 'latency.threshold=nan' is not NAME=NUMBER such as latency.threshold=4");
  EXPECT_EQ(message("threshold=4"), "--set: no parameter is called 'threshold'; --parameters lists them");
  EXPECT_EQ(message("kl.threshold=2"), "--set: kl.threshold must lie between 0 and 1");
  EXPECT_EQ(message("noise.speed=2"), "--set: noise.speed: there is no such metric");
  Parameters few;
  ASSERT_TRUE(check_parameters(few));
  ASSERT_TRUE(set_parameter(few, "bias.blocks=1"));
  EXPECT_FALSE(check_parameters(few));
  EXPECT_EQ(message("noise.await=-1"), "--set: noise.await cannot be below 0");
}

}  // namespace
}  // namespace laggard::detect
