#include "lab/cmd/path_blame.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "testing/grouping.h"

namespace laggard::lab {
namespace {

using testing_support::GroupingBuilder;

const WallTime kStart = from_unix_ns(1'800'000'000'000'000'000);

Incident incident(std::vector<std::string> components, int since = 0) {
  Incident incident;
  incident.components = std::move(components);
  incident.blame = {PartKind::kNetwork, "nobody"};
  incident.since = kStart + std::chrono::seconds(since);
  incident.seen_until = incident.since + std::chrono::seconds(60);
  return incident;
}

TEST(PathBlame, WhatAllOfAnIncidentNeedAndNobodyElseIsToBlame) {
  GroupingBuilder system;
  system.servers(4, 3, false);
  Diagnosis diagnosis;
  diagnosis.incidents = {incident({"s1/d1", "s1/d2", "s1/d3"}), incident({"s2/d2"}, 1000)};
  blame_by_paths(diagnosis, system.get());
  EXPECT_EQ(diagnosis.incidents[0].blame, (Part{PartKind::kServer, "s1"}));
  EXPECT_EQ(diagnosis.incidents[1].blame, (Part{PartKind::kDisk, "s2/d2"}));
}

TEST(PathBlame, WhoIsInAnotherIncidentMeanwhileIsNoWitness) {
  GroupingBuilder system;
  system.servers(4, 2, false);
  Diagnosis diagnosis;
  diagnosis.incidents = {incident({"s1/d1"}), incident({"s1/d2"})};
  blame_by_paths(diagnosis, system.get());
  // Nothing else tells whether s1 is well: its disks are on all the paths that it is on.
  EXPECT_EQ(diagnosis.incidents[0].blame, (Part{PartKind::kDisk, "s1/d1"}));
  EXPECT_EQ(diagnosis.incidents[1].blame, (Part{PartKind::kDisk, "s1/d2"}));
}

}  // namespace
}  // namespace laggard::lab
