#include "topology/system_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <map>

#include "base/file.h"
#include "testing/topology.h"
#include "topology/groups.h"

namespace laggard::topology {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::gluster_inventory;
using testing_support::InventoryBuilder;

constexpr std::string_view kIntrepid = R"(
name = "Intrepid"
[[servers]]
name        = "fs[1-128]"
address     = "10.1.0.[1-128]"
[[arrays]]
name        = "ddn[6-21]"
controllers = "{array}a,{array}b"
servers     = "fs[1-128] by 8"
[[luns]]
array       = "ddn[6-21]"
name        = "{array}_lun[000-047]"
set         = "old"
order       = "rotate"
device      = "{lun}"
attachment  = "{array#}.{lun#2}.{server#}"
[[luns]]
array       = "ddn[6-21]"
name        = "{array}_lun[048-071]"
set         = "new"
order       = "rotate"
device      = "{lun}"
attachment  = "{array#}.{lun#2}.{server#}"
[[drawers]]
array       = "ddn[6-21]"
name        = "{array}-G"
luns        = "{array}_lun[000-059]"
)";

SystemModel parsed(std::string_view text) {
  auto model = parse_system(text, "system.toml");
  EXPECT_TRUE(model.has_value()) << model.error().message();
  return model ? *model : SystemModel{};
}

Attachment attachment(const Topology& topology, std::string_view name) {
  for (const Attachment& candidate : topology.attachments) {
    if (candidate.name == name) return candidate;
  }
  ADD_FAILURE() << "no attachment " << name;
  return {};
}

Inventory intrepid_inventory() {
  InventoryBuilder build;
  for (int server = 1; server <= 128; ++server) {
    const int array = 6 + (server - 1) / 8;
    for (int lun = 0; lun < 72; ++lun) {
      build.disk("fs" + std::to_string(server),
                 "ddn" + std::to_string(array) + (lun < 10 ? "_lun00" : "_lun0") + std::to_string(lun),
                 lun % 8 == (server - 1) % 8 ? 100 : 0);
    }
  }
  return build.get();
}

/// The component's part and all parts that it runs through, nearest first.
std::vector<Part> parts_of(const Grouping& grouping, const Component& component) {
  std::vector<Part> parts;
  for (const PartId id : grouping.parts.needs(component.part)) parts.push_back(grouping.parts[id]);
  return parts;
}

TEST(SystemFile, Intrepid) {
  const SystemModel model = parsed(kIntrepid);
  const Topology& topology = model.topology;
  EXPECT_EQ(topology.luns.size(), 1152U);
  EXPECT_EQ(topology.attachments.size(), 9216U);
  EXPECT_EQ(topology.controllers.size(), 32U);
  // T: ddn12 and fs49; fs9 takes over from fs16, fs26 from fs25 (Table 5.3).
  const Attachment primary = attachment(topology, "12.48.49");
  EXPECT_EQ(primary.priority, 0U);
  EXPECT_EQ(topology.controllers[primary.controller->index()].name, "ddn12a");
  EXPECT_EQ(primary.device, "ddn12_lun048");
  EXPECT_EQ(attachment(topology, "7.07.16").priority, 0U);
  EXPECT_EQ(attachment(topology, "7.07.9").priority, 1U);
  EXPECT_EQ(attachment(topology, "9.08.25").priority, 0U);
  EXPECT_EQ(attachment(topology, "9.08.26").priority, 1U);
  EXPECT_EQ(attachment(topology, "9.08.25").lun, attachment(topology, "9.08.26").lun);
}

