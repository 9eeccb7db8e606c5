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
    EXPECT_EQ(moved, method.name == "paper" ? 0U : 1U) << method.name;
  }
  EXPECT_EQ(names.size(), 1U + 4 + 5 + 6 + 6 + 4 + 4);
}

TEST(Sweep, TheValuesThatAreNotMovedAreTheMethodsOwn) {
  // setting_name says which method has F's value; it must have it.
  const MethodSpec paper = paper_method();
  EXPECT_EQ(setting_name(swept::kSmoothing, static_cast<double>(paper.preset.windows.smoothing)), "paper");
  EXPECT_EQ(setting_name(swept::kFilter, static_cast<double>(paper.preset.windows.k)), "paper");
  EXPECT_EQ(setting_name(swept::kSize, static_cast<double>(paper.preset.windows.size)), "paper");
  EXPECT_EQ(setting_name(swept::kShift, static_cast<double>(paper.preset.windows.shift)), "paper");
  EXPECT_EQ(setting_name(swept::kFactor, paper.preset.factor), "paper");
  EXPECT_EQ(setting_name(swept::kCongestion, 31), "paper");
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

TEST(SweepClaims, HoldWhereTheFiguresAreThePapers) {
  const std::vector<SweepClaim> claims = check_claims({
      row("paper", 70, 2, 65, 7),
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
      row("threshold factor 3", 60, 2, 55, 7),
      row("threshold factor 4", 54, 2, 48, 7),
  });
  ASSERT_EQ(claims.size(), 7U);
  for (const SweepClaim& claim : claims) EXPECT_TRUE(claim.holds) << claim.statement << ": " << claim.ours;
  EXPECT_EQ(claims[0].ours, "ITP 79.0 / 70.0, DFP 10.0 / 7.0");
}

TEST(SweepClaims, DoNotHoldWhereTheyDiffer) {
  const std::vector<SweepClaim> claims = check_claims({
      row("paper", 70, 5, 65, 7),
      row("k 1", 71, 2, 66, 2),  // no filter is better
      row("k 5", 70, 5, 65, 7),
      row("k 7", 70, 5, 65, 7),
      row("threshold factor 3", 70, 9, 65, 12),  // nothing is masked
      row("threshold factor 4", 70, 9, 65, 12),
  });
  ASSERT_EQ(claims.size(), 2U);
  EXPECT_FALSE(claims[0].holds);
  EXPECT_THAT(claims[0].ours, HasSubstr("ITP -1.0 to -1.0"));
  EXPECT_FALSE(claims[1].holds);
}

TEST(SweepClaims, ClustersAreAddedUp) {
  ClusterResults first;
  ClusterResults second;
  Tally tally;
  tally.aggregate.itp = {1, 2};
  first.methods.push_back({"paper", tally, {}});
  tally.aggregate.itp = {2, 2};
  second.methods.push_back({"paper", tally, {}});
  const std::vector<SweepRow> rows = over_all_clusters({first, second});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].rates.itp.hits, 3U);
  EXPECT_EQ(rows[0].rates.itp.runs, 4U);
}

}  // namespace
}  // namespace laggard::lab
