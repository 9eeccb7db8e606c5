// Who is to blame for what is affected at one moment; episodes_test.cc has what happens one after the other.
#include "explain/episodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>
#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "testing/grouping.h"

namespace laggard::explain {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing_support::GroupingBuilder;

std::vector<Blamed> find_blame(const Grouping& grouping, std::span<const std::size_t> affected) {
  std::vector<AffectedSpan> spans;
  for (const std::size_t c : affected) spans.push_back({c, 0, 0});
  std::vector<Blamed> found;
  for (Episode& episode : find_episodes(PartMap(grouping), spans, {1, 0})) {
    found.push_back(std::move(episode.blamed));
  }
  return found;
}

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
  EXPECT_THAT(found[0].alternatives, ElementsAre(Part{PartKind::kDisk, "s3/d1"}));
}

TEST(Blame, WhatIsNotMeasuredCanBeBlamedToo) {
  GroupingBuilder system = GroupingBuilder().servers(8, 1, true);
  for (int s = 1; s <= 8; ++s) {
    const std::string host = "s" + std::to_string(s);
    for (const char* link : {"/eth0", "/tcp-out", "/tcp-in"}) {
      system.over(host + link, {PartKind::kSwitch, s <= 4 ? "leaf1" : "leaf2"});
    }
  }
  std::vector<std::string> half;
  for (int s = 1; s <= 4; ++s) {
    half.push_back("s" + std::to_string(s) + "/eth0");
    half.push_back("s" + std::to_string(s) + "/tcp-out");
  }
  EXPECT_THAT(blamed(system, half), ElementsAre("switch leaf1"));
  EXPECT_THAT(blamed(system, {"s3/eth0", "s3/tcp-out", "s3/tcp-in"}), ElementsAre("server s3"))
      << "one server's links are no switch";
  half.insert(half.end(), {"s5/eth0", "s6/eth0", "s7/eth0", "s8/eth0"});
  EXPECT_THAT(blamed(system, half), Contains("network net"));
}

/// Nine servers, whose network is one switch and, for s7 to s9, a second one that is plugged into it.
GroupingBuilder two_switches() {
  GroupingBuilder system = GroupingBuilder().servers(9, 1, true);
  for (int s = 1; s <= 9; ++s) {
    const std::string host = "s" + std::to_string(s);
    for (const char* of : {"/eth0", "/tcp-out", "/tcp-in"}) {
      system.over(host + of, {PartKind::kSwitch, "sw1"});
      if (s >= 7) system.over(host + of, {PartKind::kSwitch, "sw2"});
    }
  }
  return system;
}

std::vector<std::string> network_of(std::initializer_list<int> servers) {
  std::vector<std::string> names;
  for (const int s : servers) {
    for (const char* of : {"/eth0", "/tcp-out", "/tcp-in"}) names.push_back("s" + std::to_string(s) + of);
  }
  return names;
}

TEST(Blame, WhoIsWellBehindASwitchSpeaksAgainstIt) {
  const GroupingBuilder system = two_switches();
  EXPECT_THAT(blamed(system, network_of({1, 6, 9})), ElementsAre("server s1", "server s6", "server s9"));
  EXPECT_THAT(blamed(system, network_of({1, 2, 3, 4, 5, 6})), testing::Not(Contains("switch sw1")))
      << "three of nine are well";
  EXPECT_THAT(blamed(system, network_of({8, 9})), ElementsAre("server s8", "server s9")) << "s7 is well";
  EXPECT_THAT(blamed(system, network_of({7, 8, 9})), ElementsAre("switch sw2"));
  EXPECT_THAT(blamed(system, network_of({1, 2, 3, 4, 5, 7, 8, 9})), Contains("switch sw1"))
      << "s6 was missed";
}