TEST(SystemFile, IntrepidHasSixteenPeerGroups) {
  const SystemModel model = parsed(kIntrepid);
  const Grouping grouping = *make_groups(intrepid_inventory(), &model);
  ASSERT_EQ(grouping.groups.size(), 16U);
  std::map<std::size_t, int> sizes;
  for (const PeerGroup& group : grouping.groups) ++sizes[group.members.size()];
  EXPECT_THAT(sizes, ElementsAre(std::pair(384U, 8), std::pair(768U, 8)));
  EXPECT_EQ(grouping.groups[0].name, "new LUNs, priority 1");
  const auto id = grouping.resolver.find("fs1", DeviceKind::kDisk, "ddn6_lun000");
  ASSERT_TRUE(id);
  const Component& component = grouping[*id];
  EXPECT_EQ(component.name, "6.00.1");
  EXPECT_THAT(parts_of(grouping, component),
              ElementsAre(Part{PartKind::kAttachment, "6.00.1"}, Part{PartKind::kLun, "ddn6_lun000"},
                          Part{PartKind::kServer, "fs1"}, Part{PartKind::kController, "ddn6a"},
                          Part{PartKind::kDrawer, "ddn6-G"}, Part{PartKind::kArray, "ddn6"}));
  const PartId controller = *grouping.parts.find(PartKind::kController, "ddn6a");
  const PartId twin = *grouping.parts.find(PartKind::kController, "ddn6b");
  EXPECT_THAT(grouping.parts.edges_of(controller), Contains(PartGraph::Edge{EdgeKind::kPairsWith, twin}));
}

TEST(SystemFile, SimpleServersGiveTheGroupsOfNoFile) {
  const SystemModel model = parsed(R"(
[[servers]]
name    = "s[1-9]"
device  = "loop2[1-9]"
address = "10.77.0.[1-9]"
[[clients]]
name    = "c[1-4]"
)");
  const Grouping with = *make_groups(gluster_inventory(), &model);
  const Grouping without = *make_groups(gluster_inventory(), nullptr);
  ASSERT_EQ(with.groups.size(), without.groups.size());
  for (std::size_t g = 0; g < with.groups.size(); ++g) {
    EXPECT_EQ(with.groups[g].name, without.groups[g].name);
    ASSERT_EQ(with.groups[g].members.size(), without.groups[g].members.size());
    for (std::size_t m = 0; m < with.groups[g].members.size(); ++m) {
      const Component& a = with[with.groups[g].members[m]];
      const Component& b = without[without.groups[g].members[m]];
      EXPECT_EQ(a.name, b.name);
      EXPECT_EQ(a.series, b.series);
    }
  }
  EXPECT_THAT(with.not_comparable, IsEmpty());
}

TEST(SystemFile, DeviceFormsMeanTheSame) {
  for (const char* devices :
       {"device = \"loop2[1-3]\"", "device = \"loop2{server#}\"", "devices = \"loop2[1-3] by 1\"",
        "devices = { s1 = \"loop21\", \"s[2-3]\" = \"loop2{server#}\" }",
        "devices = \"loop{server#2},loop2{server#}\""}) {
    const SystemModel model = parsed(fmt::format("[servers]\nname = \"s[1-3]\"\n{}\n", devices));
    ASSERT_FALSE(model.topology.disks.empty()) << devices;
    EXPECT_EQ(model.topology.disks.back().device, "loop23") << devices;
    EXPECT_EQ(model.topology.hosts[model.topology.disks.back().host.index()].name, "s3");
  }
}

TEST(SystemFile, AMissingDeviceOfARecordedServerStaysAMember) {
  InventoryBuilder build;
  for (const char* host : {"a", "b", "c"}) build.disk(host, "sda");
  build.disk("d", "sdz", 0);
  const SystemModel model = parsed("[[servers]]\nname = \"a,b,c,d,e\"\ndevice = \"sda\"\n");
  const Grouping grouping = *make_groups(build.get(), &model);
  ASSERT_EQ(grouping.groups.size(), 1U);
  EXPECT_EQ(grouping.groups[0].members.size(), 4U);
  EXPECT_THAT(grouping[grouping.groups[0].members[3]].series, IsEmpty());
  EXPECT_TRUE(grouping.resolver.find("d", DeviceKind::kDisk, "sda")) << "it may appear later";
  ASSERT_EQ(grouping.not_comparable.size(), 1U);
  EXPECT_THAT(grouping.not_comparable[0], HasSubstr("1 server of system.toml (e) is not in the recording"));
}

