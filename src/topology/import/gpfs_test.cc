#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/topology.h"

namespace laggard::topology {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing_support::Groups;
using testing_support::groups_of;
using testing_support::imported;

// Constructed from the documentation of IBM Storage Scale (mmlsnsd, mmlscluster, mmlsdisk): there is no GPFS
// here to capture from. Columns as documented, names and numbers our own.
const char* const kNsds = R"(
 File system   Disk name    NSD servers
---------------------------------------------------------------------------
 scratch       a0_lun0      fs1.example.org,fs2.example.org
 scratch       a0_lun1      fs2.example.org,fs1.example.org
 scratch       a1_lun0      fs3.example.org,fs4.example.org
 scratch       a1_lun1      fs4.example.org,fs3.example.org
 scratch       local1       (directly attached)
 (free disk)   spare1       fs1.example.org
)";

const char* const kCluster = R"(
GPFS cluster information
========================
  GPFS cluster name:         storage.example.org
  GPFS cluster id:           1234567890123456789
  Repository type:           CCR

 Node  Daemon node name   IP address   Admin node name        Designation
---------------------------------------------------------------------------
   1   fs1.example.org    10.0.0.1     fs1-adm.example.org    quorum-manager
   2   fs2.example.org    10.0.0.2     fs2-adm.example.org    quorum
   3   fs3.example.org    10.0.0.3     fs3-adm.example.org
   4   fs4.example.org    10.0.0.4     fs4-adm.example.org
   5   login1.example.org 10.0.0.9     login1-adm.example.org
)";

const char* const kDevices = R"(
 Disk name    NSD volume ID      Device         Devtype  Node name                Remarks
---------------------------------------------------------------------------------------------------
 a0_lun0      0A00000155555501   /dev/dm-0      dmm      fs1.example.org          server node
 a0_lun0      0A00000155555501   /dev/dm-4      dmm      fs2.example.org          server node
 a0_lun1      0A00000155555502   /dev/dm-1      dmm      fs1.example.org          server node
 a0_lun1      0A00000155555502   /dev/dm-5      dmm      fs2.example.org          server node
 a1_lun0      0A00000155555503   /dev/mapper/m0 dmm      fs3.example.org          server node
 a1_lun0      0A00000155555503   -              -        fs4.example.org          (not found) server node
)";

const char* const kDisks = R"(
disk         driver   sector     failure holds    holds                            storage
name         type       size       group metadata data  status        availability pool
------------ -------- ------ ----------- -------- ----- ------------- ------------ ------------
a0_lun0      nsd         512           1 yes      yes   ready         up           system
a0_lun1      nsd         512           1 no       yes   ready         up           data
a1_lun0      nsd         512           2 yes      yes   to be emptied down         system
a1_lun1      nsd         512           2 no       yes   ready         up           data
)";

std::string gpfs(const std::vector<SavedText>& files, const std::string& map = "") {
  return imported(import_gpfs, files, map);
}

TEST(ImportGpfs, ServersOfAnNsdAreItsPriorities) {
  const std::string text = gpfs({{"nsd", kNsds}});
  EXPECT_EQ(groups_of(text),
            (Groups{{"LUNs, priority 1", {"a0_lun0.fs1", "a0_lun1.fs2", "a1_lun0.fs3", "a1_lun1.fs4"}},
                    {"LUNs, priority 2", {"a0_lun0.fs2", "a0_lun1.fs1", "a1_lun0.fs4", "a1_lun1.fs3"}}}))
      << text;
  EXPECT_THAT(text,
              AllOf(HasSubstr("Left out, on no file system: spare1."),
                    HasSubstr("Left out, without NSD servers (every node reaches them directly): local1."),
                    HasSubstr("device  = \"{lun}\"")));
}

TEST(ImportGpfs, NodesGiveAddressesAndClients) {
  const std::string text = gpfs({{"nsd", kNsds}, {"cluster", kCluster}});
  EXPECT_THAT(text, AllOf(HasSubstr("name = \"storage.example.org\""), HasSubstr("name    = \"fs[1-4]-adm\""),
                          HasSubstr("address = \"10.0.0.[1-4]\""),
                          HasSubstr("[[clients]]\nname    = \"login1-adm\"\n")));
}

