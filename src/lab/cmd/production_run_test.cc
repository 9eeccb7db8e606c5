// What confounds localization (K §II, §VII), each on a site of Blue Waters' size.
#include "lab/cmd/production_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace laggard::lab {
namespace {

using namespace std::chrono_literals;
using production::Effect;
using production::IncidentKind;
using production::ProductionIncident;
using production::Seconds;
using production::Site;
using production::Stage;
using production::Stretch;

constexpr Seconds kStart = 420;
constexpr Seconds kLength = 1500;

class Confounders : public testing::Test {
 protected:
  static void SetUpTestSuite() { grouping_ = new Grouping(production_grouping().value()); }
  static void TearDownTestSuite() {
    delete grouping_;
    grouping_ = nullptr;
  }

  static ProductionIncident incident(IncidentKind kind, const Part& part,
                                     const std::vector<Effect>& effects) {
    ProductionIncident one{.kind = kind, .start = kStart, .stop = kLength};
    one.troubles = {{part, Site::alike(part)}};
    one.effects = effects;
    for (Effect& effect : one.effects) {
      if (effect.from == 0) effect.from = kStart;
      if (effect.to == 0) effect.to = kLength;
    }
    return one;
  }

  static StretchScore run(const std::vector<ProductionIncident>& incidents,
                          std::optional<double> silent = {}) {
    const Stretch stretch{.begin = from_unix_ns(1'500'000'000'000'000'000),
                          .length = kLength,
                          .clients = production::choose_clients(Random(6)),
                          .incidents = incidents};
    return run_stretch(*grouping_, stretch, {.seed = 6, .number = 1, .netbouncer = false, .silent = silent})
        .value()
        .ours;
  }