TEST(SystemFile, DevicesAreFoundByTheirOtherNames) {
  InventoryBuilder build;
  for (int h = 1; h <= 3; ++h) {
    const std::string n = std::to_string(h);
    build.disk("h" + n, "dm-" + n, 100, {{"by-id", "dm-name-lun" + n + " wwn-0x" + n}, {"rotational", "1"}});
  }
  const SystemModel model = parsed("[[servers]]\nname = \"h[1-3]\"\ndevice = \"wwn-0x[1-3]\"\n");
  const Grouping grouping = *make_groups(build.get(), &model);
  ASSERT_EQ(grouping.groups.size(), 1U);
  EXPECT_EQ(grouping[grouping.groups[0].members[0]].name, "h1/wwn-0x1");
  EXPECT_EQ(grouping[grouping.groups[0].members[0]].device, "dm-1");
  EXPECT_EQ(grouping[grouping.groups[0].members[0]].rotational, true);
}

TEST(SystemFile, DoublePeerGroups) {
  // Surveyor (T §6.2.3): four servers, four LUNs a set, each LUN on every server.
  const SystemModel model = parsed(R"(
[[servers]]
name = "fs[1-4]"
[[luns]]
name = "a[0-3]"
servers = "fs[1-4]"
order = "rotate"
device = "sd[1-4]"
double_peers = true
)");
  InventoryBuilder build;
  for (int s = 1; s <= 4; ++s) {
    for (int d = 1; d <= 4; ++d) build.disk("fs" + std::to_string(s), "sd" + std::to_string(d));
  }
  const Grouping grouping = *make_groups(build.get(), &model);
  ASSERT_EQ(grouping.groups.size(), 8U);
  const PeerGroup& primaries = grouping.groups[0];
  EXPECT_FALSE(primaries.second_only);
  ASSERT_EQ(primaries.double_with.size(), 4U);
  for (std::size_t m = 0; m < 4; ++m) {
    const PeerGroup& second = grouping[*primaries.double_with[m]];
    EXPECT_TRUE(second.second_only);
    EXPECT_EQ(second.name, "LUNs of " + grouping[primaries.members[m]].host);
    EXPECT_TRUE(std::count(second.members.begin(), second.members.end(), primaries.members[m]));
  }
}

TEST(SystemFile, NamedGroupsTakeTheirMembers) {
  const SystemModel model = parsed(R"(
[[servers]]
name = "h[1-6]"
device = "sda"
[[peer_groups]]
name = "odd ones"
members = "h[1,3,5]/sda"
)");
  InventoryBuilder build;
  for (int h = 1; h <= 6; ++h) build.disk("h" + std::to_string(h), "sda");
  const Grouping grouping = *make_groups(build.get(), &model);
  ASSERT_EQ(grouping.groups.size(), 2U);
  EXPECT_EQ(grouping.groups[0].name, "odd ones");
  EXPECT_EQ(grouping.groups[0].members.size(), 3U);
  EXPECT_EQ(grouping.groups[1].members.size(), 3U);
}