TEST(ImportGpfs, DevicesAreThoseOfEachServerAndAMissingOneIsLost) {
  const std::string text = gpfs({{"nsd", kNsds}, {"devices", kDevices}});
  EXPECT_THAT(text, AllOf(HasSubstr("device.\"fs1\" = \"dm-[0-1]\"\ndevice.\"fs2\" = \"dm-[4-5]\"\n"),
                          HasSubstr("as lost: fs4/a1_lun0."), HasSubstr("device.\"fs3\" = \"m0,a1_lun1\"")));
  EXPECT_THAT(groups_of(text), SizeIs(2));
}

TEST(ImportGpfs, PoolsSeparatePeersAndStatesAreTold) {
  const std::string text = gpfs({{"nsd", kNsds}, {"disks", kDisks}});
  EXPECT_THAT(text, AllOf(HasSubstr("set     = \"system\""), HasSubstr("set     = \"data data\""),
                          HasSubstr("but to be emptied, down when this was saved: a1_lun0."),
                          HasSubstr("Failure group 2: a1_lun[0-1].")));
}

TEST(ImportGpfs, TheSiteMapGivesArraysControllersAndSets) {
  const std::string map = R"(
[[arrays]]
name        = "a[0-1]"
luns        = "{array}_*"
controllers = "{array}-left,{array}-right"
[[sets]]
name = "new"
luns = "a1_lun[0-1]"
[[hosts]]
name   = "nsd[1-4]"
called = "fs[1-4].example.org"
)";
  const std::string text = gpfs({{"nsd", kNsds}}, map);
  const SystemReading reading = read_system(text, "x");
  ASSERT_THAT(reading.mistakes, IsEmpty()) << text;
  const Topology& topology = reading.model.topology;
  ASSERT_THAT(topology.controllers, SizeIs(4));
  EXPECT_EQ(topology.hosts[topology.controllers[3].servers.front().index()].name, "nsd4");
  EXPECT_EQ(topology.attachments.front().name, "a0_lun0.nsd1");
  EXPECT_TRUE(topology.attachments.front().controller.has_value());
  EXPECT_EQ(topology.luns.back().set, "new");
}

// Intrepid (T §5.2): 16 arrays of 72 LUNs and two controllers, eight servers each, priorities in rotation.
TEST(ImportGpfs, IntrepidHasSixteenPeerGroups) {
  std::string nsds = " File system   Disk name    NSD servers\n-----------------\n";
  for (int array = 6; array <= 21; ++array) {
    for (int lun = 0; lun < 72; ++lun) {
      nsds += fmt::format(" intrepid-fs0 ddn{}_lun{:03} ", array, lun);
      for (int s = 0; s < 8; ++s)
        nsds += fmt::format("{}fs{}", s > 0 ? "," : "", 8 * (array - 6) + (lun + s) % 8 + 1);
      nsds += "\n";
    }
  }
  const std::string text = gpfs({{"nsd", nsds}}, R"(
[[arrays]]
name        = "ddn[6-21]"
luns        = "{array}_lun[000-071]"
controllers = "{array}a,{array}b"
[[sets]]
name = "old"
luns = "ddn[6-21]_lun[000-047]"
[[sets]]
name = "new"
luns = "ddn[6-21]_lun[048-071]"
)");
  const Groups groups = groups_of(text);
  EXPECT_THAT(groups, SizeIs(16));
  for (int priority = 1; priority <= 8; ++priority) {
    EXPECT_THAT(groups.at(fmt::format("old LUNs, priority {}", priority)), SizeIs(768));
    EXPECT_THAT(groups.at(fmt::format("new LUNs, priority {}", priority)), SizeIs(384));
  }
  EXPECT_THAT(text, HasSubstr("array   = \"ddn21\"\nname    = \"ddn21_lun[048-071]\"\nset     = \"new\"\n"
                              "order   = \"rotate\"\n"));
  const Topology topology = read_system(text, "x").model.topology;
  EXPECT_EQ(topology.controllers.size(), 32U);
  EXPECT_EQ(topology.attachments.size(), 9216U);
}

TEST(ImportGpfs, FileSystemsAreNoPeersOfEachOther) {
  std::string two = kNsds;
  two.replace(two.find("scratch       a1_lun0"), 7, "home   ");
  EXPECT_THAT(gpfs({{"nsd", two}}),
              AllOf(HasSubstr("set     = \"scratch\""), HasSubstr("set     = \"home\"")));
}

