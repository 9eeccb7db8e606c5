#include "model/decision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace laggard {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

WallTime at(std::int64_t seconds) { return from_unix_ns(seconds * 1'000'000'000); }

/// Two LUNs through two servers: 1.1, 1.2, 2.1, 2.2.
Grouping grouping() {
  Grouping grouping;
  for (const char* lun : {"1", "2"}) {
    for (const char* server : {"1", "2"}) {
      Component component;
      component.name = std::string(lun) + "." + server;
      component.part = grouping.parts.add({PartKind::kAttachment, component.name});
      for (Part part : {Part{PartKind::kLun, std::string("lun") + lun},
                        Part{PartKind::kServer, std::string("fs") + server}}) {
        grouping.parts.connect(component.part, EdgeKind::kRunsThrough, grouping.parts.add(std::move(part)));
      }
      grouping.components.push_back(component);
    }
  }
  return grouping;
}

Decision decision(DecisionKind kind, const char* subject, std::optional<WallTime> from) {
  return {.kind = kind, .subject = subject, .from = from, .made = at(0), .by = "ann", .why = "because"};
}

TEST(Decisions, SubjectIsAComponentOrAllThatRunThroughAPart) {
  EXPECT_THAT(components_of(grouping(), "1.2"), ElementsAre(1));
  EXPECT_THAT(components_of(grouping(), "fs2"), ElementsAre(1, 3));
  EXPECT_THAT(components_of(grouping(), "lun2"), ElementsAre(2, 3));
  EXPECT_THAT(components_of(grouping(), "fs"), IsEmpty());
}

TEST(Decisions, ExclusionHoldsFromItsTimeUntilTheNextInclusion) {
  const std::vector<Decision> decisions{decision(DecisionKind::kIncluded, "1.2", at(30)),
                                        decision(DecisionKind::kExcluded, "fs2", at(10)),
                                        decision(DecisionKind::kNoted, "fs1", at(10))};
  const Interventions interventions(grouping(), decisions);
  EXPECT_FALSE(interventions.excluded(1, at(9)));
  EXPECT_TRUE(interventions.excluded(1, at(10)));
  EXPECT_TRUE(interventions.excluded(1, at(29)));
  EXPECT_FALSE(interventions.excluded(1, at(30)));
  EXPECT_TRUE(interventions.excluded(3, at(30)));
  EXPECT_FALSE(interventions.excluded(0, at(30)));
}

TEST(Decisions, ExcludedThroughoutASpanOnlyWithoutABreak) {
  const std::vector<Decision> decisions{decision(DecisionKind::kExcluded, "fs2", at(10)),
                                        decision(DecisionKind::kRepaired, "1.2", at(15)),
                                        decision(DecisionKind::kIncluded, "lun1", at(30))};
  const Grouping all = grouping();
  const auto throughout = [&](std::size_t c, WallTime from, WallTime to) {
    return excluded_throughout(all, all.components[c], decisions, {from, to});
  };
  EXPECT_TRUE(throughout(1, at(10), at(29)));
  EXPECT_FALSE(throughout(1, at(9), at(20)));
  EXPECT_FALSE(throughout(1, at(10), at(30)));
  EXPECT_FALSE(throughout(0, at(10), at(29)));
}

TEST(Decisions, WhatWasDecidedLastAboutTheSameMomentCounts) {
  std::vector<Decision> decisions{decision(DecisionKind::kExcluded, "1.1", std::nullopt),
                                  decision(DecisionKind::kIncluded, "1.1", std::nullopt)};
  EXPECT_FALSE(Interventions(grouping(), decisions).excluded(0, at(5)));
  std::swap(decisions[0], decisions[1]);
  EXPECT_TRUE(Interventions(grouping(), decisions).excluded(0, at(5)));
}

TEST(Decisions, RepairIsAMomentAndNotAState) {
  const std::vector<Decision> decisions{decision(DecisionKind::kExcluded, "1.1", at(5)),
                                        decision(DecisionKind::kRepaired, "lun1", at(10))};
  const Interventions interventions(grouping(), decisions);
  EXPECT_TRUE(interventions.repaired(0, at(9), at(10)));
  EXPECT_FALSE(interventions.repaired(0, at(10), at(20)));
  EXPECT_FALSE(interventions.repaired(2, at(9), at(10)));
  EXPECT_TRUE(interventions.excluded(0, at(20))) << "repaired, but not yet included again";
}

TEST(Decisions, WithoutAnyNothingIsDifferent) {
  const Interventions none(grouping(), {});
  EXPECT_TRUE(none.empty());
  EXPECT_FALSE(none.excluded(3, at(1)));
  EXPECT_FALSE(none.repaired(3, at(0), at(9)));
  const std::vector<Decision> note{decision(DecisionKind::kNoted, "1.1", std::nullopt)};
  EXPECT_TRUE(Interventions(grouping(), note).empty());
}

Decision about(DecisionKind kind, std::vector<std::string> components, std::int64_t made) {
  return {.kind = kind,
          .subject = "1.1-slower-x",
          .from = std::nullopt,
          .made = at(made),
          .by = "ann",
          .why = "because",
          .about = KnownIncident{.id = "1.1-slower-x",
                                 .blamed = "lun1",
                                 .cause = "slow-disk",
                                 .since = at(1),
                                 .until = at(made),
                                 .components = std::move(components)}};
}

TEST(Decisions, AnIncidentStandsForTheComponentsThatItHadThen) {
  const Decision excluded = about(DecisionKind::kExcluded, {"1.1", "2.2"}, 9);
  EXPECT_THAT(components_of(grouping(), excluded), ElementsAre(0, 3));
  const Interventions interventions(grouping(), std::span(&excluded, 1));
  EXPECT_TRUE(interventions.excluded(0, at(20)));
  EXPECT_FALSE(interventions.excluded(1, at(20)));
}

TEST(Decisions, WhatIsUndoneHoldsNoMoreAndItsHistoryStays) {
  Decision undo = decision(DecisionKind::kUndone, "fs2", std::nullopt);
  undo.made = at(9);
  undo.undoes = at(4);
  Decision first = decision(DecisionKind::kExcluded, "fs2", std::nullopt);
  first.made = at(3);
  Decision second = decision(DecisionKind::kRepaired, "fs2", at(4));
  second.made = at(4);
  Decision another = decision(DecisionKind::kExcluded, "fs1", std::nullopt);
  another.made = at(4);
  const std::vector<Decision> all{first, second, another, undo};
  EXPECT_THAT(standing(all), ElementsAre(first, another));
  EXPECT_TRUE(is_undone(second, all));
  EXPECT_FALSE(is_undone(first, all)) << "an earlier one about the same subject";
  EXPECT_FALSE(is_undone(another, all)) << "about another one at the same moment";
  EXPECT_TRUE(Interventions(grouping(), std::span(&undo, 1)).empty());
}

TEST(Decisions, AKnownIncidentIsWhatTheLastDecisionAboutItKnew) {
  const std::vector<Decision> all{about(DecisionKind::kNoted, {"1.1"}, 5),
                                  decision(DecisionKind::kNoted, "x", {}),
                                  about(DecisionKind::kExcluded, {"1.1", "1.2"}, 9)};
  EXPECT_THAT(known_incidents(grouping(), all), ElementsAre(*all[2].about));
}

TEST(Decisions, ARepairEndsAKnownIncident) {
  const auto until = [](const char* subject, std::int64_t from) {
    const std::vector<Decision> all{about(DecisionKind::kNoted, {"1.1"}, 9),
                                    decision(DecisionKind::kRepaired, subject, at(from))};
    return known_incidents(grouping(), all).front().until;
  };
  EXPECT_EQ(until("fs1", 5), at(5));
  EXPECT_EQ(until("fs2", 5), at(9)) << "of something else";
  EXPECT_EQ(until("fs1", 1), at(9)) << "before it began: this one is what followed";
  Decision early = about(DecisionKind::kRepaired, {"1.1"}, 9);
  early.from = at(0);
  EXPECT_EQ(known_incidents(grouping(), std::span(&early, 1)).front().until, at(0)) << "it is meant by name";
}

TEST(Decisions, NamesAreThereAndBack) {
  for (const DecisionKind kind : {DecisionKind::kRepaired, DecisionKind::kExcluded, DecisionKind::kIncluded,
                                  DecisionKind::kNoted, DecisionKind::kUndone}) {
    EXPECT_EQ(decision_kind(to_name(kind)), kind);
  }
  EXPECT_FALSE(decision_kind("forgotten").has_value());
}

}  // namespace
}  // namespace laggard
