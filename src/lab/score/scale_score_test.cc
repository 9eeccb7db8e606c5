#include "lab/score/scale_score.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace laggard::lab {
namespace {
using std::chrono::minutes;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A server is down from 06:00 to 12:00, a LUN is busy for a quarter of an hour at 20:00.
constexpr std::string_view kTruth =
    R"json({"schema": "laggard.lab-scale-truth/1", "site": "Intrepid", "seed": 1,
 "from": "2011-05-09T00:00:00Z", "to": "2011-05-10T00:00:00Z",
 "incidents": [{"kind": "server-down", "start": "2011-05-09T06:00:00Z", "stop": "2011-05-09T12:00:00Z",
   "blame": {"kind": "server", "name": "fs1"}, "accepted": [{"kind": "controller", "name": "ddn6a"}],
   "affected": ["6.00.1", "6.08.1"], "relieving": ["6.00.2", "6.08.2"]}],
 "transients": [{"kind": "busy", "luns": ["ddn7_lun003"],
   "start": "2011-05-09T20:00:00Z", "stop": "2011-05-09T20:15:00Z"}]})json";

WallTime clock(int hour, int minute = 0) {
  return parse_time(fmt::format("2011-05-09T{:02}:{:02}:00Z", hour, minute)).value();
}

Incident reported(PartKind kind, const std::string& name, WallTime since, WallTime until,
                  std::vector<std::string> components) {
  Incident incident;
  incident.blame = {kind, name};
  incident.since = since;
  incident.faulty_since = since + minutes(20);
  incident.persistent_since = since + minutes(30);
  incident.confirmed_since = since + minutes(40);
  incident.until = until;
  incident.state = IncidentState::kConfirmed;
  incident.status = IncidentStatus::kClosed;
  incident.cause = "server-down";
  incident.components = std::move(components);
  return incident;
}

ScaleScore score(const std::vector<Incident>& incidents) {
  Diagnosis diagnosis;
  diagnosis.incidents = incidents;
  return score_scale(scale::parse_scale_truth(kTruth, "truth.json").value(), diagnosis,
                     {{"7.03.12", "ddn7_lun003"}, {"6.00.1", "ddn6_lun000"}});
}

TEST(ScaleScore, TheRightPartInTime) {
  const ScaleScore found =
      score({reported(PartKind::kServer, "fs1", clock(5, 50), clock(12), {"6.00.1", "6.08.1"})});
  ASSERT_EQ(found.problems.size(), 1U);
  const ProblemScore& problem = found.problems[0];
  EXPECT_TRUE(problem.blamed && problem.confirmed && problem.kind_right);
  EXPECT_EQ(problem.onset, -minutes(10));
  EXPECT_EQ(problem.faulty, minutes(10));
  EXPECT_EQ(problem.persistent, minutes(20));
  EXPECT_EQ(problem.alarm, minutes(30));
  EXPECT_EQ(problem.said, "server fs1: server-down");
  EXPECT_THAT(found.false_alarms, IsEmpty());
  EXPECT_EQ(found.days, 1);
}

TEST(ScaleScore, WhatElseAnOperatorWouldCallRight) {
  const auto blamed = [](PartKind kind, const char* name) {
    return score({reported(kind, name, clock(6), clock(12), {"6.00.1"})}).problems[0].blamed;
  };
  EXPECT_TRUE(blamed(PartKind::kController, "ddn6a"));
  EXPECT_FALSE(blamed(PartKind::kController, "ddn6b"));
  EXPECT_FALSE(blamed(PartKind::kLun, "fs1")) << "the tier counts, not the name alone";
}

TEST(ScaleScore, WrongPartIsNeitherRightNorAFalseAlarm) {
  const ScaleScore found =
      score({reported(PartKind::kAttachment, "6.00.2", clock(6), clock(12), {"6.00.2"})});
  EXPECT_FALSE(found.problems[0].blamed);
  EXPECT_EQ(found.problems[0].alarms, 1U);
  EXPECT_EQ(found.problems[0].observed, minutes(40)) << "it is seen all the same";
  EXPECT_FALSE(found.problems[0].alarm.has_value());
  EXPECT_EQ(found.problems[0].said, "attachment 6.00.2: server-down");
  EXPECT_THAT(found.false_alarms, IsEmpty());
}