TEST(SystemFile, SetsAndMetadataServersAreNoPeersOfTheOthers) {
  const SystemModel model = parsed(R"(
[[servers]]
name = "old[1-3]"
set = "old"
[[servers]]
name = "new[1-3]"
set = "new"
[[servers]]
name = "mds[1-3]"
role = "metadata"
)");
  InventoryBuilder build;
  for (const char* name : {"old", "new", "mds"}) {
    for (int h = 1; h <= 3; ++h)
      build.disk(name + std::to_string(h), "sda").net(name + std::to_string(h), "eth0");
  }
  const Grouping grouping = *make_groups(build.get(), &model);
  std::vector<std::string> names;
  for (const PeerGroup& group : grouping.groups) names.push_back(group.name);
  EXPECT_THAT(names, ElementsAre("metadata disks sda", "new disks sda", "old disks sda",
                                 "metadata interfaces eth0", "new interfaces eth0", "old interfaces eth0"));
  EXPECT_EQ(parts_of(grouping, grouping.components[0]).back().kind, PartKind::kMetadataServer);
}

/// An array of two LUNs, the first of which is the second controller's; what follows is of the array, too.
const std::string kTwoOwners = R"(
[[servers]]
name = "fs[1-4]"
[[luns]]
array = "ddn1"
name = "lun[0-1]"
device = "{lun}"
owner = "{array}b,{array}a"
[[arrays]]
name = "ddn1"
servers = "fs[1-4]"
controllers = "{array}a,{array}b"
)";

TEST(SystemFile, WithoutCacheCoherenceOnlyTheOwnerServes) {
  const SystemModel model = parsed(kTwoOwners + "cache_coherent = false\n");
  const Topology& topology = model.topology;
  ASSERT_EQ(topology.attachments.size(), 4U);
  EXPECT_EQ(topology.attachments[0].name, "ddn1.lun0.fs3");
  EXPECT_EQ(topology.attachments[0].priority, 0U);
  EXPECT_EQ(topology.attachments[2].name, "ddn1.lun1.fs1");
}

TEST(SystemFile, ALunKnowsTheControllerThatOwnsItWhicheverWayItIsReached) {
  const SystemModel model = parsed(kTwoOwners);
  InventoryBuilder build;
  for (const char* server : {"fs1", "fs2", "fs3", "fs4"}) {
    for (const char* lun : {"lun0", "lun1"}) build.disk(server, lun, 1);
  }
  const Grouping grouping = *make_groups(build.get(), &model);
  ASSERT_EQ(grouping.components.size(), 8U);
  for (const Component& component : grouping.components) {
    const Part* owner = grouping.owner_of(component);
    ASSERT_NE(owner, nullptr) << component.name;
    EXPECT_EQ(owner->name, component.device == "lun0" ? "ddn1b" : "ddn1a") << component.name;
    const bool first_half = component.host == "fs1" || component.host == "fs2";
    EXPECT_EQ(grouping.part_of(component, PartKind::kController)->name, first_half ? "ddn1a" : "ddn1b")
        << "it runs through the one that its server is cabled to";
  }
}

TEST(SystemFile, OrdersByPosition) {
  const SystemModel model = parsed(R"(
[servers]
name = "fs[1-4]"
[luns]
name = "lun[0-2]"
servers = "fs[1-4]"
order = ["1-2", "3-4,1"]
device = { fs1 = "sda,sdb,sdc", "fs[2-4]" = "{lun}" }
)");
  const Topology& topology = model.topology;
  ASSERT_EQ(topology.attachments.size(), 7U);
  EXPECT_EQ(topology.attachments[2].name, "lun1.fs3");
  EXPECT_EQ(topology.attachments[4].name, "lun1.fs1");
  EXPECT_EQ(topology.attachments[4].priority, 2U);
  EXPECT_EQ(topology.attachments[4].device, "sdb");
  EXPECT_EQ(topology.attachments[5].device, "sdc");
}

TEST(SystemFile, WithClientAddressesUnknownOnesDoNotCount) {
  InventoryBuilder build;
  for (int s = 1; s <= 3; ++s) {
    const std::string n = std::to_string(s);
    build.disk("s" + n, "sda")
        .tcp("s" + n, "10.0.0." + n + ":7>10.0.9.9:5")
        .tcp("s" + n, "10.0.0." + n + ":7>8.8.8.8:53");
  }
  const SystemModel model =
      parsed("[[servers]]\nname=\"s[1-3]\"\n[[clients]]\nname=\"c1\"\naddress=\"10.0.9.9\"\n");
  const Grouping grouping = *make_groups(build.get(), &model);
  ASSERT_EQ(grouping.groups.size(), 2U);
  for (const ComponentId id : grouping.groups[1].members) EXPECT_EQ(grouping[id].series.size(), 1U);
}

