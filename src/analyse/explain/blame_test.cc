#include "analyse/explain/blame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "analyse/explain/testing_grouping.h"

namespace laggard::analyse {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing_support::GroupingBuilder;

/// `server s3`, one per blamed part, in order of discovery.
std::vector<std::string> blamed(const GroupingBuilder& system, const std::vector<std::string>& affected) {
  std::vector<std::size_t> indices;
  for (const std::string& name : affected) indices.push_back(system.index(name));
  std::vector<std::string> names;
  for (const Blamed& found : find_blame(system.get(), indices)) {
    names.push_back(std::string(to_name(found.blame.kind)) + " " + found.blame.name);
  }
  return names;
}

std::vector<std::string> disks(const std::string& host, int from, int to) {
  std::vector<std::string> names;
  for (int d = from; d <= to; ++d) names.push_back(host + "/d" + std::to_string(d));
  return names;
}

TEST(Blame, AServersOnlyDiskIsTheServer) {
  const GroupingBuilder system = GroupingBuilder().servers(9, 1, true);
  EXPECT_THAT(blamed(system, {"s3/d1"}), ElementsAre("server s3"));
  EXPECT_THAT(blamed(system, {"s3/tcp-in"}), ElementsAre("server s3"));
  EXPECT_THAT(blamed(system, {"s3/d1", "s3/eth0", "s3/tcp-out"}), ElementsAre("server s3"));
  const auto found = find_blame(system.get(), std::vector<std::size_t>{system.index("s3/d1")});
  EXPECT_THAT(found[0].alternatives, ElementsAre(Blame{BlameKind::kDisk, "s3/d1"}));
}

TEST(Blame, OneOfManyDisksIsTheDisk) {
  const GroupingBuilder system = GroupingBuilder().servers(1, 12, false);
  EXPECT_THAT(blamed(system, {"s1/d4"}), ElementsAre("disk s1/d4"));
  EXPECT_THAT(blamed(system, disks("s1", 1, 7)), ElementsAre("server s1"));
  EXPECT_EQ(blamed(system, disks("s1", 1, 6)).size(), 6U) << "half of its disks is not more than half";
}

TEST(Blame, DisksOfDifferentServersAreDifferentProblems) {
  const GroupingBuilder system = GroupingBuilder().servers(5, 4, false);
  EXPECT_THAT(blamed(system, {"s2/d1", "s4/d3"}), ElementsAre("disk s2/d1", "disk s4/d3"));
  std::vector<std::string> affected = disks("s2", 1, 4);
  affected.emplace_back("s4/d3");
  EXPECT_THAT(blamed(system, affected), ElementsAre("server s2", "disk s4/d3"));
}

/// Two controllers with three LUNs each, every LUN seen by its two servers.
GroupingBuilder coupled() {
  GroupingBuilder build;
  for (const char* lun : {"l1", "l2", "l3"}) build.lun(lun, "ddn1a", "ddn1", {"fs1", "fs2"});
  for (const char* lun : {"l4", "l5", "l6"}) build.lun(lun, "ddn1b", "ddn1", {"fs3", "fs4"});
  for (const char* lun : {"m1", "m2", "m3"}) build.lun(lun, "ddn2a", "ddn2", {"fs5", "fs6"});
  return build;
}

std::vector<std::string> seen_by(std::initializer_list<const char*> luns, const std::string& server) {
  std::vector<std::string> names;
  for (const char* lun : luns) names.push_back(lun + ("." + server));
  return names;
}

std::vector<std::string> operator+(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST(Blame, WhatIsSharedByAllThatAreSickAndByNoneThatAreWell) {
  const GroupingBuilder system = coupled();
  EXPECT_THAT(blamed(system, {"l1.fs1"}), ElementsAre("attachment l1.fs1")) << "fs2 sees the LUN well";
  EXPECT_THAT(blamed(system, {"l1.fs1", "l1.fs2"}), ElementsAre("lun l1"));
  EXPECT_THAT(blamed(system, seen_by({"l1", "l2", "l3"}, "fs1")), ElementsAre("server fs1"));
  const auto controller = seen_by({"l1", "l2", "l3"}, "fs1") + seen_by({"l1", "l2", "l3"}, "fs2");
  EXPECT_THAT(blamed(system, controller), ElementsAre("controller ddn1a"));
  const auto array = controller + seen_by({"l4", "l5", "l6"}, "fs3") + seen_by({"l4", "l5", "l6"}, "fs4");
  EXPECT_THAT(blamed(system, array), ElementsAre("array ddn1"));
}

TEST(Blame, TwoProblemsComeOutAsTwo) {
  const GroupingBuilder system = coupled();
  const auto controller = seen_by({"l1", "l2", "l3"}, "fs1") + seen_by({"l1", "l2", "l3"}, "fs2");
  EXPECT_THAT(blamed(system, controller + seen_by({"m1", "m2", "m3"}, "fs5")),
              ElementsAre("controller ddn1a", "server fs5"));
  EXPECT_THAT(blamed(system, {"l1.fs1", "l1.fs2", "m3.fs5", "m3.fs6"}), ElementsAre("lun l1", "lun m3"));
}

TEST(Blame, AWholeNetworkButNotForTwoOfItsServers) {
  const GroupingBuilder system = GroupingBuilder().servers(5, 1, true);
  EXPECT_THAT(blamed(system, {"s1/eth0", "s2/eth0", "s3/eth0", "s4/eth0"}), ElementsAre("network net"));
  EXPECT_THAT(blamed(system, {"s1/eth0", "s2/eth0"}), ElementsAre("server s1", "server s2"));
}

TEST(Blame, NothingIsBlamedForNothing) {
  EXPECT_TRUE(find_blame(coupled().get(), {}).empty());
  GroupingBuilder bare;
  bare.add(GroupKind::kDisks, "x", "h", {});
  EXPECT_TRUE(find_blame(bare.get(), std::vector<std::size_t>{0}).empty()) << "no parts, no blame";
}

}  // namespace
}  // namespace laggard::analyse