TEST(ScaleScore, AProblemIsSeenWithTheFirstOfWhatBelongsToIt) {
  const ScaleScore found =
      score({reported(PartKind::kServer, "fs1", clock(7), clock(12), {"6.00.1", "6.08.1"}),
             reported(PartKind::kAttachment, "6.00.2", clock(6, 20), clock(12), {"6.00.2"})});
  EXPECT_EQ(found.problems[0].alarm, minutes(100));
  EXPECT_EQ(found.problems[0].observed, minutes(60));
}

TEST(ScaleScore, FalseIsWhatNothingHappenedToThen) {
  Incident late = reported(PartKind::kServer, "fs1", clock(14), clock(16), {"6.00.1", "6.08.1"});
  Incident transient = reported(PartKind::kLun, "ddn7_lun003", clock(19, 50), clock(20, 30), {"7.03.12"});
  Incident elsewhere = reported(PartKind::kLun, "ddn9_lun003", clock(19, 50), clock(20, 30), {"9.03.28"});
  Incident suspected = elsewhere;
  suspected.state = IncidentState::kSuspected;
  Incident explained = elsewhere;
  explained.status = IncidentStatus::kExplained;
  const ScaleScore found = score({late, transient, elsewhere, suspected, explained});
  EXPECT_THAT(found.false_alarms, ElementsAre(HasSubstr("server fs1"), HasSubstr("lun ddn9_lun003")));
  EXPECT_EQ(found.transients, 1U);
  EXPECT_EQ(found.suspected, 1U);
  EXPECT_EQ(found.problems[0].incidents, 0U);
  EXPECT_EQ(found.problems[0].said, "");
}

TEST(ScaleScore, AnEndIsRightWithinTwoWindows) {
  const auto problem = [](std::optional<WallTime> until) {
    Incident incident = reported(PartKind::kServer, "fs1", clock(6), clock(12), {"6.00.1"});
    incident.until = until;
    return score({incident}).problems[0];
  };
  EXPECT_EQ(problem(clock(12, 20)).end, minutes(20));
  EXPECT_TRUE(is_end_right(problem(clock(12, 30))));
  EXPECT_TRUE(is_end_right(problem(clock(11, 30))));
  EXPECT_FALSE(is_end_right(problem(clock(12, 31))));
  EXPECT_FALSE(is_end_right(problem(clock(11, 29))));
  EXPECT_EQ(problem(std::nullopt).end, minutes(12 * 60)) << "it is called open at the end of the day";
  EXPECT_FALSE(is_end_right(score({}).problems[0]));
}

TEST(ScaleScore, ATransientThatIsSaidToLastLongerThanItDidIsAFalseAlarm) {
  const auto until = [](WallTime t) {
    return score({reported(PartKind::kLun, "ddn7_lun003", clock(20), t, {"7.03.12"})});
  };
  EXPECT_THAT(until(clock(20, 30)).false_alarms, IsEmpty());
  const ScaleScore late = until(clock(20, 46));
  EXPECT_THAT(late.false_alarms, ElementsAre(HasSubstr("31 minutes longer")));
  EXPECT_THAT(late.transient_ends, ElementsAre(minutes(31)));
  EXPECT_EQ(late.transients, 1U);
  const std::vector<ScaleScore> both{until(clock(20, 30)), late};
  EXPECT_EQ(summarize_scale(both).transient_end_right, 1U);
}

TEST(ScaleScore, HalfOfAnIncidentsComponentsMustBelongToTheProblem) {
  const ScaleScore found =
      score({reported(PartKind::kArray, "ddn6", clock(6), clock(12), {"6.00.1", "6.01.2", "6.02.3"})});
  EXPECT_EQ(found.problems[0].incidents, 0U);
  EXPECT_EQ(found.false_alarms.size(), 1U);
}