TEST(SystemFile, ForeignRecordingsAreRefused) {
  const SystemModel model = parsed("[[servers]]\nname=\"x[1-3]\"\n");
  const auto grouping = make_groups(gluster_inventory(), &model);
  ASSERT_FALSE(grouping.has_value());
  EXPECT_EQ(grouping.error().message(),
            "system.toml: names none of the recorded hosts, which are c[1-4],s[1-9]");
}

struct Mistaken {
  std::string_view text;
  std::string_view message;
};

class SystemMistakes : public testing::TestWithParam<Mistaken> {};

TEST_P(SystemMistakes, AreNamedWithTheirLine) {
  const SystemReading reading = read_system(GetParam().text, "f");
  ASSERT_EQ(reading.mistakes.size(), 1U) << reading.mistakes.back().message();
  EXPECT_THAT(reading.mistakes[0].message(), HasSubstr(std::string(GetParam().message)));
}

INSTANTIATE_TEST_SUITE_P(
    Each, SystemMistakes,
    testing::Values(
        Mistaken{"", "f: names no servers"}, Mistaken{"[[servers]]\nname = \"a\"\n[[servers]", "f:3: "},
        Mistaken{"[[servers]]\nname = \"a\"\ndevcie = \"sda\"",
                 "f:3: [[servers]] has no key 'devcie'; did you mean 'device'?"},
        Mistaken{"servres = 1\n[[servers]]\nname = \"a\"",
                 "f:1: the file has no key 'servres'; did you mean 'servers'?"},
        Mistaken{"[[servers]]\nname = \"fs[1-\"", "f:2: node set 'fs[1-': a '[' is not closed"},
        Mistaken{"[[servers]]\nname = \"fs[3-1]\"",
                 "f:2: node set 'fs[3-1]': the range '3-1' runs backwards"},
        Mistaken{"[[servers]]\ndevice = \"sda\"", "f:1: [[servers]] needs a 'name'"},
        Mistaken{"[[servers]]\nname = 7", "f:2: [[servers]]: 'name' must be a text in quotes"},
        Mistaken{"[[servers]]\nname = \"\"", "f:2: [[servers]]: 'name' is empty"},
        Mistaken{"servers = 7", "f:1: 'servers' must be written as tables: [[servers]]"},
        Mistaken{"servers = [7]", "f:1: 'servers' must be written as tables: [[servers]]"},
        Mistaken{"[[servers]]\nname = \"a\"\n[[clients]]\nname = \"a\"",
                 "f:4: host 'a' is named in line 2 already"},
        Mistaken{"[[servers]]\nname = \"a,a\"", "f:2: host 'a' comes twice"},
        Mistaken{"[[servers]]\nname = \"a[1-9]\"\ndevice = \"sd[1-8]\"",
                 "f:3: 'sd[1-8]' has 8 names, but 1 or 9 are needed, one for each server"},
        Mistaken{"[[servers]]\nname = \"a[1-9]\"\ndevices = \"sd[1-8] by 1\"",
                 "f:3: 'sd[1-8]' has 8 names, but 9 times 1 are needed"},
        Mistaken{"[[servers]]\nname = \"a\"\ndevice = \"{lun}\"",
                 "f:3: there is no {lun} here, only {server}"},
        Mistaken{"[[servers]]\nname = \"{array}\"", "f:2: there is nothing to put for {array} here"},
        Mistaken{"[[servers]]\nname = \"a[1-4] by 2\"", "f:2: the name 'a1 by 2' holds a blank"},
        Mistaken{"[[servers]]\nname = \"a\"\ndevice = \"sd{server#}\"", "f:3: 'a' has no number for '#'"},
        Mistaken{"[[servers]]\nname = \"a\"\ndevice = \"sd{server\"", "is not closed"},
        Mistaken{"[[servers]]\nname = \"a\"\ndevice = \"sda\"\ndevices = \"sdb\"",
                 "f:1: [[servers]] takes 'device'"},
        Mistaken{"[[servers]]\nname = \"a\"\ndevices = \"sda,sdb,sda\"", "f:3: device 'a/sda' comes twice"},
        Mistaken{"[[servers]]\nname = \"a\"\ndevices = { b = \"sda\" }",
                 "f:3: 'devices' names 'b', which is no server of this entry"},
        Mistaken{"[[servers]]\nname = \"a[1-2]\"\naddress = \"10.0.0.1\"",
                 "f:3: address '10.0.0.1' comes twice"},
        Mistaken{"[[servers]]\nname = \"a[1-2]\"\naddress = \"10.0.0.[1-2]\"\n[[clients]]\nname = "
                 "\"c\"\naddress = \"10.0.0.2\"",
                 "f:6: address '10.0.0.2' is named in line 3 already"},
        Mistaken{"[[servers]]\nname = \"a\"\naddress = \"10.0.0.300\"", "f:3: '10.0.0.300' is no IP address"},
        Mistaken{"[[servers]]\nname = \"a\"\nrole = \"boss\"",
                 "f:3: [[servers]]: 'role' is 'boss', but must be one of data, metadata"},
        Mistaken{"[[servers]]\nname = \"a\"\n[[luns]]\nname = \"l\"\nservers = \"b\"\ndevice = \"d\"",
                 "f:5: no [[servers]] entry names b"},
        Mistaken{"[[servers]]\nname = \"fs[1-9]\"\n[[luns]]\nname = \"l\"\nservers = \"sf1\"\ndevice = \"d\"",
                 "f:5: no [[servers]] entry names sf1; did you mean"},
        Mistaken{"[[servers]]\nname = \"a\"\n[[luns]]\nname = \"l\"\nservers = \"a\"",
                 "f:3: [[luns]] needs a 'device'"},
        Mistaken{"[[servers]]\nname = \"a\"\n[[luns]]\nname = \"l\"\ndevice = \"d\"",
                 "f:3: [[luns]] needs 'servers'"},
        Mistaken{"[[servers]]\nname = \"a\"\n[[luns]]\nname = \"l\"\narray = \"x\"\ndevice = \"d\"",
                 "f:5: no [[arrays]] entry names 'x'"},
        Mistaken{"[[servers]]\nname = \"a\"\n[[luns]]\nname = \"l[1-2]\"\nservers = \"a\"\ndevice = \"d\"",
                 "f:6: device 'a/d' comes twice"},
        Mistaken{
            "[[servers]]\nname = \"a\"\n[[luns]]\nname = \"l[1-3]\"\nservers = \"a\"\ndevice = \"d[1-2]\"",
            "f:6: 'd[1-2]' has 2 names, but 1 or 3 are needed, one for each LUN"},
        Mistaken{"[[servers]]\nname = \"a\"\n[[luns]]\nname = \"l[1-2]\"\nservers = \"a\"\ndevice = "
                 "\"{lun}\"\nattachment = \"x\"",
                 "f:7: attachment 'x' comes twice"},
        Mistaken{"[[servers]]\nname = \"a\"\n[[luns]]\nname = \"l\"\nservers = \"a\"\ndevice = \"d\"\norder "
                 "= [\"2\"]",
                 "f:7: '2' must be positions such as 1-4,7: 2 is not among the 1 servers"},
        Mistaken{"[[servers]]\nname = \"a[1-3]\"\n[[arrays]]\nname = \"x\"\nservers = "
                 "\"a[1-3]\"\ncontrollers = \"x[1-2]\"",
                 "f:3: 3 servers of 'x' do not divide among 2 controllers"},
        Mistaken{"[[servers]]\nname = \"a[1-3]\"\n[[networks]]\nname = \"n\"\ninterface = \"eth[0-1]\"",
                 "f:5: 'eth[0-1]' has 2 names, but 1 or 3 are needed, one for each host"},
        Mistaken{"[[servers]]\nname = \"a[1-3]\"\n[[networks]]\nname = \"n\"",
                 "f:3: [[networks]] needs an 'interface'"},
        Mistaken{"[[servers]]\nname = \"a[1-4]\"\n[[peer_groups]]\nname = \"p\"\nmembers = "
                 "\"a[1-3]/x\"\n[[peer_groups]]\nname = \"q\"\nmembers = \"a[3-4]/x\"",
                 "f:8: peer group member 'a3/x' is named in line 5 already"},
        Mistaken{"[[servers]]\nname = \"a[1-4]\"\n[[peer_groups]]\nname = \"p\"\nmembers = \"a[1-2]/x\"",
                 "f:4: peer group 'p' has 2 members, but at least 3 are needed"},
        Mistaken{"[[servers]]\nname = \"a[1-4]\"\n[[peer_groups]]\nname = \"p\"\nmembers = \"b[1-3]/x\"",
                 "f:5: 'b1/x' is on no host of this file"},
        Mistaken{"[[servers]]\nname = \"a[1-4]\"\n[[peer_groups]]\nname = \"p\"\nmembers = \"a1\"",
                 "f:5: 'a1' is no attachment"},
        Mistaken{"[[servers]]\nname = \"a[1-9999999]\"",
                 "f:2: node set 'a[1-9999999]': that is more than 2000000 names"}));

