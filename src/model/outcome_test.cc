#include "model/outcome.h"

#include <gtest/gtest.h>

namespace laggard {
namespace {

using std::chrono::seconds;

/// Nine servers, nobody differs, everything was judged.
Diagnosis all_well() {
  Diagnosis diagnosis;
  Coverage& coverage = diagnosis.coverage;
  coverage.metrics = {"await"};
  coverage.judged = {.hosts = {9, 9},
                     .components = {9, 9},
                     .groups = {1, 1},
                     .lately = 9,
                     .recorded = seconds(273),
                     .window = seconds(64),
                     .windows = 7,
                     .compared = 7,
                     .needed = 3};
  return diagnosis;
}

void expect_not_judged(const Diagnosis& diagnosis, const std::string& why) {
  EXPECT_EQ(outcome_of(diagnosis), Outcome::kNotJudged) << why;
  EXPECT_EQ(why_not_judged(diagnosis), why);
}

TEST(Outcome, WellTakesThatEnoughWasJudged) {
  EXPECT_EQ(outcome_of(all_well()), Outcome::kWell);
  EXPECT_EQ(why_not_judged(all_well()), "");
  Diagnosis diagnosis = all_well();
  diagnosis.coverage.judged.components = {5, 9};
  EXPECT_EQ(outcome_of(diagnosis), Outcome::kWell) << "more than half";
  diagnosis.coverage.judged.components = {4, 9};
  expect_not_judged(diagnosis, "only 4 of 9 components could be compared for half of the time and more");
  diagnosis.coverage.judged.idle = 3;
  EXPECT_EQ(outcome_of(diagnosis), Outcome::kWell) << "four of the six that could show anything";
}

TEST(Outcome, SilenceHasAReason) {
  Diagnosis diagnosis;
  expect_not_judged(diagnosis, "nothing was recorded that could be compared");
  diagnosis.coverage.judged.components.there = 2;
  expect_not_judged(diagnosis, "no peer group has three members");
  diagnosis.coverage.judged.groups.there = 1;
  expect_not_judged(diagnosis, "no metric is known of what was recorded");

  diagnosis = all_well();
  Judged& judged = diagnosis.coverage.judged;
  judged.components.judged = 0;
  judged.recorded = seconds(93);
  judged.windows = judged.compared = 1;
  expect_not_judged(diagnosis,
                    "one window of 1m4s fits into 1m33s of recording, and a verdict takes 3; --preset quick "
                    "has shorter ones");
  judged.windows = judged.compared = 2;
  expect_not_judged(diagnosis,
                    "2 windows of 1m4s fit into 1m33s of recording, and a verdict takes 3; --preset quick "
                    "has shorter ones");
  judged.windows = judged.compared = 0;
  expect_not_judged(diagnosis,
                    "no window of 1m4s is complete in 1m33s of recording; --preset quick has shorter ones");
  judged.windows = 7;
  expect_not_judged(diagnosis, "no three peers were recorded at the same time");
  judged.idle = 9;
  expect_not_judged(diagnosis, "nobody did anything");
}

TEST(Outcome, DamageKeepsTheRestFromBeingWell) {
  Diagnosis diagnosis = all_well();
  diagnosis.coverage.damaged = {"s2.lgd"};
  expect_not_judged(diagnosis, "1 file of the recording is damaged");
}

TEST(Outcome, WhoeverIsConfirmedIsSickHoweverLittleWasJudged) {
  Diagnosis diagnosis = all_well();
  Incident& incident = diagnosis.incidents.emplace_back();
  incident.state = IncidentState::kSuspected;
  EXPECT_EQ(outcome_of(diagnosis), Outcome::kWell) << "a suspicion is said, and alarms nobody";
  incident.state = IncidentState::kConfirmed;
  diagnosis.coverage.judged = {};
  EXPECT_EQ(outcome_of(diagnosis), Outcome::kSick);
  EXPECT_EQ(outcome_now(diagnosis.incidents, {}), Outcome::kSick);
  incident.status = IncidentStatus::kExplained;
  EXPECT_EQ(outcome_of(diagnosis), Outcome::kNotJudged);
}

TEST(Outcome, OfADiagnosisThatGoesOnTheNewestWindowsCount) {
  Judged judged = all_well().coverage.judged;
  judged.components.judged = 0;
  EXPECT_EQ(outcome_now({}, judged), Outcome::kWell);
  judged.lately = 4;
  EXPECT_EQ(outcome_now({}, judged), Outcome::kNotJudged);
}

}  // namespace
}  // namespace laggard