TEST(ScaleScore, SumsOverRecordings) {
  const std::vector<ScaleScore> scores{
      score({reported(PartKind::kServer, "fs1", clock(6), clock(12), {"6.00.1"})}),
      score({reported(PartKind::kServer, "fs1", clock(7), clock(12), {"6.00.1"}),
             reported(PartKind::kServer, "fs9", clock(7), clock(12), {"7.00.9"})}),
      score({})};
  const ScaleSummary all = summarize_scale(scores);
  EXPECT_EQ(all.problems, 3U);
  EXPECT_EQ(all.blamed, 2U);
  EXPECT_EQ(all.kind_right, 2U);
  EXPECT_EQ(all.false_alarms, 1U);
  EXPECT_EQ(all.days, 3);
  EXPECT_EQ(all.onset, minutes(0));
  EXPECT_EQ(summarize_by_kind(scores).at("server-down").blamed, 2U);
  EXPECT_FALSE(summarize_scale({}).onset.has_value());
}

TEST(ScaleScore, ReconstructionIsOneCauseWithSparesOrWithout) {
  EXPECT_TRUE(is_right_kind("reconstruction-spare", "reconstruction"));
  EXPECT_TRUE(is_right_kind("slow-lun", "slow-lun"));
  EXPECT_FALSE(is_right_kind("slow-lun", "busy-lun"));
}

TEST(ScaleTruthFile, RefusesWhatItIsNot) {
  EXPECT_TRUE(scale::is_scale_truth(kTruth));
  EXPECT_FALSE(scale::is_scale_truth("{\"workload\": \"ddr\"}"));
  EXPECT_THAT(scale::parse_scale_truth("[]", "t.json").error().message(),
              HasSubstr("laggard.lab-scale-truth/1"));
  const auto with = [](std::string_view from, std::string_view to) {
    std::string text(kTruth);
    text.replace(text.find(from), from.size(), to);
    return scale::parse_scale_truth(text, "t.json").error().message();
  };
  EXPECT_THAT(with("\"kind\": \"server\"", "\"kind\": \"shelf\""), HasSubstr("'shelf' is no kind of part"));
  EXPECT_THAT(with("\"start\"", "\"begin\""), HasSubstr("no time 'start'"));
}

TEST(DiagnosisFile, ReadsWhatScoringNeeds) {
  constexpr std::string_view kText = R"json({"schema": "laggard.diagnosis/1", "from": "2011-05-09T00:00:00Z",
    "to": "2011-05-10T00:00:00Z", "distance": "cdf", "incidents": [{"id": "x", "since": "2011-05-09T06:00:00Z",
    "faulty_since": "2011-05-09T06:20:00Z", "until": null, "state": "confirmed", "status": "explained",
    "blame": {"kind": "lun", "name": "ddn6_lun000"}, "components": ["6.00.1"], "cause": "slow-lun"}]})json";
  const auto read = parse_diagnosis(kText, "d.json");
  ASSERT_TRUE(read.has_value());
  ASSERT_EQ(read->incidents.size(), 1U);
  const Incident& incident = read->incidents[0];
  EXPECT_EQ(incident.since, clock(6));
  EXPECT_EQ(incident.faulty_since, clock(6, 20));
  EXPECT_FALSE(incident.until.has_value());
  EXPECT_FALSE(incident.confirmed_since.has_value());
  EXPECT_EQ(incident.state, IncidentState::kConfirmed);
  EXPECT_EQ(incident.status, IncidentStatus::kExplained);
  EXPECT_EQ(incident.blame, (Part{PartKind::kLun, "ddn6_lun000"}));
  EXPECT_THAT(incident.components, ElementsAre("6.00.1"));
  EXPECT_FALSE(parse_diagnosis("{}", "d.json").has_value());
}

}  // namespace
}  // namespace laggard::lab
