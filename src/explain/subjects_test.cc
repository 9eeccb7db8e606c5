// Findings about parts that are no components: whom they accuse, alone and beside what metrics show.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "explain/incidents.h"
#include "testing/grouping.h"

namespace laggard::explain {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::GroupingBuilder;

constexpr IncidentOptions kSubjectLab{.size = 64, .shift = 32, .k = 3, .limits = {}};

WallTime cell_at(std::int64_t cell) { return from_unix_ns(cell * 1'000'000'000); }

Finding finding_of(std::string source, std::string detector) {
  Finding finding;
  finding.symptom = Symptom::kError;
  finding.since = cell_at(320);
  finding.faulty_since = cell_at(384);
  finding.confirmed_since = cell_at(384);
  finding.opened = {cell_at(384), finding.symptom};
  finding.until = cell_at(640);
  finding.first = 320;
  finding.last = 608;
  finding.strength = 5;
  finding.evidence.source = std::move(source);
  finding.evidence.detector = std::move(detector);
  finding.evidence.score = 5;
  return finding;
}

Finding about(PartKind kind, const std::string& name, std::vector<Part> runs_on = {}) {
  Finding finding = finding_of("logs", "errors");
  finding.part = {kind, name};
  finding.runs_on = std::move(runs_on);
  finding.evidence.component = name;
  finding.evidence.part = finding.part;
  return finding;
}

Finding slow(const GroupingBuilder& system, const std::string& component) {
  Finding finding = finding_of("metrics", "cdf");
  finding.component = system.index(component);
  finding.symptom = Symptom::kSlower;
  finding.resource = Resource::kStorage;
  finding.role = Role::kLatency;
  finding.evidence.metric = "await";
  finding.evidence.component = component;
  return finding;
}

std::vector<Incident> incidents(const GroupingBuilder& system, const std::vector<Finding>& findings,
                                std::string_view rules = default_rules()) {
  return make_incidents(system.get(), findings, parse_rules(rules, "rules").value(), kSubjectLab);
}

std::vector<std::string> blamed(const GroupingBuilder& system, const std::vector<Finding>& findings) {
  std::vector<std::string> names;
  for (const Incident& incident : incidents(system, findings)) {
    names.push_back(std::string(to_name(incident.blame.kind)) + " " + incident.blame.name);
  }
  std::ranges::sort(names);
  return names;
}

TEST(Subjects, WhatAWitnessCannotTellFromTheSubjectIsAnAlternative) {
  const GroupingBuilder system = GroupingBuilder().servers(5, 1, true);
  Finding finding = about(PartKind::kRouter, "r1");
  finding.evidence.alike = {{PartKind::kRouter, "r2"}, {PartKind::kRouter, "r3"}};
  Finding again = finding;
  again.since = cell_at(352);
  const std::vector<Incident> found = incidents(system, {finding, again});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].blame, (Part{PartKind::kRouter, "r1"}));
  EXPECT_THAT(found[0].alternatives,
              ElementsAre(Part{PartKind::kRouter, "r2"}, Part{PartKind::kRouter, "r3"}));
}

TEST(Subjects, APartThatNobodyMeasuresIsBlamedForItself) {
  const GroupingBuilder system = GroupingBuilder().servers(5, 1, true);
  EXPECT_THAT(blamed(system, {about(PartKind::kMetadataServer, "mds1")}),
              ElementsAre("metadata_server mds1"));
  EXPECT_THAT(blamed(system, {about(PartKind::kSwitch, "leaf1")}), ElementsAre("switch leaf1"));
}

TEST(Subjects, AServerAndItsSlowDiskAreOneProblem) {
  const GroupingBuilder system = GroupingBuilder().servers(5, 4, true);
  const auto found = incidents(system, {slow(system, "s3/d1"), about(PartKind::kServer, "s3")});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].blame, (Part{PartKind::kServer, "s3"}));
  EXPECT_THAT(found[0].components, ElementsAre("s3", "s3/d1"));
  EXPECT_EQ(blamed(system, {slow(system, "s3/d1"), about(PartKind::kServer, "s4")}).size(), 2U)
      << "another server's errors are another problem";
}

TEST(Subjects, WhatMostThatAreNamedShareIsBlamed) {
  GroupingBuilder system = GroupingBuilder().servers(8, 1, true);
  for (int s = 1; s <= 8; ++s) {
    system.under({PartKind::kServer, "s" + std::to_string(s)},
                 {PartKind::kSwitch, s <= 4 ? "leaf1" : "leaf2"});
  }
  std::vector<Finding> findings;
  for (int s = 1; s <= 2; ++s) findings.push_back(about(PartKind::kServer, "s" + std::to_string(s)));
  EXPECT_THAT(blamed(system, findings), ElementsAre("server s1", "server s2")) << "half is not most";
  findings.push_back(about(PartKind::kServer, "s3"));
  EXPECT_THAT(blamed(system, findings), ElementsAre("switch leaf1"));
}

TEST(Subjects, WhatADetectorToldApartIsNotWhatItShares) {
  GroupingBuilder system;
  for (int t = 1; t <= 12; ++t) {
    system.under({PartKind::kTarget, "ost" + std::to_string(t)}, {PartKind::kDrawer, "rack1"});
  }
  std::vector<Finding> findings;
  for (int t = 1; t <= 5; ++t) findings.push_back(about(PartKind::kTarget, "ost" + std::to_string(t)));
  EXPECT_THAT(blamed(system, findings), ElementsAre("drawer rack1")) << "five of twelve";
  for (Finding& finding : findings) finding.localized = true;
  EXPECT_THAT(blamed(system, findings),
              ElementsAre("target ost1", "target ost2", "target ost3", "target ost4", "target ost5"));
  findings.push_back(about(PartKind::kDrawer, "rack1"));
  EXPECT_THAT(blamed(system, findings), ElementsAre("drawer rack1")) << "which is found, too";
}

TEST(Subjects, OneProcessIsNotItsClientButSeveralAre) {
  const GroupingBuilder system = GroupingBuilder().servers(5, 1, true);
  const Part client{PartKind::kClient, "c7"};
  std::vector<Finding> findings{about(PartKind::kProcess, "rsync", {client})};
  EXPECT_THAT(blamed(system, findings), ElementsAre("process rsync"));
  findings.push_back(about(PartKind::kProcess, "find", {client}));
  EXPECT_THAT(blamed(system, findings), ElementsAre("client c7"));
}

TEST(Subjects, RulesSelectOnAnyWitness) {
  const GroupingBuilder system = GroupingBuilder().servers(5, 1, true);
  constexpr std::string_view kRules = R"toml(
[[rule]]
name = "logs and latency"
cause = "dying-disk"
all = ["source logs", "symptom slower", "detector errors"]
why = "{component}: {metrics}"
)toml";
  const auto both = incidents(system, {slow(system, "s3/d1"), about(PartKind::kServer, "s3")}, kRules);
  ASSERT_EQ(both.size(), 1U);
  EXPECT_EQ(both[0].cause, "dying-disk");
  EXPECT_EQ(both[0].why, "s3: await, logs");
  const auto one = incidents(system, {about(PartKind::kServer, "s3")}, kRules);
  EXPECT_EQ(one[0].cause, "unknown");
  EXPECT_THAT(one[0].why, HasSubstr("is not well"));
}

}  // namespace
}  // namespace laggard::explain
