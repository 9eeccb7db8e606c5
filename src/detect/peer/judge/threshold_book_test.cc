#include "detect/peer/judge/threshold_book.h"

#include <gtest/gtest.h>

#include <cmath>

namespace laggard::detect {
namespace {

const MetricSpec& await() { return *find_metric("await"); }
const Parameters kDefaults;
const std::vector<std::string> kThreeDisks{"s1/d", "s2/d", "s3/d"};

Thresholds trained_with(double windows) {
  Thresholds thresholds;
  GroupThresholds& group = thresholds.groups.emplace_back();
  group.distance = "cdf";
  group.metric = "await (reads)";
  group.group = "disks";
  group.windows = windows;
  group.others = 1.5;
  group.components = {{"s1/d", 2.0}, {"s2/d", 4.0}};
  return thresholds;
}

ThresholdBook::Column column(const Thresholds& thresholds, bool paper, Regime regime = Regime::kReads,
                             const std::string& group = "disks", std::optional<Load> load = std::nullopt) {
  const std::string detector = "cdf";
  const Parameters parameters = paper ? paper_parameters({}) : kDefaults;
  return ThresholdBook(thresholds)
      .column({group, await(), regime, load, detector, parameters, {}}, kThreeDisks);
}

TEST(ThresholdBook, WithoutTrainingThePolicysOwn) {
  const auto own = column({}, false);
  EXPECT_FALSE(own.trained);
  EXPECT_EQ(own.values, std::vector<double>(3, self_threshold(kDefaults, await(), {"cdf", Regime::kReads})));
  EXPECT_FALSE(ThresholdBook().trained());
}

TEST(ThresholdBook, OthersGroupsAndRegimesAreNotTrained) {
  EXPECT_FALSE(column(trained_with(16), false, Regime::kWrites).trained);
  EXPECT_FALSE(column(trained_with(16), false, Regime::kReads, "other disks").trained);
  EXPECT_EQ(track_name(await(), Regime::kAny), "await");
  EXPECT_EQ(track_name(await(), Regime::kWrites), "await (writes)");
  EXPECT_EQ(track_name(await(), Regime::kWrites, Load{10}), "await (writes, over 1.05 MB/s)");
}

TEST(ThresholdBook, ThePaperTakesEachComponentsOwn) {
  EXPECT_EQ(column(trained_with(16), true).values, (std::vector<double>{2, 4, 1.5}));
}

TEST(ThresholdBook, OursIsTheGroupsLargestDrawnToThePriorByFewWindows) {
  const double prior = self_threshold(kDefaults, await(), {"cdf", Regime::kReads});
  ASSERT_GT(prior, 4);
  EXPECT_DOUBLE_EQ(column(trained_with(0), false).values[0], prior) << "nothing is known of its length";
  EXPECT_DOUBLE_EQ(column(trained_with(16), false).values[0], (4 + prior) / 2);
  EXPECT_NEAR(column(trained_with(1e9), false).values[0], 4, 1e-6);
  EXPECT_EQ(column(trained_with(16), false).values[2], column(trained_with(16), false).values[0]);
}

TEST(ThresholdBook, ALoadThatWasTrainedOnHasItsOwn) {
  Thresholds thresholds = trained_with(1e9);
  thresholds.groups[0].components = {{"s1/d", 100}};
  GroupThresholds light = thresholds.groups[0];
  light.metric = "await (reads, over 1.05 MB/s)";
  light.components = {{"s2/d", 3}};
  light.windows = 48;
  thresholds.groups.push_back(light);
  const auto under = [&](std::optional<Load> load) {
    return column(thresholds, false, Regime::kReads, "disks", load).values[0];
  };
  EXPECT_NEAR(under({}), 100, 1e-3);
  EXPECT_NEAR(under(Load{12}), 100, 1e-3) << "a load that nobody trained on";
  EXPECT_NEAR(under(Load{10}), 3 * std::pow(100 / 3.0, 16.0 / (16 + 48)), 1e-3)
      << "drawn to the threshold of all loads";
  EXPECT_EQ(column(thresholds, true, Regime::kReads, "disks", Load{10}).values[0], 100) << "F has one";
}

TEST(ThresholdBook, WithoutTrainingItIsAPositionOnTheScale) {
  const std::string detector = "thresh";
  const auto values =
      ThresholdBook()
          .column({"disks", await(), Regime::kWrites, {}, detector, kDefaults, {100, 5}}, kThreeDisks)
          .values;
  EXPECT_DOUBLE_EQ(values[0], 100 + 5 * policy_of(kDefaults, await()).self_threshold);
}

TEST(ThresholdBook, OursIsNeverBelowTheLeastNorDrawnDown) {
  Thresholds thresholds = trained_with(1e9);
  thresholds.groups[0].components = {{"s1/d", 0.2}};
  thresholds.groups[0].others = 0.2;
  EXPECT_NEAR(column(thresholds, false).values[0], policy_of(kDefaults, await()).least_threshold, 1e-6);
  thresholds.groups[0].others = 100;
  EXPECT_DOUBLE_EQ(column(thresholds, false).values[0], 100) << "a prior below it does not lower it";
}

}  // namespace
}  // namespace laggard::detect
