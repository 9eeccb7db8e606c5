#include "explain/ids.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "testing/grouping.h"

namespace laggard::explain {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing_support::GroupingBuilder;

constexpr Duration kShift = std::chrono::seconds(32);

WallTime second(std::int64_t seconds) { return from_unix_ns(seconds * 1'000'000'000); }

TEST(IncidentId, SaysWhatOpenedItAndWhen) {
  EXPECT_EQ(incident_id("s2/sdb", {second(96), Symptom::kSlower}, kShift), "s2-sdb-slower-19700101T000136Z");
  EXPECT_EQ(incident_id("12.48.49", {second(96), Symptom::kLost}, kShift), "12.48.49-lost-19700101T000136Z");
}

TEST(IncidentId, WindowsAreThoseOfTheEpochWhereverARecordingBegins) {
  EXPECT_EQ(incident_id("a", {second(96 + 31), Symptom::kMore}, kShift),
            incident_id("a", {second(96), Symptom::kMore}, kShift));
  EXPECT_NE(incident_id("a", {second(96 + 32), Symptom::kMore}, kShift),
            incident_id("a", {second(96), Symptom::kMore}, kShift));
}

TEST(IncidentId, WindowsOfLessThanASecondDiffer) {
  constexpr Duration kShort = std::chrono::milliseconds(500);
  EXPECT_EQ(incident_id("a", {second(1) + kShort, Symptom::kLess}, kShort), "a-less-19700101T000001.500Z");
}

TEST(IncidentId, NeedsNoQuotes) {
  EXPECT_EQ(incident_id("a b>'\xc3\xa4\n", {second(0), Symptom::kError}, kShift),
            "a-b------error-19700101T000000Z");
}

class IncidentIds : public testing::Test {
 protected:
  void add(std::size_t hypothesis, const char* component, std::int64_t opened, Symptom symptom) {
    Finding& finding = findings_.emplace_back();
    finding.component = system_.index(component);
    finding.opened = {second(opened), symptom};
    if (hypotheses_.size() <= hypothesis) hypotheses_.resize(hypothesis + 1);
    hypotheses_[hypothesis].findings.push_back(&finding);
  }
  [[nodiscard]] std::vector<std::string> ids() const {
    return incident_ids(hypotheses_, system_.get(), kShift);
  }

  GroupingBuilder system_ = GroupingBuilder().servers(5, 2, false);
  std::deque<Finding> findings_;
  std::vector<Hypothesis> hypotheses_;
};

TEST_F(IncidentIds, ComeFromTheFindingThatOpenedFirst) {
  add(0, "s3/d1", 96, Symptom::kMore);
  add(0, "s2/d1", 64, Symptom::kSlower);
  EXPECT_THAT(ids(), ElementsAre("s2-d1-slower-19700101T000104Z"));
}

TEST_F(IncidentIds, OfOneWindowTheFirstComponentCountsThenTheFirstSymptom) {
  add(0, "s3/d1", 64, Symptom::kSlower);
  add(0, "s2/d1", 64, Symptom::kMore);
  add(0, "s2/d1", 64, Symptom::kSlower);
  EXPECT_THAT(ids(), ElementsAre("s2-d1-slower-19700101T000104Z"));
}

TEST_F(IncidentIds, OfOnePartApartInTimeDiffer) {
  add(0, "s2/d1", 64, Symptom::kSlower);
  add(1, "s2/d1", 6400, Symptom::kSlower);
  EXPECT_THAT(ids(), ElementsAre("s2-d1-slower-19700101T000104Z", "s2-d1-slower-19700101T014640Z"));
}

TEST_F(IncidentIds, AreUniqueInWhateverOrderTheyAreAskedFor) {
  add(0, "s2/d1", 64, Symptom::kSlower);
  add(0, "s2/d2", 128, Symptom::kSlower);
  add(1, "s2/d1", 64, Symptom::kSlower);
  add(1, "s2/d2", 96, Symptom::kSlower);
  EXPECT_THAT(ids(), ElementsAre("s2-d1-slower-19700101T000104Z-2", "s2-d1-slower-19700101T000104Z"));
  std::swap(hypotheses_[0], hypotheses_[1]);
  EXPECT_THAT(ids(), ElementsAre("s2-d1-slower-19700101T000104Z", "s2-d1-slower-19700101T000104Z-2"));
}

/// From one second to another; blames the server of its first component.
Incident incident_at(std::string id, std::int64_t since, std::int64_t until,
                     std::vector<std::string> components) {
  Incident one;
  one.id = std::move(id);
  one.since = second(since);
  one.seen_until = second(until);
  one.blame.name = components.front().substr(0, components.front().find('/'));
  one.components = std::move(components);
  return one;
}

KnownIncident known_at(std::string id, std::int64_t since, std::int64_t until,
                       std::vector<std::string> components) {
  const Incident same = incident_at(std::move(id), since, until, std::move(components));
  return {.id = same.id,
          .blamed = same.blame.name,
          .cause = "disk-busy",
          .since = same.since,
          .until = same.seen_until,
          .components = same.components};
}

std::vector<std::string> kept(std::vector<Incident>& incidents, const std::vector<KnownIncident>& known) {
  keep_known_ids(incidents, known);
  std::vector<std::string> ids;
  for (const Incident& one : incidents) ids.push_back(one.id);
  return ids;
}

TEST(KnownIncidents, OverlapOnASharedComponentKeepsTheId) {
  std::vector<Incident> now{incident_at("new", 50, 200, {"s2/d1", "s2/d2"})};
  EXPECT_THAT(kept(now, {known_at("old", 0, 60, {"s2/d2"})}), ElementsAre("old"));
  EXPECT_THAT(now[0].also_known_as, ElementsAre("new"));
}

TEST(KnownIncidents, OverlapOnTheBlamedPartKeepsTheIdToo) {
  std::vector<Incident> now{incident_at("new", 50, 200, {"s2/d1"})};
  EXPECT_THAT(kept(now, {known_at("old", 0, 60, {"s2/d2"})}), ElementsAre("old"));
}

TEST(KnownIncidents, OtherTimesAndOtherPartsAreOtherIncidents) {
  std::vector<Incident> now{incident_at("later", 60, 200, {"s2/d1"}),
                            incident_at("elsewhere", 0, 60, {"s3/d1"})};
  EXPECT_THAT(kept(now, {known_at("old", 0, 60, {"s2/d1"})}), ElementsAre("later", "elsewhere"))
      << "a moment that both touch is no overlap";
  EXPECT_THAT(now[0].also_known_as, IsEmpty());
}

TEST(KnownIncidents, WhatHasTheIdItselfIsTheOneWhereverItIsSeenNow) {
  std::vector<Incident> now{incident_at("another", 0, 100, {"s2/d1"}),
                            incident_at("old", 300, 400, {"s2/d1"})};
  EXPECT_THAT(kept(now, {known_at("old", 0, 60, {"s2/d1"})}), ElementsAre("another", "old"));
}

TEST(KnownIncidents, OfTwoThatMergeTheOlderIdSurvivesAndTheOtherIsNamed) {
  std::vector<Incident> now{incident_at("new", 0, 200, {"s2/d1", "s2/d2"})};
  EXPECT_THAT(kept(now, {known_at("younger", 50, 90, {"s2/d2"}), known_at("older", 10, 90, {"s2/d1"})}),
              ElementsAre("older"));
  EXPECT_THAT(now[0].also_known_as, ElementsAre("younger", "new"));
}

TEST(KnownIncidents, OfOneThatSplitsTheOpenerKeepsTheIdElseThePartThatSharesMost) {
  const std::vector<KnownIncident> before{known_at("old", 0, 100, {"s2/d1", "s2/d2", "s3/d1"})};
  std::vector<Incident> opener{incident_at("new", 0, 200, {"s2/d1", "s2/d2"}),
                               incident_at("old", 0, 90, {"s3/d1"})};
  EXPECT_THAT(kept(opener, before), ElementsAre("new", "old"));
  std::vector<Incident> larger{incident_at("small", 0, 200, {"s3/d1"}),
                               incident_at("large", 0, 20, {"s2/d1", "s2/d2"})};
  EXPECT_THAT(kept(larger, before), ElementsAre("small", "old"));
  std::vector<Incident> longer{incident_at("short", 0, 20, {"s2/d1"}),
                               incident_at("long", 0, 200, {"s2/d2"})};
  EXPECT_THAT(kept(longer, before), ElementsAre("short", "old"));
}

TEST(KnownIncidents, TheirOrderDoesNotMatterAndTwiceIsOnce) {
  const std::vector<KnownIncident> before{known_at("b", 50, 90, {"s2/d2"}), known_at("a", 50, 90, {"s2/d1"}),
                                          known_at("c", 95, 99, {"s3/d1"})};
  std::vector<Incident> once{incident_at("x", 0, 200, {"s2/d1", "s2/d2"}),
                             incident_at("y", 0, 200, {"s3/d1"})};
  std::vector<Incident> turned = once;
  EXPECT_THAT(kept(once, before), ElementsAre("a", "c"));
  EXPECT_THAT(kept(turned, {before.rbegin(), before.rend()}), ElementsAre("a", "c"));
  EXPECT_THAT(kept(once, before), ElementsAre("a", "c"));
}

TEST(FormerId, IsTheOneOfBlameCauseAndStart) {
  Incident one = incident_at("s2-d1-slower-x", 64, 90, {"s2/d1"});
  one.cause = "disk-busy";
  EXPECT_EQ(former_id(one), "s2-disk-busy-19700101T000104Z");
}

}  // namespace
}  // namespace laggard::explain
