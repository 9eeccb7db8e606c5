#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/topology.h"
#include "topology/import/ceph_facts.h"

namespace laggard::topology {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing_support::corpus;
using testing_support::Groups;
using testing_support::groups_of;
using testing_support::imported;

// The tree was captured from a monitor of Ceph 16.2.15 (`ceph osd tree -f json`) whose OSDs never ran, which
// is why all are down; the reweight of osd.4 is from another run. `ceph osd metadata` and `ceph device ls`,
// which need running OSDs, were constructed in the form that Ceph's documentation shows.

std::string ceph(const std::vector<SavedText>& files, const std::string& map = "") {
  return imported(import_ceph, files, map);
}

TEST(ImportCeph, TheTreeAloneGivesHostsAndDomains) {
  const std::string text = ceph(corpus("ceph-16.2.15"));
  groups_of(text);
  EXPECT_THAT(text,
              AllOf(HasSubstr("[[servers]]\nname    = \"node[1-4]\"\npeers   = \"all\"\n"),
                    HasSubstr("`ceph osd tree` knows no devices"), HasSubstr("rack rack1: node[1-2]."),
                    HasSubstr("Left out, out of the cluster (weight 0 or destroyed): osd.10."),
                    HasSubstr("Reweighted below 1, so that they get less work than their peers: osd.4.")));
}

TEST(ImportCeph, ClassesAndWeightsArePeers) {
  const std::string text = ceph(corpus("ceph-osds"));
  const Groups groups = groups_of(text);
  EXPECT_THAT(groups.at("ssd OSDs"),
              ElementsAre("node1/nvme1n1", "node2/nvme1n1", "node3/nvme1n1", "node4/nvme1n1"));
  EXPECT_THAT(groups.at("hdd OSDs"), ElementsAre("node1/sdb", "node1/sdc", "node2/sdb", "node2/sdc",
                                                 "node3/sdb", "node3/sdc", "node4/sdb"));
  EXPECT_THAT(text, AllOf(HasSubstr("address = [\"10.89.0.[1-3]\", \"10.89.1.[1-3]\"]"),
                          HasSubstr("[[drawers]]\nname    = \"rack2\"\ncalled  = \"rack\"\n"),
                          HasSubstr("such as those of their databases, are not compared:\n# node1/nvme0n1")));
}

/// Captured from four OSDs of Ceph 16.2.15 on one machine; hosts, disks and addresses edited as four would
/// have them.
TEST(ImportCeph, MetadataOfRunningOsds) {
  const std::string text = ceph(corpus("ceph-metadata-16.2.15"));
  EXPECT_THAT(groups_of(text),
              testing::Contains(testing::Pair(
                  "disks of all servers", ElementsAre("node1/sdb", "node2/sdb", "node3/sdb", "node4/sdb"))));
  EXPECT_THAT(text, HasSubstr("address = \"10.89.0.[1-4]\""));
}

TEST(ImportCeph, SharedDevicesOfDeviceLsAreNoDataDevices) {
  const std::string text = ceph(corpus("ceph-devices"));
  EXPECT_THAT(groups_of(text).at("ssd OSDs"),
              ElementsAre("node1/sdd", "node2/sdd", "node3/sdd", "node4/sdd"));
}

TEST(ImportCeph, ClassesOfTooFewAreLeftOut) {
  const auto osd = [](int id, const char* device_class, const char* weight) {
    const std::string n = std::to_string(id);
    return R"({"id":)" + n + R"(,"name":"osd.)" + n + R"(","type":"osd","device_class":")" + device_class +
           R"(","crush_weight":)" + weight + R"(,"reweight":1,"status":"up"})";
  };
  const std::string tree = R"({"nodes":[{"id":-1,"name":"h1","type":"host","children":[0,1,2,3,4,5]},)" +
                           osd(0, "hdd", "1") + "," + osd(1, "hdd", "1.05") + "," + osd(2, "hdd", "1") + "," +
                           osd(3, "hdd", "8") + "," + osd(4, "ssd", "1") + "," + osd(5, "ssd", "1") + "]}";
  std::string devices = "[";
  for (int id = 0; id < 6; ++id) {
    devices += R"({"devid":"x","location":[{"host":"h1","dev":"sd)" +
               std::string(1, static_cast<char>('a' + id)) + R"("}],"daemons":["osd.)" + std::to_string(id) +
               "\"]}" + (id < 5 ? "," : "]");
  }
  const std::string text = ceph({{"tree", tree}, {"devices", devices}});
  EXPECT_EQ(groups_of(text), (Groups{{"hdd OSDs, weight 1.00", {"h1/sda", "h1/sdb", "h1/sdc"}}})) << text;
  EXPECT_THAT(text, AllOf(HasSubstr("Left out, too few of a kind (hdd OSDs, weight 8.00): osd.3."),
                          HasSubstr("too few of a kind (ssd OSDs): osd.[4-5].")));
}

TEST(ImportCeph, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(ceph({{"f", "{\n\"nodes\": [}"}}), "f:2: is no JSON from here on");
  EXPECT_EQ(
      ceph({{"f", "{}"}}),
      "f: is none of `ceph osd tree`, `ceph osd df`, `ceph osd metadata` and `ceph device ls` with -f json");
  EXPECT_EQ(ceph({{"f", R"({"nodes":[{"id":1.5,"name":"x"}]})"}}), "f: nodes[0] has no id and name");
  EXPECT_EQ(ceph({{"f", R"([{"id":0},{"id":-4}])"}}), "f: [1] has no id of an OSD");
  EXPECT_EQ(ceph({{"f", R"([{"id":0}])"}}),
            "no OSD in these files is on a host; save `ceph osd tree -f json`");
}

TEST(OsdDisks, AreOnHostsAsTheyAreRecorded) {
  const std::vector<SavedText> files{
      {.path = "osds", .text = R"([{"id":0,"hostname":"a.x","devices":"nvme0n1"},
      {"id":1,"hostname":"a.x","devices":"nvme0n1"},{"id":2,"hostname":"b.x","devices":"sdb,sdc"}])"}};
  const auto map = parse_site_map("[[hosts]]\nname = \"oss1\"\ncalled = \"a.x\"\n", "site.toml");
  ASSERT_TRUE(map) << map.error().message();
  const auto disks = osd_disks(files, *map);
  ASSERT_TRUE(disks) << disks.error().message();
  EXPECT_EQ(*disks, (OsdDisks{{0, {"oss1", "nvme0n1"}}, {1, {"oss1", "nvme0n1"}}}));
  const auto nowhere = osd_disks(std::vector<SavedText>{{"t", R"({"nodes":[{"id":0,"name":"osd.0"}]})"}}, {});
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().message(),
            "t: names no OSD with its host and disk; save `ceph osd metadata -f json`");
}

TEST(ImportCeph, ATreeThatBitesItsTailEnds) {
  const std::string text = ceph({{"f", R"({"nodes":[{"id":-1,"name":"a","type":"rack","children":[-2]},
      {"id":-2,"name":"b","type":"host","children":[-1,0]},{"id":0,"name":"osd.0","crush_weight":1}]})"}});
  EXPECT_THAT(text, HasSubstr("name    = \"b\""));
}

}  // namespace
}  // namespace laggard::topology