  static const Grouping* grouping_;
};
const Grouping* Confounders::grouping_ = nullptr;

TEST_F(Confounders, AHealthySiteIsWell) {
  const StretchScore score = run({});
  EXPECT_FALSE(score.issue);
  EXPECT_EQ(score.false_alarms, 0U);
}

TEST_F(Confounders, OneRouterOfFourThatDropsRequestsIsFoundInFiveMinutes) {
  const StretchScore score = run({incident(IncidentKind::kRouterDrops, Site::router(81),
                                           {{.stage = Stage::kRouter, .index = 81, .loses = 1}})});
  EXPECT_TRUE(score.issue->localized) << score.issue->said;
  EXPECT_LT(score.issue->told.value_or(1h), 5min) << "K §VII-C";
  EXPECT_EQ(score.false_alarms, 0U);
}

TEST_F(Confounders, AServerOfAFailoverPairIsNotItsPartner) {
  const StretchScore score = run({incident(IncidentKind::kServerHangs, Site::server(410),
                                           {{.stage = Stage::kServer, .index = 410, .hangs = true}})});
  EXPECT_TRUE(score.issue->exact) << score.issue->said << ": it has two targets, which fail together";
  EXPECT_EQ(score.issue->alarms, 1U);
  EXPECT_EQ(score.false_alarms, 0U);
  EXPECT_LT(score.issue->told.value_or(1h), 2min);
  EXPECT_EQ(score.issue->mode, FailureMode::kReliability);
}

TEST_F(Confounders, APairOfWhichOneServesForBothIsItsFailure) {
  ProductionIncident over =
      incident(IncidentKind::kFailover, Site::server(30),
               {{.stage = Stage::kServer, .index = 30, .to = kStart + 300, .hangs = true},
                {.stage = Stage::kServer, .index = 30, .from = kStart + 300, .fails_over = true},
                {.stage = Stage::kServer, .index = 31, .from = kStart + 300, .load = 2}});
  over.consequences = {Site::server(31), Site::target(31), Site::target(30)};
  const StretchScore score = run({over});
  EXPECT_TRUE(score.issue->localized) << score.issue->said;
  EXPECT_EQ(score.false_alarms, 0U);
}

TEST_F(Confounders, ARebuildThatOverloadsThePairIsToldByItsTarget) {
  ProductionIncident chain =
      incident(IncidentKind::kRebuildChain, Site::target(100),
               {{.stage = Stage::kTarget, .index = 100, .load = 0.8, .capacity = 0.6},
                {.stage = Stage::kServer, .index = 100, .from = kStart + 400, .load = 2},
                {.stage = Stage::kServer, .index = 101, .from = kStart + 400, .load = 2},
                {.stage = Stage::kServer, .index = 100, .from = kStart + 800, .hangs = true},
                {.stage = Stage::kServer, .index = 101, .from = kStart + 800, .hangs = true}});
  chain.consequences = {Site::server(100), Site::server(101), Site::target(101)};
  const StretchScore score = run({chain});
  EXPECT_TRUE(score.issue->localized) << score.issue->said << " (K §II-B)";
  EXPECT_EQ(score.issue->mode, FailureMode::kReliability) << "whatever is overloaded by it";
  EXPECT_EQ(score.false_alarms, 0U);
}

TEST_F(Confounders, AnOverloadLooksLikeAFailureAndIsLocalizedAlike) {
  const StretchScore score = run({incident(IncidentKind::kServerOverload, Site::server(200),
                                           {{.stage = Stage::kServer, .index = 200, .load = 2}})});
  EXPECT_TRUE(score.issue->localized) << score.issue->said;
  EXPECT_EQ(score.issue->mode, FailureMode::kOverload) << "which logs and load tell";
  EXPECT_LT(score.issue->mode_told.value_or(1h), 10min);
  EXPECT_FALSE(score.issue->of_interest) << "it lasts less than 30 minutes (K §VI-A)";
}

TEST_F(Confounders, WhatNoLogTellsOfIsBrokenIfNoLoadExplainsIt) {
  const StretchScore score = run(
      {incident(IncidentKind::kServerLimps, Site::server(200),
                {{.stage = Stage::kServer, .index = 200, .delays = 0.6, .delay_s = 3, .least_delay_s = 1}})},
      1);
  EXPECT_TRUE(score.issue->localized) << score.issue->said;
  EXPECT_EQ(score.issue->mode, FailureMode::kReliability);
  EXPECT_LT(score.issue->mode_told.value_or(1h), 10min);
}

TEST_F(Confounders, AJobThatIsStripedOverARackIsNoSickRack) {
  std::vector<Effect> effects;
  for (std::size_t t = 99; t < 104; ++t) effects.push_back({.stage = Stage::kTarget, .index = t, .load = 2});
  ProductionIncident job = incident(IncidentKind::kStripedOverload, Site::target(99), effects);
  for (std::size_t t = 100; t < 104; ++t) {
    job.troubles.push_back({Site::target(t), Site::alike(Site::target(t))});
  }
  const StretchScore score = run({job});
  EXPECT_THAT(score.issue->said, testing::HasSubstr("ost100"));
  EXPECT_THAT(score.issue->said, testing::Not(testing::HasSubstr("rack")));
  EXPECT_EQ(score.false_alarms, 0U);
}

TEST_F(Confounders, WhatHealsWithinAMinuteIsNotConfirmed) {
  ProductionIncident loss = incident(IncidentKind::kRackLoses, Site::rack(7),
                                     {{.stage = Stage::kRack, .index = 7, .to = kStart + 40, .loses = 0.5}});
  loss.stop = kStart + 40;
  loss.transient = true;
  const StretchScore score = run({loss});
  EXPECT_FALSE(score.issue);
  EXPECT_EQ(score.false_alarms, 0U);
  EXPECT_LE(score.transient_alarms, 1U) << "of the rack, not of its targets";
}

TEST_F(Confounders, TwoAtOnceOnThreeFileSystems) {
  ProductionIncident both = incident(IncidentKind::kServerOverload, Site::server(208),
                                     {{.stage = Stage::kServer, .index = 208, .load = 2},
                                      {.stage = Stage::kMetadata, .index = 2, .hangs = true}});
  both.troubles.push_back({Site::metadata_server(2), {}});
  const StretchScore score = run({both});
  EXPECT_TRUE(score.issue->localized) << score.issue->said << " (K Fig. 10)";
  EXPECT_EQ(score.issue->alarms, 2U);
  EXPECT_EQ(score.false_alarms, 0U);
}

}  // namespace
}  // namespace laggard::lab