TEST(SystemFile, ExpectedWork) {
  const SystemModel model = parsed(std::string(kIntrepid) + R"(
[[expected_work]]
what   = "patrol read"
where  = "ddn[6-7]"
days   = ["sat", "sun"]
start  = "02:30"
length = "4h"
[[expected_work]]
what   = "rebuild"
where  = ["12.48.49", "fs1/sda"]
from   = "2011-05-09T08:00:00Z"
to     = "2011-05-09T20:00:00Z"
)");
  ASSERT_EQ(model.expected_work.size(), 2U);
  const ExpectedWork& weekly = model.expected_work[0];
  EXPECT_THAT(weekly.where, ElementsAre("ddn6", "ddn7"));
  EXPECT_EQ(weekly.days, 0x60);
  EXPECT_EQ(weekly.start, std::chrono::minutes(150));
  EXPECT_EQ(weekly.length, std::chrono::hours(4));
  EXPECT_TRUE(model.expected_work[1].at(parse_time("2011-05-09T19:59:59Z").value()));
  EXPECT_FALSE(model.expected_work[1].at(parse_time("2011-05-09T20:00:00Z").value()));
}

TEST(SystemFile, MistakesInExpectedWork) {
  const auto mistake = [](std::string_view keys) {
    const SystemReading reading =
        read_system("[[servers]]\nname = \"fs1\"\n[[expected_work]]\n" + std::string(keys), "f");
    return reading.mistakes.empty() ? "none" : reading.mistakes.front().message();
  };
  EXPECT_EQ(mistake("what = \"a\"\nstart = \"2:30\"\nlength = \"1h\""),
            "f:5: '2:30' is no time of the day such as 02:30 (UTC)");
  EXPECT_EQ(mistake("what = \"a\"\nstart = \"02:30\"\nlength = \"8d\""),
            "f:6: 'length' is between a second and a week");
  EXPECT_EQ(mistake("what = \"a\"\nwhere = \"fs2\"\nstart = \"02:30\"\nlength = \"1h\""),
            "f:5: 'fs2' is no host, part or attachment of this file");
  EXPECT_EQ(mistake("what = \"a\"\ndays = \"Samstag\"\nstart = \"02:30\"\nlength = \"1h\""),
            "f:5: 'Samstag' is none of mon, tue, wed, thu, fri, sat, sun");
  EXPECT_EQ(mistake("what = \"a\"\nfrom = \"2011-05-09T20:00:00Z\"\nto = \"2011-05-09T20:00:00Z\""),
            "f:6: 'to' is not after 'from'");
  EXPECT_THAT(mistake("what = \"a\"\nfrom = \"2011-05-09T20:00:00Z\"\nlength = \"1h\""),
              HasSubstr("either once ('from', 'to') or weekly ('start', 'length')"));
}