TEST(ImportGpfs, OtherFormsSayTheSame) {
  const char* const long_form = R"(
 File system   Disk name    NSD volume ID      NSD servers
---------------------------------------------------------------------------------------------
 scratch       a0_lun0      0A00000155555501   fs1,fs2
 scratch       a0_lun1      0A00000155555502   fs2,fs1
)";
  const char* const pairs = R"(
 File system   Disk name    Primary node             Backup node
---------------------------------------------------------------------------
 scratch       a0_lun0      fs1                      fs2
 scratch       a0_lun1      fs2                      fs1
)";
  const char* const encoded =
      "mmlsnsd:nsd:HEADER:version:reserved:reserved:fileSystem:diskName:volumeId:serverList:thinDisk:\n"
      "mmlsnsd:nsd:0:1:::scratch:a0%5Flun0:0A00000155555501:fs1,fs2::\n"
      "mmlsnsd:nsd:0:1:::scratch:a0_lun1:0A00000155555502:fs2,fs1::\n";
  const std::string text = gpfs({{"nsd", long_form}});
  EXPECT_THAT(text, HasSubstr("name    = \"a0_lun[0-1]\"\nservers = \"fs[1-2]\"\norder   = \"rotate\"\n"));
  EXPECT_EQ(gpfs({{"nsd", pairs}}), text);
  EXPECT_EQ(gpfs({{"nsd", encoded}}), text);
}

TEST(ImportGpfs, EncodedDevicesNodesAndDisks) {
  const std::string text = gpfs(
      {{"all",
        "mmlsnsd:nsd:HEADER:version:reserved:reserved:fileSystem:diskName:volumeId:serverList:deviceType:"
        "localDiskName:remarks:\n"
        "mmlsnsd:nsd:0:1:::scratch:d1:0A:fs1:generic:/dev/sdb:server node:\n"
        "mmlscluster:clusterSummary:HEADER:version:reserved:reserved:clusterName:\n"
        "mmlscluster:clusterSummary:0:1:::storage:\n"
        "mmlscluster:clusterNode:HEADER:version:reserved:reserved:nodeNumber:daemonNodeName:ipAddress:"
        "adminNodeName:\n"
        "mmlscluster:clusterNode:0:1:::1:fs1:fd00%3A%3A1:fs1:\n"
        "mmlsdisk::HEADER:version:reserved:reserved:nsdName:driverType:sectorSize:failureGroup:metadata:data:"
        "status:availability:diskID:storagePool:\n"
        "mmlsdisk::0:1:::d1:nsd:512:1:Yes:No:ready:recovering:1:system:\n"}});
  EXPECT_THAT(text,
              AllOf(HasSubstr("name = \"storage\""), HasSubstr("address = \"fd00::1\""),
                    HasSubstr("device  = \"sdb\""), HasSubstr("ready, recovering when this was saved: d1"),
                    HasSubstr("which is not their priority")));
}

TEST(ImportGpfs, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(gpfs({{"f", "Tue Jan 1\nnothing here\n"}}),
            "f: holds no output of mmlsnsd, mmlsdisk or mmlscluster, as far as the headings of their columns "
            "tell");
  EXPECT_THAT(gpfs({{"f", " File system   Disk name    NSD servers\n-----\n scratch\n"}}),
              HasSubstr("f:3: a row of mmlsnsd has"));
  EXPECT_THAT(gpfs({{"f", std::string(kDevices) + " x 0A -\n"}}), HasSubstr("f:10: a row of mmlsnsd -m"));
  EXPECT_THAT(gpfs({{"f", kNsds}, {"g", "mmlsnsd:nsd:0:1:::a:b:c:d:\n"}}),
              HasSubstr("g:1: the HEADER line of these rows is missing"));
  EXPECT_THAT(gpfs({{"f", kCluster}}), HasSubstr("no NSD with servers is in these files"));
  EXPECT_THAT(gpfs({{"f", kNsds}, {"g", " File system Disk name NSD servers\n---\n scratch a0_lun0 fs9\n"}}),
              HasSubstr("g:3: the servers of 'a0_lun0' differ from those at f:4"));
  EXPECT_THAT(gpfs({{"f", " File system Disk name NSD servers\n---\n s a fs1.x,fs1.y\n"}}),
              HasSubstr("f:3: 'fs1.x' and 'fs1.y' would both be called 'fs1'; a site map"));
  EXPECT_THAT(gpfs({{"f", " File system Disk name NSD servers\n---\n s a[1 fs1\n"}}),
              HasSubstr("the name 'a[1' cannot stand in a system file"));
}

}  // namespace
}  // namespace laggard::topology
