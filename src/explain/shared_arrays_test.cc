// Two problems of one array: each is blamed for what it can account for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "explain/incidents.h"
#include "model/metric.h"
#include "testing/grouping.h"

namespace laggard::explain {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;
using testing_support::GroupingBuilder;

const IncidentOptions kOptions{.size = 64, .shift = 32, .k = 3, .limits = {}};

WallTime at(std::int64_t cell) { return from_unix_ns(cell * 1'000'000'000); }

/// An array of 32 LUNs and eight servers, four on each controller; its drawer holds the first half of the
/// LUNs.
class SharedArray : public testing::Test {
 protected:
  Finding& see(std::size_t lun, std::size_t server, const char* metric, Symptom symptom, std::int64_t first,
               std::int64_t last) {
    const MetricSpec& spec = *find_metric(metric);
    Finding& finding = findings_.emplace_back();
    finding.component = system_.index(GroupingBuilder::attachment_name("x", lun, server));
    finding.symptom = symptom;
    finding.resource = spec.resource;
    finding.role = spec.role;
    finding.first = first;
    finding.last = last;
    finding.since = at(first);
    finding.faulty_since = at(first + 128);
    finding.confirmed_since = finding.faulty_since;
    finding.until = at(last + 64);
    finding.opened = {finding.faulty_since, symptom};
    finding.strength = 5;
    finding.severity = 10;
    finding.persistence = (last - first) / 32;
    finding.facts.push_back({&kAnomalousWindows, static_cast<double>(finding.persistence + 1)});
    finding.facts.push_back({&kStorageMoved, symptom == Symptom::kMore ? 600.0 : 200.0, 200, 0});
    finding.evidence.metric = spec.name;
    finding.evidence.detector = finding.is_lost() ? "absent" : "cdf";
    finding.evidence.component = system_.get().components[finding.component].name;
    if (!finding.is_lost()) finding.evidence.level = 300;
    finding.evidence.peers = 100;
    for (std::int64_t t = first; t <= last; t += 32) finding.evidence.windows.push_back(at(t));
    return finding;
  }
  Finding& slow(std::size_t lun, std::int64_t first, std::int64_t last) {
    return see(lun, lun % 8, "await", Symptom::kSlower, first, last);
  }
  /// The server loses what it should serve, and the next one takes over.
  void lose(std::size_t server, Symptom how, std::int64_t first, std::int64_t last, std::size_t taker) {
    for (std::size_t l = server; l < 32; l += 8) {
      see(l, server, "rd_sec", how, first, last);
      see(l, taker, "wr_sec", Symptom::kMore, first, last);
    }
  }

  [[nodiscard]] std::vector<Incident> found() const {
    return make_incidents(system_.get(), findings_, parse_rules(default_rules(), "rules").value(), kOptions);
  }
  static std::vector<std::string> names(const std::vector<Incident>& incidents) {
    std::vector<std::string> names;
    for (const Incident& incident : incidents) names.push_back(incident.blame.name + " " + incident.cause);
    return names;
  }
  /// T §5.6.1: what is known to be sick is excluded, and the rest looked at again.
  void exclude(const Incident& incident) {
    std::erase_if(findings_, [&](const Finding& finding) {
      const std::string& name = system_.get().components[finding.component].name;
      const bool relieves = std::ranges::any_of(incident.evidence, [&](const Evidence& evidence) {
        return evidence.component == name && evidence.note.starts_with("has load in place");
      });
      return relieves || std::ranges::find(incident.components, name) != incident.components.end();
    });
  }

 private:
  GroupingBuilder system_ = GroupingBuilder().array("x", 32, 8);
  std::vector<Finding> findings_;
};

TEST_F(SharedArray, LossesHoursApartAreTwo) {
  lose(2, Symptom::kSilent, 64, 9600, 3);
  for (const std::size_t s : {4U, 5U, 6U, 7U}) lose(s, Symptom::kLost, 3200, 9600, 0);
  EXPECT_THAT(names(found()), UnorderedElementsAre("x-s2 service-down", "xb controller-failed"));
}

TEST_F(SharedArray, WhatIsExcludedLeavesTheOther) {
  lose(2, Symptom::kSilent, 64, 9600, 3);
  for (const std::size_t s : {4U, 5U, 6U, 7U}) lose(s, Symptom::kLost, 3200, 9600, 0);
  slow(11, 1600, 9600);
  std::vector<std::string> left = names(found());
  ASSERT_EQ(left.size(), 3U);
  while (!left.empty()) {
    const std::vector<Incident> incidents = found();
    EXPECT_THAT(names(incidents), testing::UnorderedElementsAreArray(left))
        << "looking again tells nothing new";
    exclude(incidents.front());
    std::erase(left, incidents.front().blame.name + " " + incidents.front().cause);
  }
  EXPECT_THAT(found(), testing::IsEmpty());
}

TEST_F(SharedArray, ALunThatIsSlowBeforeItIsLostIsAnotherTrouble) {
  // Most of its windows are those in which nothing is recorded.
  Finding& both = slow(5, 64, 9600);
  both.symptom = Symptom::kLost;
  both.open = true;
  for (const std::size_t s : {4U, 5U, 6U, 7U}) lose(s, Symptom::kLost, 3200, 9600, 0);
  const std::vector<Incident> incidents = found();
  ASSERT_THAT(names(incidents), UnorderedElementsAre("xb controller-failed", "x-l5 slow-lun"));
  for (const Incident& incident : incidents) {
    const bool lun = incident.blame.name == "x-l5";
    EXPECT_EQ(incident.since, at(lun ? 64 : 3200));
    EXPECT_EQ(incident.until.has_value(), lun);
    if (!lun) continue;
    EXPECT_EQ(incident.until, at(3200));
    EXPECT_THAT(incident.evidence.front().note, testing::HasSubstr("lost afterwards"));
  }
}

TEST_F(SharedArray, WhatDiffersForAMomentBeforeIsTheLossItself) {
  slow(5, 3200 - 2 * 32, 9600);
  for (const std::size_t s : {4U, 5U, 6U, 7U}) lose(s, Symptom::kLost, 3200, 9600, 0);
  EXPECT_THAT(names(found()), ElementsAre("xb controller-failed"));
}

TEST_F(SharedArray, ADrawersErrorsWhileAServerDoesNotServe) {
  lose(2, Symptom::kSilent, 64, 9600, 3);
  for (const std::size_t lun : {0U, 1U, 3U, 4U, 5U, 7U, 9U, 12U, 14U}) slow(lun, 1600, 8000);
  EXPECT_THAT(names(found()), UnorderedElementsAre("x-s2 service-down", "x-D drawer-errors"));
}

TEST_F(SharedArray, SlownessThatEndsInALossIsOneCascadeAndASlowLunBesideIsNone) {
  for (const std::size_t lun : {1U, 3U, 4U, 6U, 9U, 12U, 14U, 20U, 23U}) slow(lun, 1600, 3200);
  slow(29, 64, 9600);
  for (const std::size_t s : {0U, 1U, 6U, 7U}) lose(s, Symptom::kSilent, 3232, 9600, (s + 2) % 8);
  EXPECT_THAT(names(found()), UnorderedElementsAre("x cascaded-failure", "x-l29 slow-lun"));
}

TEST_F(SharedArray, WorkThatWaitsOnAPathThatNobodyUsesIsNoFailoverBeforeTheLoss) {
  slow(5, 64, 3168);
  see(5, 6, "await", Symptom::kSlower, 64, 3168).facts.push_back({&kStandbyWait, 200});
  for (const std::size_t s : {4U, 5U, 6U, 7U}) lose(s, Symptom::kLost, 3200, 9600, 0);
  see(5, 6, "rd_sec", Symptom::kMore, 3104, 3168);
  EXPECT_THAT(names(found()), UnorderedElementsAre("xb controller-failed", "x-l5 silent-lun"));
}

TEST_F(SharedArray, ARepairedLunsNeighboursAreNotThoseOfOneThatHasLongBeenSlow) {
  slow(30, 64, 9600).evidence.level = 900;
  slow(6, 3104, 6400).evidence.level = 600;
  for (const std::size_t lun : {4U, 5U, 7U}) slow(lun, 3232, 6400);
  EXPECT_THAT(names(found()), UnorderedElementsAre("x-l30 slow-lun", "x-l6 reconstruction"));
}

}  // namespace
}  // namespace laggard::explain