TEST(SystemFile, AllMistakesComeAtOnceInTheOrderOfLines) {
  const SystemReading reading = read_system(
      "[[luns]]\nname = \"l\"\nservers = \"z\"\ndevice = \"d\"\n[[servers]]\nname = \"a\"\nx = 1\naddress = "
      "\"y\"\n",
      "f");
  ASSERT_EQ(reading.mistakes.size(), 3U);
  EXPECT_EQ(reading.mistakes[0].where, "f:3");
  EXPECT_EQ(reading.mistakes[1].where, "f:7");
  EXPECT_EQ(reading.mistakes[2].where, "f:8");
}

TEST(SystemFile, TheExamplesOfTheDocumentAreSound) {
  const std::string page = *read_file(std::filesystem::path(LAGGARD_SOURCE_DIR) / "docs/formats/system.md");
  std::size_t examples = 0;
  for (std::size_t at = page.find("```toml\n"); at != std::string::npos; at = page.find("```toml\n", at)) {
    at += 8;
    const std::string text = page.substr(at, page.find("```", at) - at);
    for (const Error& mistake : read_system(text, "example").mistakes)
      ADD_FAILURE() << mistake.message() << "\n" << text;
    ++examples;
  }
  EXPECT_EQ(examples, 6U);
}

TEST(SystemFile, ALargeSystemIsGroupedInNoTime) {
  // 100,000 components in a second, Intrepid in 50 ms; here with room for a sanitized build. Processor time,
  // because the machine may be busy.
  const SystemModel model = parsed(kIntrepid);
  const Inventory inventory = intrepid_inventory();
  const std::clock_t start = std::clock();
  const Grouping grouping = *make_groups(inventory, &model);
  const std::clock_t took = std::clock() - start;
  EXPECT_EQ(grouping.components.size(), 9216U);
  EXPECT_LT(took, 2 * CLOCKS_PER_SEC);
}

TEST(SystemFile, SaysWhichSystemCallsCount) {
  const SystemReading reading = read_system(R"([[servers]]
name = "s1"
[syscalls]
storage = ["/data/*", "data"]
ports = ["24007", "49152-49251", "7-5", "0", "x"]
)",
                                            "f");
  ASSERT_EQ(reading.mistakes.size(), 4U);
  EXPECT_EQ(reading.mistakes[0].where, "f:4");
  EXPECT_THAT(reading.mistakes[1].what, HasSubstr("'7-5' is neither a port"));
  const TransferRules& rules = reading.model.transfers;
  EXPECT_THAT(rules.storage, ElementsAre("/data/*"));
  EXPECT_TRUE(rules.is_storage("/data/brick/f"));
  EXPECT_FALSE(rules.is_storage("/srv/f"));
  EXPECT_EQ(rules.request_peers("TCPv6:[[fd00::1]:49200->[fd00::2]:9]"), "[fd00::1]:0>[fd00::2]:0");
  EXPECT_EQ(rules.request_peers("TCP:[10.0.0.1:22->10.0.0.2:9]"), std::nullopt);
}

}  // namespace
}  // namespace laggard::topology
