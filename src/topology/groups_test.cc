#include "topology/groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "testing/property.h"
#include "testing/topology.h"
#include "topology/system_file.h"

namespace laggard::topology {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::gluster_inventory;
using testing_support::InventoryBuilder;

std::vector<std::string> members(const Grouping& grouping, const PeerGroup& group) {
  std::vector<std::string> names;
  for (const ComponentId id : group.members) names.push_back(grouping[id].name);
  return names;
}

std::vector<std::string> group_names(const Grouping& grouping) {
  std::vector<std::string> names;
  for (const PeerGroup& group : grouping.groups) names.push_back(group.name);
  return names;
}

TEST(Grouping, FindsServersClientsAndTheirPeers) {
  const Grouping grouping = *make_groups(gluster_inventory(), nullptr);
  EXPECT_EQ(grouping.servers.size(), 9U);
  EXPECT_THAT(grouping.clients, ElementsAre("c1", "c2", "c3", "c4"));
  EXPECT_THAT(group_names(grouping),
              ElementsAre("disks", "interfaces eth0", "tcp-from-servers", "tcp-from-clients"));
  EXPECT_THAT(members(grouping, grouping.groups[0]),
              ElementsAre("s1/loop21", "s2/loop22", "s3/loop23", "s4/loop24", "s5/loop25", "s6/loop26",
                          "s7/loop27", "s8/loop28", "s9/loop29"));
  EXPECT_EQ(grouping.groups[1].members.size(), 9U);
  EXPECT_EQ(members(grouping, grouping.groups[2]).front(), "s1/tcp-out");
  EXPECT_EQ(members(grouping, grouping.groups[3]).back(), "s9/tcp-in");
  for (const std::size_t tcp : {2U, 3U}) {
    for (const ComponentId id : grouping.groups[tcp].members) EXPECT_EQ(grouping[id].series.size(), 4U);
  }
  EXPECT_THAT(grouping.not_comparable, IsEmpty());
}

TEST(Grouping, ResolvesConnectionsThatAppearLater) {
  const Grouping grouping = *make_groups(gluster_inventory(), nullptr);
  const auto name = [&](const char* host, DeviceKind kind, const char* device) {
    const auto id = grouping.resolver.find(host, kind, device);
    return id ? grouping[*id].name : "";
  };
  EXPECT_EQ(name("c2", DeviceKind::kTcp, "10.77.0.102:50001>10.77.0.7:24007"), "s7/tcp-in");
  EXPECT_EQ(name("s7", DeviceKind::kTcp, "10.77.0.7:24007>10.77.0.102:50001"), "s7/tcp-out");
  EXPECT_EQ(name("s7", DeviceKind::kTcp, "10.77.0.7:24007>10.99.0.1:50001"), "s7/tcp-out");
  EXPECT_EQ(name("s7", DeviceKind::kTcp, "10.77.0.7:24007>10.77.0.3:50001"), "") << "between servers";
  EXPECT_EQ(name("s7", DeviceKind::kTcp, "127.0.0.1:1>127.0.0.1:2"), "");
  EXPECT_EQ(name("c2", DeviceKind::kTcp, "10.77.0.102:50001>10.77.0.101:22"), "") << "between clients";
  EXPECT_EQ(name("c2", DeviceKind::kTcp, "nonsense"), "");
  EXPECT_EQ(name("s3", DeviceKind::kDisk, "loop23"), "s3/loop23");
  EXPECT_EQ(name("s3", DeviceKind::kDisk, "loop24"), "");
  EXPECT_EQ(name("nobody", DeviceKind::kTcp, "10.77.0.7:24007>10.77.0.102:50001"), "");
}

TEST(Grouping, DisksOfOneHostArePeers) {
  InventoryBuilder build;
  for (int d = 1; d <= 12; ++d) build.disk("host_22", "disk" + std::to_string(d));
  const Grouping grouping = *make_groups(build.get(), nullptr);
  ASSERT_EQ(grouping.groups.size(), 1U);
  EXPECT_EQ(grouping.groups[0].name, "disks of host_22");
  EXPECT_EQ(members(grouping, grouping.groups[0])[1], "host_22/disk2") << "natural order";
  EXPECT_EQ(grouping.groups[0].members.size(), 12U);
}

Inventory jbods(int hosts, int disks) {
  InventoryBuilder build;
  for (int h = 1; h <= hosts; ++h) {
    for (int d = 0; d < disks; ++d) build.disk("h" + std::to_string(h), std::string("sd") + char('a' + d));
  }
  return build.get();
}

TEST(Grouping, HostsWithManyDisksCompareByRankUnlessToldOtherwise) {
  EXPECT_EQ(make_groups(jbods(3, 12), nullptr)->groups.size(), 12U);
  EXPECT_EQ(make_groups(jbods(3, 12), nullptr)->groups[0].name, "disks sda");
  EXPECT_THAT(group_names(*make_groups(jbods(3, 12), nullptr, {.peers = DiskPeers::kHost})),
              ElementsAre("disks of h1", "disks of h2", "disks of h3"));
  const Grouping all = *make_groups(jbods(3, 12), nullptr, {.peers = DiskPeers::kAll});
  EXPECT_THAT(group_names(all), ElementsAre("disks of all servers"));
  EXPECT_EQ(all.groups[0].members.size(), 36U);
}

TEST(Grouping, TwoHostsWithManyDisksCompareWithinTheHost) {
  EXPECT_THAT(group_names(*make_groups(jbods(2, 3), nullptr)), ElementsAre("disks of h1", "disks of h2"));
  const Grouping too_few = *make_groups(jbods(2, 2), nullptr);
  EXPECT_THAT(too_few.groups, IsEmpty());
  ASSERT_EQ(too_few.not_comparable.size(), 2U);
  EXPECT_THAT(too_few.not_comparable[0], HasSubstr("disks sda: only 2 members (h[1-2]/sda)"));
}

TEST(Grouping, RanksAboveTheSmallestCountFormSmallerGroups) {
  InventoryBuilder build;
  for (const char* host : {"a", "b", "c", "d"}) build.disk(host, std::string("x") + host + "1");
  for (const char* host : {"a", "b", "c"}) build.disk(host, std::string("x") + host + "2");
  build.disk("a", "xa3");
  const Grouping grouping = *make_groups(build.get(), nullptr);
  EXPECT_THAT(group_names(grouping), ElementsAre("disks, rank 1", "disks, rank 2"));
  EXPECT_EQ(grouping.groups[0].members.size(), 4U);
  EXPECT_EQ(grouping.groups[1].members.size(), 3U);
  ASSERT_EQ(grouping.not_comparable.size(), 1U);
  EXPECT_THAT(grouping.not_comparable[0], HasSubstr("a/xa3"));
}

TEST(Grouping, AnOddSystemDiskDoesNotShiftTheRanks) {
  InventoryBuilder build;
  build.disk("a", "sda");
  for (const char* host : {"a", "b", "c"}) build.disk(host, "sdb");
  const Grouping grouping = *make_groups(build.get(), nullptr);
  EXPECT_THAT(group_names(grouping), ElementsAre("disks sdb"));
  ASSERT_EQ(grouping.not_comparable.size(), 1U);
  EXPECT_THAT(grouping.not_comparable[0], HasSubstr("a/sda"));
}

TEST(Grouping, AnIdleDiskAmongBusyNamesakesIsASymptomAndStays) {
  InventoryBuilder build;
  for (const char* host : {"a", "b", "c", "d"})
    build.disk(host, "sdb").disk(host, "sdc", host[0] == 'd' ? 0 : 90);
  const Grouping grouping = *make_groups(build.get(), nullptr);
  ASSERT_EQ(grouping.groups.size(), 2U);
  EXPECT_EQ(grouping.groups[1].members.size(), 4U);
}

TEST(Grouping, LeavesOutWhatIsBelowAnotherDevice) {
  InventoryBuilder build;
  for (const char* host : {"a", "b", "c"}) {
    build.disk(host, "dm-0", 100, {{"paths", "sdb sdc"}})
        .disk(host, "sdb", 100, {{"top", "dm-0"}})
        .disk(host, "sdc", 100, {{"top", "dm-0"}})
        .disk(host, "nvme0n1")
        .disk(host, "nvme0n1p1")
        .disk(host, "sdd", 100, {{"top", "md7"}});  // md7 was not recorded: sdd is all there is.
  }
  const Grouping grouping = *make_groups(build.get(), nullptr);
  EXPECT_THAT(group_names(grouping), ElementsAre("disks dm-0", "disks nvme0n1", "disks sdd"));
}

TEST(Grouping, IdleEverywhereIsLeftOutQuietly) {
  InventoryBuilder build;
  for (const char* host : {"a", "b", "c"})
    build.disk(host, "sda", 100).disk(host, "sdb", 4).net(host, "eth1", 0);
  const Grouping grouping = *make_groups(build.get(), nullptr);
  EXPECT_THAT(group_names(grouping), ElementsAre("disks sda"));
  EXPECT_THAT(grouping.not_comparable, IsEmpty());
}

TEST(Grouping, WithoutLoadOnAnyDiskTheNetworkIsStillCompared) {
  InventoryBuilder build;
  for (const char* host : {"a", "b", "c"}) build.disk(host, "sda", 1).net(host, "eth0");
  const Grouping grouping = *make_groups(build.get(), nullptr);
  EXPECT_THAT(group_names(grouping), ElementsAre("interfaces eth0"));
  ASSERT_EQ(grouping.not_comparable.size(), 1U);
  EXPECT_THAT(grouping.not_comparable[0], HasSubstr("none of 3 storage devices on 3 hosts was under load"));
}

TEST(Grouping, ServersWithoutClientsAreEachOthersClients) {
  InventoryBuilder build;
  for (int h = 1; h <= 3; ++h) {
    const std::string name = "n" + std::to_string(h);
    build.disk(name, "sda");
    for (int other = 1; other <= 3; ++other) {
      if (other != h)
        build.tcp(name, "10.0.0." + std::to_string(h) + ":1>10.0.0." + std::to_string(other) + ":2");
    }
  }
  const Grouping grouping = *make_groups(build.get(), nullptr);
  ASSERT_EQ(grouping.groups.size(), 2U);
  EXPECT_EQ(grouping.groups[1].kind, GroupKind::kTcpFromServers);
  EXPECT_EQ(grouping[grouping.groups[1].members[0]].series.size(), 2U);
}

TEST(Grouping, AServerWithoutConnectionsIsNamed) {
  InventoryBuilder build;
  for (int h = 1; h <= 4; ++h) {
    const std::string n = std::to_string(h);
    build.disk("s" + n, "sda");
    if (h < 4) build.tcp("s" + n, "10.0.0." + n + ":7>10.0.9.9:5");
  }
  const Grouping grouping = *make_groups(build.get(), nullptr);
  ASSERT_EQ(grouping.groups.size(), 2U);
  EXPECT_THAT(grouping.not_comparable,
              ElementsAre("tcp-from-servers: no such connection of s4 was recorded"));
}

TEST(Grouping, AddressesComeFromRecordersFactsToo) {
  InventoryBuilder build;
  for (int h = 1; h <= 3; ++h) {
    const std::string n = std::to_string(h);
    build.disk("s" + n, "sda").net("s" + n, "ib0", 100, {{"address", "10.0.0." + n + "/24, fd00::" + n}});
  }
  for (const char* target : {"10.0.0.1", "[fd00:0::2]", "[::ffff:10.0.0.3]"}) {
    build.tcp("c1", std::string("10.0.0.9:55>") + target + ":80");
  }
  const Grouping grouping = *make_groups(build.get(), nullptr);
  ASSERT_EQ(grouping.groups.back().kind, GroupKind::kTcpFromClients);
  EXPECT_EQ(grouping.groups.back().members.size(), 3U);
}

TEST(Grouping, AnAddressOfTwoHostsIsNobodys) {
  InventoryBuilder build;
  for (const char* host : {"a", "b", "c"})
    build.disk(host, "sda").net(host, "docker0", 100, {{"address", "172.17.0.1"}});
  const Grouping grouping = *make_groups(build.get(), nullptr);
  ASSERT_EQ(grouping.notes.size(), 1U);
  EXPECT_THAT(grouping.notes[0], HasSubstr("172.17.0.1"));
}

TEST(Grouping, AnEmptyRecordingIsRefused) { EXPECT_FALSE(make_groups({}, nullptr).has_value()); }

TEST(Grouping, EveryLoadedDiskIsInExactlyOneGroupOrNamed) {
  expect_property("no loaded disk is dropped silently", [] {
    const auto disks = *rc::gen::container<std::set<std::pair<int, int>>>(
        rc::gen::pair(rc::gen::inRange(0, 6), rc::gen::inRange(0, 6)));
    RC_PRE(!disks.empty());
    InventoryBuilder build;
    for (const auto& [host, disk] : disks)
      build.disk("h" + std::to_string(host), std::string("sd") + char('a' + disk));
    const auto mode =
        *rc::gen::element(DiskPeers::kAuto, DiskPeers::kRank, DiskPeers::kHost, DiskPeers::kAll);
    const Grouping grouping = *make_groups(build.get(), nullptr, {.peers = mode});
    std::multiset<std::string> grouped;
    for (const PeerGroup& group : grouping.groups) {
      RC_ASSERT(group.members.size() >= 3U);
      for (const ComponentId id : group.members) grouped.insert(grouping[id].name);
    }
    std::size_t unnamed = 0;
    for (const auto& [host, disk] : disks) {
      const std::string name = "h" + std::to_string(host) + "/sd" + char('a' + disk);
      RC_ASSERT(grouped.count(name) <= 1U);
      unnamed += 1 - grouped.count(name);
    }
    RC_ASSERT((unnamed == 0) == grouping.not_comparable.empty());
  });
}

/// Four servers with two disks each, and an OST on them.
Inventory with_osts(bool disks) {
  InventoryBuilder build;
  for (int s = 1; s <= 4; ++s) {
    const std::string host = "oss" + std::to_string(s);
    if (disks) build.disk(host, "sda").disk(host, "sdb");
    build.disk(host, "l-OST000" + std::to_string(s), 100, {{"view", "lustre"}});
  }
  return build.get();
}

TEST(Grouping, ViewsOfFileSystemsAreNoPeersOfTheirDisks) {
  const Grouping both = *make_groups(with_osts(true), nullptr);
  for (const Component& component : both.components)
    EXPECT_EQ(component.device.find("OST"), std::string::npos) << component.name;
  EXPECT_THAT(both.notes,
              ElementsAre(testing::HasSubstr("4 targets of Lustre or ZFS stand beside the disks")));
  const Grouping alone = *make_groups(with_osts(false), nullptr);
  ASSERT_EQ(alone.groups.size(), 1U);
  EXPECT_EQ(alone.groups.front().members.size(), 4U);
  EXPECT_TRUE(alone.notes.empty());
}

TEST(Grouping, MdtsAreComparedAmongThemselves) {
  for (const int mdts : {2, 3}) {
    InventoryBuilder build;
    for (int s = 1; s <= 4; ++s) {
      const std::string number = std::to_string(s);
      build.disk("oss" + number, "l-OST000" + number, 100, {{"view", "lustre"}});
      if (s <= mdts) build.disk("mds" + number, "l-MDT000" + number, 100, {{"view", "mdt"}});
    }
    const Grouping grouping = *make_groups(build.get(), nullptr);
    ASSERT_EQ(grouping.groups.size(), mdts == 3 ? 2U : 1U);
    for (const PeerGroup& group : grouping.groups) {
      const bool metadata = group.name.starts_with("MDT");
      EXPECT_EQ(group.members.size(), metadata ? 3U : 4U) << group.name;
      for (const ComponentId id : group.members)
        EXPECT_EQ(grouping[id].device.find("MDT") != std::string::npos, metadata);
    }
    EXPECT_EQ(grouping.not_comparable.size(), mdts == 3 ? 0U : 1U);
  }
}

/// Four servers and a client as machines; a daemon that all servers have, and one that two have.
Inventory machines() {
  InventoryBuilder build;
  for (const char* host : {"s1", "s2", "s3", "s4", "c1"}) {
    build.add(host, DeviceKind::kHost, std::string(kHostDevice));
    if (host[0] == 's') build.disk(host, "sda");
    build.add(host, DeviceKind::kDaemon, "glusterfsd");
  }
  for (const char* host : {"s1", "s2"}) build.add(host, DeviceKind::kDaemon, "ceph-mds");
  return build.get();
}

TEST(Grouping, ServersAreComparedAsMachinesAndTheirDaemonsByName) {
  const auto model = *parse_system("[[servers]]\nname='s[1-4]'\n", "system.toml");
  for (const SystemModel* known : {static_cast<const SystemModel*>(nullptr), &model}) {
    const Grouping grouping = *make_groups(machines(), known);
    EXPECT_THAT(group_names(grouping), ElementsAre("disks sda", "hosts", "daemons glusterfsd"));
    EXPECT_THAT(members(grouping, grouping.groups[1]),
                ElementsAre("s1/host", "s2/host", "s3/host", "s4/host"))
        << "clients differ as much as their users' work";
    EXPECT_EQ(grouping.groups[2].members.size(), 4U);
    EXPECT_THAT(grouping.not_comparable, ElementsAre(HasSubstr("daemons ceph-mds: only 2 members")));
    const ComponentId daemon = grouping.groups[2].members[2];
    EXPECT_EQ(grouping.parts[grouping[daemon].part], (Part{PartKind::kServer, "s3"}))
        << "what is wrong with its daemon is wrong with the server";
    EXPECT_EQ(grouping.resolver.find("s3", DeviceKind::kDaemon, "glusterfsd"), daemon);
  }
}

TEST(Grouping, ASystemFileMakesComponentsOfViews) {
  const SystemModel model =
      *parse_system("[[servers]]\nname='oss[1-4]'\ndevice='l-OST000[1-4]'\n", "system.toml");
  const Grouping grouping = *make_groups(with_osts(true), &model);
  ASSERT_EQ(grouping.groups.size(), 1U);
  EXPECT_EQ(grouping.components.front().name, "oss1/l-OST0001");
  EXPECT_EQ(grouping.components.front().series.size(), 1U);
}

}  // namespace
}  // namespace laggard::topology
