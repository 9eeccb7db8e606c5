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
      component.parts = {{BlameKind::kAttachment, component.name},
                         {BlameKind::kLun, std::string("lun") + lun},
                         {BlameKind::kServer, std::string("fs") + server}};
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
  const Component component = grouping().components[1];
  const std::vector<Decision> decisions{decision(DecisionKind::kExcluded, "fs2", at(10)),
                                        decision(DecisionKind::kRepaired, "1.2", at(15)),
                                        decision(DecisionKind::kIncluded, "lun1", at(30))};
  EXPECT_TRUE(excluded_throughout(component, decisions, at(10), at(29)));
  EXPECT_FALSE(excluded_throughout(component, decisions, at(9), at(20)));
  EXPECT_FALSE(excluded_throughout(component, decisions, at(10), at(30)));
  EXPECT_FALSE(excluded_throughout(grouping().components[0], decisions, at(10), at(29)));
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

TEST(Decisions, NamesAreThereAndBack) {
  for (const DecisionKind kind :
       {DecisionKind::kRepaired, DecisionKind::kExcluded, DecisionKind::kIncluded, DecisionKind::kNoted}) {
    EXPECT_EQ(decision_kind(to_name(kind)), kind);
  }
  EXPECT_FALSE(decision_kind("forgotten").has_value());
}

}  // namespace
}  // namespace laggard