TEST(Blame, ASwitchIsKnownByOneKindOfWhatRunsThroughIt) {
  EXPECT_THAT(blamed(two_switches(), {"s7/tcp-out", "s8/tcp-out", "s9/tcp-out"}), ElementsAre("switch sw2"));
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

/// Two arrays of 16 LUNs, each reached through eight servers.
GroupingBuilder arrays() { return GroupingBuilder().array("x", 16, 8).array("y", 16, 8); }

/// The attachments of these LUNs of array `array` at these servers.
std::vector<std::string> at(const std::string& array, const std::vector<std::size_t>& luns,
                            const std::vector<std::size_t>& servers) {
  std::vector<std::string> names;
  for (const std::size_t l : luns) {
    for (const std::size_t s : servers) names.push_back(GroupingBuilder::attachment_name(array, l, s));
  }
  return names;
}

/// The primaries of these LUNs.
std::vector<std::string> primaries(const std::string& array, const std::vector<std::size_t>& luns) {
  std::vector<std::string> names;
  for (const std::size_t l : luns) names.push_back(GroupingBuilder::attachment_name(array, l, l % 8));
  return names;
}

TEST(Blame, AttachmentsThatNobodyUsesSayNothing) {
  EXPECT_THAT(blamed(arrays(), primaries("x", {3, 11})), ElementsAre("server x-s3"))
      << "both of its LUNs, although it has sixteen attachments";
  EXPECT_THAT(blamed(arrays(), primaries("x", {3})), ElementsAre("lun x-l3")) << "the only path that serves";
  EXPECT_THAT(blamed(arrays(), at("x", {3}, {4})), ElementsAre("attachment x.3.4"))
      << "one that is not expected to serve, while the primary does";
  EXPECT_THAT(blamed(arrays(), at("x", {3}, {3, 4})), ElementsAre("lun x-l3"));
}

TEST(Blame, ADrawerIsToldFromItsArray) {
  EXPECT_THAT(blamed(arrays(), primaries("x", {0, 1, 2, 3, 4, 5, 6, 7})), ElementsAre("drawer x-D"));
  EXPECT_THAT(blamed(arrays(), primaries("x", {0, 1, 2, 4, 5, 7})), ElementsAre("drawer x-D"));
  EXPECT_THAT(blamed(arrays(), primaries("x", {0, 1, 2, 4, 5, 7}) + primaries("x", {12})),
              ElementsAre("drawer x-D", "lun x-l12"))
      << "one LUN more is not the whole array";
  EXPECT_THAT(blamed(arrays(), primaries("x", {0, 1, 2, 4, 5, 7, 8, 9, 10, 11, 13})), ElementsAre("array x"));
}

TEST(Blame, LostAttachmentsOfAServerAControllerAndAnArray) {
  EXPECT_THAT(blamed(arrays(), at("x", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {2})),
              ElementsAre("server x-s2"));
  EXPECT_THAT(blamed(arrays(), primaries("x", {0, 1, 2, 3, 8, 9, 10, 11})), ElementsAre("controller xa"));
  EXPECT_THAT(blamed(arrays(), primaries("x", {0, 1, 3, 8, 9, 11})), ElementsAre("controller xa"))
      << "all but one of its servers";
  // Cache coherency is lost: a's servers no longer reach even LUNs, b's no longer odd ones; some were passed
  // over on the way to one that still does.
  const auto passed_over = at("x", {0, 8}, {0, 1, 2, 3}) + at("x", {2, 10}, {2, 3}) +
                           at("x", {5, 13}, {5, 6, 7}) + at("x", {7, 15}, {7});
  EXPECT_THAT(blamed(arrays(), passed_over), ElementsAre("array x"));
  const auto one_controller = at("x", {0, 8}, {0, 1, 2, 3}) + at("x", {2, 10}, {2, 3});
  EXPECT_THAT(blamed(arrays(), one_controller), ElementsAre("controller xa"));
}

TEST(Blame, ManyLunsAtOnceAreNoCoincidence) {
  const GroupingBuilder system = GroupingBuilder().array("x", 32, 8);
  EXPECT_EQ(blamed(system, primaries("x", {1, 4, 10, 13, 18, 23, 28})).size(), 7U);
  EXPECT_THAT(blamed(system, primaries("x", {1, 4, 10, 13, 18, 20, 23, 25, 28})), ElementsAre("array x"))
      << "nine of 32";
}

TEST(Blame, ConcurrentProblemsOfOneArrayAreKeptApart) {
  EXPECT_THAT(blamed(arrays(), primaries("x", {2, 10}) + primaries("x", {5})),
              ElementsAre("server x-s2", "lun x-l5"));
  EXPECT_THAT(blamed(arrays(), primaries("x", {2, 10}) + primaries("x", {7, 15})),
              ElementsAre("server x-s2", "server x-s7"));
  EXPECT_THAT(blamed(arrays(), primaries("x", {0, 1, 2, 3, 8, 9, 10, 11}) + primaries("y", {6, 14})),
              ElementsAre("controller xa", "server y-s6"));
}

/// The rule of docs/methods/blame.md, read literally: every part, every component, every time.
struct Literal {
  const Grouping& grouping;
  std::set<std::size_t> left;

  struct Count {
    std::vector<std::size_t> affected;
    double share = 0;
    double unaffected = 0;
    double of_kind = 0;
    [[nodiscard]] double gain() const { return static_cast<double>(affected.size()) - unaffected / 4; }
  };

  [[nodiscard]] std::set<Part> all_parts() const {
    std::set<Part> parts;
    for (const Component& component : grouping.components) {
      for (const PartId part : grouping.parts.needs(component.part)) parts.insert(grouping.parts[part]);
    }
    return parts;
  }

  [[nodiscard]] GroupKind kind_of(std::size_t c) const {
    for (const PeerGroup& group : grouping.groups) {
      for (const ComponentId id : group.members) {
        if (id.index() == c) return group.kind;
      }
    }
    return GroupKind::kDisks;
  }

  [[nodiscard]] Count count(const Part& part) const {
    Count count;
    for (const GroupKind kind : {GroupKind::kDisks, GroupKind::kInterfaces, GroupKind::kTcpFromServers,
                                 GroupKind::kTcpFromClients}) {
      double all = 0;
      double affected = 0;
      for (std::size_t c = 0; c < grouping.components.size(); ++c) {
        if (kind_of(c) != kind || !grouping.runs_through(grouping.components[c], part)) continue;
        const bool sick = left.contains(c);
        if (sick || grouping.components[c].priority.value_or(0) == 0) all += 1;
        if (!sick) continue;
        affected += 1;
        count.affected.push_back(c);
      }
      if (all == 0 || affected / all <= count.share) continue;
      count.share = affected / all;
      count.unaffected = all - affected;
      count.of_kind = affected;
    }
    std::sort(count.affected.begin(), count.affected.end());
    return count;
  }

  [[nodiscard]] static bool may_blame(const Part& part, const Count& count) {
    if (part.kind.spec().reach <= 1) return count.share > 0.5;
    if (part.kind.spec().connects) return count.of_kind >= 2 && count.share >= 0.75;
    return (count.affected.size() >= 2 && count.share > 0.5) ||
           (count.affected.size() >= 5 && count.share > 0.25);
  }

  std::vector<Blamed> run() {
    std::vector<Blamed> found;
    for (;;) {
      std::optional<Part> best;
      for (const Part& part : all_parts()) {
        const Count one = count(part);
        if (one.affected.empty() || !may_blame(part, one)) continue;
        const auto worth = [&](const Part& blame, const Count& c) {
          return std::tuple(c.gain(), c.share, blame.kind.spec().reach);
        };
        if (!best || worth(part, one) > worth(*best, count(*best))) best = part;
      }
      if (!best) return found;
      Blamed& blamed = found.emplace_back(Blamed{*best, count(*best).affected, {}});
      for (const Part& part : all_parts()) {
        const Count one = count(part);
        if (part != *best && one.affected == blamed.subjects && may_blame(part, one))
          blamed.alternatives.push_back(part);
      }
      for (const std::size_t c : blamed.subjects) left.erase(c);
    }
  }
};

GroupingBuilder any_system() {
  GroupingBuilder build;
  const auto upto = [](std::size_t most) { return *rc::gen::inRange<std::size_t>(0, most + 1); };
  for (std::size_t a = 0, arrays = upto(2); a < arrays; ++a) {
    build.array("a" + std::to_string(a), 1 + upto(11), 1 + upto(3));
  }
  build.servers(upto(4), 1 + upto(3), upto(1) == 1);
  return build;
}

RC_GTEST_PROP(Part, IsWhatItsDefinitionSays, ()) {
  const GroupingBuilder system = any_system();
  const std::size_t n = system.get().components.size();
  RC_PRE(n > 0);
  std::vector<std::size_t> affected;
  const int percent = *rc::gen::element(5, 20, 50, 90);
  for (std::size_t c = 0; c < n; ++c) {
    if (*rc::gen::inRange(0, 100) < percent) affected.push_back(c);
  }
  const auto found = find_blame(system.get(), affected);
  const auto expected = Literal{system.get(), {affected.begin(), affected.end()}}.run();
  RC_ASSERT(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    RC_ASSERT(found[i].blame == expected[i].blame);
    RC_ASSERT(found[i].subjects == expected[i].subjects);
    RC_ASSERT(found[i].alternatives == expected[i].alternatives);
  }
}

TEST(Blame, NothingIsBlamedForNothing) { EXPECT_TRUE(find_blame(coupled().get(), {}).empty()); }

}  // namespace
}  // namespace laggard::explain
