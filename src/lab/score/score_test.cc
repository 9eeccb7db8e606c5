#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "lab/score/outcome.h"
#include "lab/score/tally.h"

namespace laggard::lab {
namespace {

using std::chrono::seconds;

Truth sick(const std::string& fault, const std::string& server, const std::string& workload = "ddw") {
  Truth truth;
  truth.fault = fault;
  truth.faulty_server = server;
  truth.parts = {{fault, {server}}};
  truth.workload = workload;
  truth.fault_start = from_unix_ns(0) + seconds(100);
  truth.fault_stop = from_unix_ns(0) + seconds(400);
  return truth;
}

WallTime at(int second) { return from_unix_ns(0) + seconds(second); }

TEST(Outcome, CountsAsFootnote5OfThePaperDoes) {
  const Truth truth = sick("disk-hog", "s3");
  const std::vector<Accusation> right{{"s3", "disk-hog", at(180)}};
  EXPECT_EQ(judge(truth, right), (Outcome{true, false, true, false, seconds(80), 0, true}));
  const std::vector<Accusation> wrong_cause{{"s3", "disk-busy", at(180)}};
  EXPECT_EQ(judge(truth, wrong_cause), (Outcome{true, false, false, true, seconds(80)}));
  const std::vector<Accusation> wrong_server{{"s4", "disk-hog", at(180)}};
  EXPECT_EQ(judge(truth, wrong_server), (Outcome{false, true, false, true, std::nullopt, 1, false}));
  const std::vector<Accusation> both{{"s3", "disk-hog", at(180)}, {"s4", "disk-hog", at(180)}};
  EXPECT_EQ(judge(truth, both), (Outcome{true, true, true, true, seconds(80), 0, true}));
  EXPECT_EQ(judge(truth, {}), (Outcome{false, false, false, false, std::nullopt, 1, false}));
}

TEST(Outcome, AnAccusationWithoutAFaultIsAFalseAlarm) {
  const std::vector<Accusation> said{{"s3", "disk-hog", at(180)}};
  EXPECT_EQ(judge(Truth{}, said), (Outcome{false, true, false, true, std::nullopt}));
}

TEST(Outcome, DirectionsOfNetworkFaultsHaveOneCause) {
  EXPECT_TRUE(is_right_cause("write-network-hog", "network-hog"));
  EXPECT_TRUE(is_right_cause("send-pktloss", "packet-loss"));
  EXPECT_TRUE(is_right_cause("disk-busy", "disk-busy"));
  EXPECT_FALSE(is_right_cause("disk-busy", "disk-hog"));
  EXPECT_FALSE(is_right_cause("disk-busy", ""));
  EXPECT_TRUE(is_right_cause("a fault of tomorrow", "a fault of tomorrow"));
}

TEST(Outcome, OfSeveralFaultyServersAllHaveToBeFound) {
  Truth truth = sick("disk-slow+link-rate", "s2");
  truth.parts = {{"disk-slow", {"s2", "s6"}}, {"link-rate", {"s4"}}};
  const std::vector<Accusation> two{{"s2", "slow-disk", at(180)}, {"s4", "slow-link", at(150)}};
  EXPECT_EQ(judge(truth, two), (Outcome{false, false, false, false, seconds(50), 1, true}));
  std::vector<Accusation> all = two;
  all.push_back({"s6", "disk-busy", at(190)});
  EXPECT_EQ(judge(truth, all), (Outcome{true, false, true, false, seconds(50), 0, true}));
  all.back().cause = "slow-link";  // Right for s4 only.
  EXPECT_EQ(judge(truth, all), (Outcome{true, false, false, true, seconds(50), 0, false}));
}

TEST(Outcome, AnUnknownCauseIsNotAWrongOne) {
  const Truth truth = sick("cpu-quota", "s5");
  const std::vector<Accusation> unknown{{"s5", "unknown", at(130)}};
  EXPECT_EQ(judge(truth, unknown), (Outcome{true, false, false, true, seconds(30), 0, true}));
  const std::vector<Accusation> wrong{{"s5", "packet-loss", at(130)}};
  EXPECT_FALSE(judge(truth, wrong).cause_ok);
}

TEST(Poisson, IntervalsAreGarwoods) {
  EXPECT_EQ(poisson_interval(0).low, 0);
  EXPECT_NEAR(poisson_interval(0).high, 3.689, 1e-3);
  EXPECT_NEAR(poisson_interval(10).low, 4.795, 1e-3);
  EXPECT_NEAR(poisson_interval(10).high, 18.390, 1e-3);
}

TEST(Binomial, MatchesTabledClopperPearsonIntervals) {
  const Interval none = clopper_pearson(0, 10);
  EXPECT_DOUBLE_EQ(none.low, 0);
  EXPECT_NEAR(none.high, 0.3085, 1e-4);
  const Interval half = clopper_pearson(5, 10);
  EXPECT_NEAR(half.low, 0.1871, 1e-4);
  EXPECT_NEAR(half.high, 0.8129, 1e-4);
  const Interval all = clopper_pearson(50, 50);
  EXPECT_NEAR(all.low, 0.9289, 1e-4);
  EXPECT_DOUBLE_EQ(all.high, 1);
}

TEST(Binomial, SumsToExactEnumeration) {
  // (1 - p)^3 + 3 p (1 - p)^2
  EXPECT_NEAR(binomial_cdf(1, 3, 0.2), 0.512 + 0.384, 1e-12);
}

TEST(Binomial, FishersTestOfALadyTastingTea) {
  EXPECT_NEAR(fisher_exact(3, 4, 1, 4), 34 / 70.0, 1e-12);
  EXPECT_NEAR(fisher_exact(4, 4, 0, 4), 2 / 70.0, 1e-12);
  EXPECT_NEAR(fisher_exact(2, 4, 2, 4), 1, 1e-12);
  EXPECT_NEAR(fisher_exact(0, 50, 0, 50), 1, 1e-12);
  EXPECT_EQ(fisher_exact(0, 0, 3, 7), 1) << "no sample";
  // All tables of 3 and 5 by counting: of C(8, 4) = 70 ways to choose four, C(3, x) C(5, 4 - x) have x.
  EXPECT_NEAR(fisher_exact(3, 3, 1, 5), 5 / 70.0 + 5 / 70.0, 1e-12);
  EXPECT_NEAR(fisher_exact(2, 3, 2, 5), 1, 1e-12);
}

TEST(PaperFigures, AggregatesAreTheMeansOfTheRows) {
  for (const PaperTable& table : paper_tables()) {
    double itp = 0;
    double dtp = 0;
    double ifp = 0;
    double dfp = 0;
    for (const PaperRow& row : table.rows) {
      if (row.fault == "aggregate") continue;
      itp += row.itp / 6;
      dtp += row.dtp / 6;
      ifp += row.ifp / 7;
      dfp += row.dfp / 7;
    }
    const PaperRow& aggregate = table.row("aggregate");
    EXPECT_NEAR(aggregate.itp, itp, 0.06) << table.number;
    EXPECT_NEAR(aggregate.dtp, dtp, 0.06) << table.number;
    EXPECT_NEAR(aggregate.ifp, ifp, 0.06) << table.number;
    EXPECT_NEAR(aggregate.dfp, dfp, 0.06) << table.number;
  }
}

TEST(PaperFigures, TwentyFourPairsAreObservable) {
  int pairs = 0;
  for (std::size_t f = 0; f < kPaperFaults; ++f) {
    for (std::size_t w = 0; w < kPaperWorkloads; ++w) {
      pairs += observable(to_name(static_cast<FaultKind>(f)), to_name(static_cast<Workload>(w))) ? 1 : 0;
    }
  }
  EXPECT_EQ(pairs, 24);
}

TEST(Tally, ControlsCountAmongFalsePositivesOnly) {
  std::vector<ScoredRun> runs{{sick("disk-hog", "s1"), {true, false, true, false, seconds(90)}},
                              {sick("send-pktloss", "s1"), {}},
                              {Truth{}, {false, true, false, true, std::nullopt}}};
  runs[2].truth.workload = "ddw";
  const Tally result = tally(runs);
  EXPECT_EQ(result.aggregate.itp.runs, 2U);
  EXPECT_EQ(result.aggregate.itp.hits, 1U);
  EXPECT_EQ(result.aggregate.ifp.runs, 3U);
  EXPECT_EQ(result.aggregate.ifp.hits, 1U);
  // Loss of what a server sends cannot be seen while clients write.
  EXPECT_EQ(result.observable.itp.runs, 1U);
  EXPECT_EQ(result.faults.front().name, "none");
  EXPECT_EQ(result.aggregate.median_latency_s(), 90);
}

TEST(Tally, StrengthsAndCostsAreThoseThatTheTruthsSay) {
  std::vector<ScoredRun> runs;
  for (const auto& [strength, lost, found] :
       {std::tuple("strong", 0.6, true), std::tuple("strong", 0.34, true), std::tuple("mild", 0.05, false)}) {
    ScoredRun run{sick("link-rate", "s4"), {}};
    run.truth.strength = strength;
    run.truth.lost = lost;
    run.outcome.itp = found;
    if (found) run.outcome.latency = seconds(40);
    runs.push_back(run);
  }
  const Tally result = tally(runs);
  ASSERT_EQ(result.strengths.size(), 2U);
  EXPECT_EQ(result.strengths[0].name, "mild");
  EXPECT_EQ(result.strengths[0].rates.itp.hits, 0U);
  EXPECT_EQ(result.strengths[1].rates.itp.hits, 2U);
  ASSERT_EQ(result.costs.size(), 2U);
  EXPECT_EQ(result.costs[0].name, "a third or more");
  EXPECT_EQ(result.costs[0].rates.itp.runs, 2U);
  EXPECT_EQ(result.costs[0].rates.cause_ok.runs, 2U);
  EXPECT_EQ(result.costs[1].name, "less than a tenth");
}

TEST(Tally, CellsAreHeldAgainstThePapersInterval) {
  const std::vector<ScoredRun> runs{{sick("disk-hog", "s1"), {true, false, true, false, seconds(90)}}};
  const auto cells = check_cells(tally(runs), *paper_table("pvfs", 10, 10));
  ASSERT_EQ(cells.size(), 8U);
  EXPECT_EQ(cells[0].row, "disk-hog");
  EXPECT_TRUE(cells[0].inside());   // 100 % against 100 %
  EXPECT_FALSE(cells[4].inside());  // The aggregate: 100 % against 77.3 %.
  EXPECT_FALSE(cells[4].told_apart()) << "but that is one run of one";
  const std::vector<ScoredRun> many(40, runs[0]);
  EXPECT_TRUE(check_cells(tally(many), *paper_table("pvfs", 10, 10))[4].told_apart());
}

}  // namespace
}  // namespace laggard::lab
