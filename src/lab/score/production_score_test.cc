#include "lab/score/production_score.h"

#include <gtest/gtest.h>

#include "lab/score/netbouncer.h"

namespace laggard::lab {
namespace {

using namespace std::chrono_literals;
using production::IncidentKind;
using production::ProductionIncident;
using production::Site;
using production::Stretch;

constexpr WallTime kBegin = from_unix_ns(0);

ProductionIncident hung_server(std::size_t server, bool transient = false) {
  ProductionIncident incident =
      production::make_incident(IncidentKind::kServerHangs, 600, 1200, Random(1), {});
  incident.transient = transient;
  incident.troubles = {{Site::server(server), Site::alike(Site::server(server))}};
  return incident;
}

Alarm alarm(const Part& blame, Duration told, bool confirmed = true) {
  Alarm one{.blame = blame, .parts = {}, .told = kBegin + told, .until = kBegin + told + 60s};
  if (confirmed) one.confirmed = kBegin + told + 30s;
  one.confidence = 0.9;
  one.first_confidence = 0.7;
  return one;
}

TEST(ProductionScore, APartByItselfAndItsClassAreCountedApart) {
  const Stretch stretch{.begin = kBegin, .clients = {}, .incidents = {hung_server(4)}};
  const std::vector<Alarm> by_itself{alarm(Site::server(4), 640s)};
  StretchScore score = score_stretch(stretch, by_itself);
  ASSERT_TRUE(score.issue);
  EXPECT_TRUE(score.issue->exact);
  EXPECT_EQ(score.issue->told, Duration(40s));
  EXPECT_EQ(score.issue->confirmed, Duration(70s));
  const std::vector<Alarm> by_class{alarm(Site::target(4), 640s), alarm(Site::target(5), 700s)};
  score = score_stretch(stretch, by_class);
  EXPECT_TRUE(score.issue->localized);
  EXPECT_FALSE(score.issue->exact);
  EXPECT_EQ(score.issue->alarms, 1U);
  EXPECT_EQ(score.false_alarms, 1U);
  ASSERT_EQ(score.confidences.size(), 4U) << "of each when it was told of, and in the end";
  EXPECT_EQ(score.confidences[0].stage, ConfidenceStage::kFirst);
  EXPECT_EQ(score.confidences[0].confidence, 0.7);
  EXPECT_EQ(score.confidences[1].stage, ConfidenceStage::kConfirmed);
}

TEST(ProductionScore, WhatComesBeforeOrLongAfterIsFalseAndTransientsAreNoIssue) {
  const Stretch stretch{.begin = kBegin, .clients = {}, .incidents = {hung_server(4), hung_server(9, true)}};
  const std::vector<Alarm> alarms{alarm(Site::server(4), 500s), alarm(Site::server(4), 2000s),
                                  alarm(Site::server(9), 700s), alarm(Site::server(8), 700s, false)};
  const StretchScore score = score_stretch(stretch, alarms);
  EXPECT_FALSE(score.issue->localized);
  EXPECT_EQ(score.false_alarms, 2U);
  EXPECT_EQ(score.transient_alarms, 1U);
}

TEST(ProductionScore, TheModeIsThatOfTheFirstAlarmAboutARightPartAndShortOverloadsInterestNobody) {
  const Stretch stretch{.begin = kBegin, .clients = {}, .incidents = {hung_server(4)}};
  std::vector<Alarm> alarms{alarm(Site::server(4), 640s, false), alarm(Site::server(4), 660s),
                            alarm(Site::server(9), 650s)};
  alarms[0].mode = FailureMode::kOverload;
  alarms[1].mode = FailureMode::kReliability;
  alarms[1].mode_since = kBegin + 900s;
  alarms[2].mode = FailureMode::kReliability;
  StretchScore score = score_stretch(stretch, alarms);
  EXPECT_EQ(score.issue->mode, FailureMode::kReliability) << "what was confirmed";
  EXPECT_EQ(score.issue->mode_told, Duration(300s));
  EXPECT_TRUE(score.issue->of_interest);
  EXPECT_EQ(score.alarms_of_interest, 2U) << "a false one, too";
  alarms[1].mode = FailureMode::kOverload;
  score = score_stretch(stretch, alarms);
  EXPECT_FALSE(score.issue->of_interest) << "a minute of overload";
  alarms[1].until = kBegin + 660s + 30min;
  EXPECT_TRUE(score_stretch(stretch, alarms).issue->of_interest);
}

TEST(ProductionScore, OfAStripedJobThreeQuartersOfTheTargetsAreEnough) {
  Stretch stretch{.begin = kBegin, .clients = {}, .incidents = {hung_server(4)}};
  stretch.incidents[0].troubles.clear();
  for (std::size_t t = 0; t < 4; ++t) stretch.incidents[0].troubles.push_back({Site::target(t), {}});
  std::vector<Alarm> alarms{alarm(Site::target(0), 640s), alarm(Site::target(1), 640s)};
  EXPECT_FALSE(score_stretch(stretch, alarms).issue->localized);
  alarms.push_back(alarm(Site::target(2), 640s));
  EXPECT_TRUE(score_stretch(stretch, alarms).issue->localized);
}

TEST(NetBouncer, FindsAUnitThatLosesHalf) {
  std::vector<std::vector<std::size_t>> paths;
  std::vector<double> success;
  for (std::size_t client = 0; client < 3; ++client) {
    for (std::size_t target = 0; target < 4; ++target) {
      paths.push_back({client, 3 + target});
      success.push_back(target == 2 ? 0.5 : 1);
    }
  }
  const std::vector<double> health = netbouncer(paths, success, 8);
  for (std::size_t u = 0; u < 7; ++u) {
    if (u == 5) {
      EXPECT_LT(health[u], 0.75);
    } else {
      EXPECT_GT(health[u], 0.95) << u;
    }
  }
  EXPECT_EQ(health[7], 1) << "on no path";
}

}  // namespace
}  // namespace laggard::lab
