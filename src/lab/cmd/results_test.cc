#include "lab/cmd/results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace laggard::lab {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A run in which `persistence` was found, judged by one method.
CampaignRun run_of(bool sick, std::vector<std::pair<std::string, int>> persistence) {
  CampaignRun run;
  run.truth.workload = "ddw";
  run.truth.fault = sick ? "disk-hog" : "none";
  if (sick) {
    run.truth.faulty_server = "s3";
    run.truth.parts.push_back({.fault = "disk-hog", .hosts = {"s3"}});
  }
  Judgement judgement;
  judgement.persistence = std::move(persistence);
  run.judgements.push_back(judgement);
  Outcome outcome;
  outcome.itp = sick;
  run.outcomes.push_back(outcome);
  return run;
}

TEST(Results, PersistenceAndAnomaliesOfTheHealthyAreThoseOfSection641) {
  MethodSpec method;
  method.name = "any";
  const std::vector<CampaignRun> runs{
      run_of(true, {{"s3", 20}, {"s1", 4}, {"s2", 0}}), run_of(true, {{"s3", 10}}),
      run_of(true, {{"s3", 9}, {"s1", 1}, {"s4", 7}}), run_of(false, {{"s2", 1}}), run_of(false, {})};
  const ClusterResults results = summarize(runs, {method});
  ASSERT_EQ(results.methods.size(), 1U);
  EXPECT_DOUBLE_EQ(results.methods[0].persistence_gap.value(), 10) << "of 16, 10 and 2";
  EXPECT_DOUBLE_EQ(results.methods[0].anomalous_beside_fault.value(), 1) << "3 in 3; s2 never was";
  EXPECT_DOUBLE_EQ(results.methods[0].anomalous_without_fault.value(), 0.5);
  EXPECT_THAT(to_markdown({results}),
              HasSubstr("any: persistence of the faulty server less the largest of another "
                        "one, median: 10 windows; healthy servers that were anomalous in a "
                        "run with a fault: 1.00; in a run without one: 0.50."));
}

TEST(Results, WhatNoRunShowsIsNotSaid) {
  MethodSpec method;
  const ClusterResults results = summarize({run_of(false, {})}, {method});
  EXPECT_FALSE(results.methods[0].persistence_gap.has_value());
  EXPECT_FALSE(results.methods[0].anomalous_beside_fault.has_value());
  EXPECT_THAT(to_markdown({results}), Not(HasSubstr("with a fault")));
}

}  // namespace
}  // namespace laggard::lab
