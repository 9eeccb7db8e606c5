#include "lab/cmd/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace laggard::lab {
namespace {
using testing::HasSubstr;

/// All constants that a sweep can vary, as numbers.
std::vector<double> parameters(const MethodSpec& method) {
  const auto& windows = method.preset.windows;
  return {static_cast<double>(windows.smoothing),
          static_cast<double>(windows.k),
          static_cast<double>(windows.size),
          static_cast<double>(windows.shift),
          method.preset.factor,
          method.congestion_seconds.value_or(-1)};
}

TEST(Sweep, MovesOneConstantAtATime) {
  const std::vector<MethodSpec> methods = sensitivity_sweep();
  const std::vector<double> own = parameters(methods.front());
  std::set<std::string> names;
  for (const MethodSpec& method : methods) {
    EXPECT_TRUE(names.insert(method.name).second) << method.name << " twice";
    const std::vector<double> its = parameters(method);
    std::size_t moved = 0;
    for (std::size_t i = 0; i < own.size(); ++i) moved += its[i] != own[i] ? 1U : 0U;
    EXPECT_EQ(moved, method.name == one_client_method().name ? 0U : 1U) << method.name;
  }
  EXPECT_EQ(names.size(), 1U + 4 + 5 + 6 + 6 + 4 + 4);
}

TEST(Sweep, TheValuesThatAreNotMovedAreTheMethodsOwn) {
  // setting_name says which method has F's value; it must have it.
  const MethodSpec paper = one_client_method();
  EXPECT_EQ(setting_name(swept::kSmoothing, static_cast<double>(paper.preset.windows.smoothing)), paper.name);
  EXPECT_EQ(setting_name(swept::kFilter, static_cast<double>(paper.preset.windows.k)), paper.name);
  EXPECT_EQ(setting_name(swept::kSize, static_cast<double>(paper.preset.windows.size)), paper.name);
  EXPECT_EQ(setting_name(swept::kShift, static_cast<double>(paper.preset.windows.shift)), paper.name);
  EXPECT_EQ(setting_name(swept::kFactor, paper.preset.factor), paper.name);
  EXPECT_EQ(setting_name(swept::kCongestion, 31), paper.name);
  EXPECT_EQ(setting_name(swept::kFactor, 1.5), "threshold factor 1.5");
  EXPECT_EQ(setting_name(swept::kFilter, 5), "k 5");
}

/// A hundred runs of one setting.
SweepRow row(std::string name, std::size_t itp, std::size_t ifp, std::size_t dtp, std::size_t dfp) {
  SweepRow made{std::move(name), {}};
  made.rates.itp = {itp, 100};
  made.rates.ifp = {ifp, 100};
  made.rates.dtp = {dtp, 100};
  made.rates.dfp = {dfp, 100};
  return made;
}

const SweepFigure* find(const std::vector<SweepFigure>& figures, std::string_view setting,
                        std::string_view rate) {
  const auto found = std::ranges::find_if(
      figures, [&](const SweepFigure& figure) { return figure.setting == setting && figure.rate == rate; });
  return found == figures.end() ? nullptr : &*found;
}

TEST(SweepFigures, HoldWhereTheyAreThePapers) {
  const std::vector<SweepFigure> figures = compare_with_paper({
      row(one_client_method().name, 70, 2, 65, 7),
      row("moving average 1", 79, 5, 69, 10),
      row("moving average 3", 72, 4, 66, 8),
      row("moving average 7", 68, 3, 62, 9),
      row("moving average 9", 66, 3, 58, 11),
      row("k 1", 64, 3, 59, 8),
      row("k 5", 71, 2, 65, 7),
      row("k 7", 70, 2, 65, 7),
      row("k 8", 65, 3, 60, 8),
      row("threshold factor 1", 80, 19, 60, 23),
      row("threshold factor 1.5", 72, 3, 66, 8),
      row("threshold factor 4", 54, 2, 48, 7),
  });
  EXPECT_EQ(figures.size(), 24U) << "all but those of spans, sizes and shifts";
  for (const SweepFigure& figure : figures) EXPECT_TRUE(figure.holds) << figure.setting << " " << figure.rate;
  const SweepFigure* gain = find(figures, "k 3, 5, 7 less 1", "ITP");
  ASSERT_NE(gain, nullptr);
  EXPECT_EQ(gain->paper.low, 6);
  EXPECT_NEAR(gain->ours.low, 6, 1e-9);
  EXPECT_NEAR(gain->ours.high, 7, 1e-9);
}

TEST(SweepFigures, AreHeldAgainstIntervalsNotSigns) {
  const std::vector<SweepFigure> figures = compare_with_paper({
      row(one_client_method().name, 70, 2, 65, 7), row("threshold factor 1", 80, 28, 60, 37),  // F: 19 and 23
      row("k 1", 64, 3, 59, 8), row("k 5", 90, 2, 65, 7), row("k 7", 70, 2, 65, 7),
      row("k 8", 90, 2, 65, 7),  // less is found, says F
  });
  // Of 100 runs 28 are from 19.5 to 37.9 %, and 37 from 27.6 to 47.2 (Clopper and Pearson).
  EXPECT_TRUE(find(figures, "threshold factor 1", "IFP")->holds) << "19 %, as rounded";
  const SweepFigure* wrong = find(figures, "threshold factor 1", "DFP");
  EXPECT_FALSE(wrong->holds);
  EXPECT_NEAR(wrong->interval.low, 27.56, 0.01);
  EXPECT_NEAR(wrong->interval.high, 47.24, 0.01);
  EXPECT_FALSE(find(figures, "k 3, 5, 7 less 1", "ITP")->holds) << "one of them is off";
  EXPECT_FALSE(find(figures, "k 8 less 7", "ITP")->holds);
  EXPECT_EQ(find(figures, "threshold factor 4", "ITP"), nullptr) << "was not tried";
}

TEST(SweepFigures, OfDifferencesAreNewcombes) {
  // His example (1998, Table II, row a): 56/70 less 48/80, with Clopper and Pearson's limits in place of
  // Wilson's 0.0524 to 0.3339: wider.
  SweepRow more = row("k 8", 0, 0, 0, 0);
  SweepRow less = row("k 7", 0, 0, 0, 0);
  more.rates.itp = {56, 70};
  less.rates.itp = {48, 80};
  const std::vector<SweepFigure> figures = compare_with_paper({more, less});
  const SweepFigure* gain = find(figures, "k 8 less 7", "ITP");
  ASSERT_NE(gain, nullptr);
  EXPECT_NEAR(gain->ours.low, 20, 1e-9);
  EXPECT_LT(gain->interval.low, 5.24);
  EXPECT_GT(gain->interval.low, 3);
  EXPECT_GT(gain->interval.high, 33.39);
  EXPECT_LT(gain->interval.high, 36);
}

TEST(SweepFigures, ClustersAreAddedUp) {
  ClusterResults first;
  ClusterResults second;
  Tally tally;
  tally.aggregate.itp = {1, 2};
  first.methods.push_back({one_client_method().name, tally, {}});
  tally.aggregate.itp = {2, 2};
  second.methods.push_back({one_client_method().name, tally, {}});
  const std::vector<SweepRow> rows = over_all_clusters({first, second});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].rates.itp.hits, 3U);
  EXPECT_EQ(rows[0].rates.itp.runs, 4U);
}

}  // namespace
}  // namespace laggard::lab
