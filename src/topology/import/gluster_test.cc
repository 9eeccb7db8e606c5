#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/topology.h"

namespace laggard::topology {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing_support::corpus;
using testing_support::Groups;
using testing_support::groups_of;
using testing_support::imported;

// Captured from GlusterFS 10.3 (`gluster volume info --xml`, `gluster volume status all detail --xml`):
// volumes of four kinds on one machine with six addresses. Edited: paths, a uuid for each address as six
// servers would have, and devices, which were none on the memory file system below.

std::string gluster(const std::vector<SavedText>& files) { return imported(import_gluster, files); }

TEST(ImportGluster, VolumesArePeersByTheirDisks) {
  const std::string text = gluster(corpus("gluster-10.3"));
  EXPECT_EQ(groups_of(text),
            (Groups{{"dist", {"10.88.0.1/sdb", "10.88.0.2/sdb", "10.88.0.3/sdb", "10.88.0.4/sdb"}},
                    {"ec",
                     {"10.88.0.1/sdc", "10.88.0.2/sdc", "10.88.0.3/sdc", "10.88.0.4/sdc", "10.88.0.5/sdc",
                      "10.88.0.6/sdc"}}}))
      << text;
  EXPECT_THAT(text, AllOf(HasSubstr("address = \"10.88.0.[1-4]\""), HasSubstr("arbiters, which hold no data"),
                          HasSubstr("rep is of type Distributed-Replicate: every 3 bricks"),
                          HasSubstr("Without a device, because their volume's status shows none")));
}

TEST(ImportGluster, WithoutDevicesTheRecordingDecides) {
  std::vector<SavedText> files = corpus("gluster-10.3");
  files.pop_back();
  const std::string text = gluster(files);
  groups_of(text);
  EXPECT_THAT(text, AllOf(HasSubstr("all detail --xml` too. Without devices"), Not(HasSubstr("devices ="))));
}

std::string info(const std::string& volumes) {
  return "<?xml version=\"1.0\"?><cliOutput><opRet>0</opRet><volInfo><volumes>" + volumes +
         "</volumes></volInfo></cliOutput>";
}

std::string brick(const std::string& name, const std::string& uuid = "") {
  return "<brick>" + name + "<name>" + name + "</name><hostUuid>" + uuid + "</hostUuid></brick>";
}

TEST(ImportGluster, LargeSetsAreGroupsOfTheirOwn) {
  std::string bricks;
  std::string nodes;
  for (int n = 1; n <= 12; ++n) {
    const std::string host = "g" + std::to_string(n);
    bricks += brick(host + ":/b");
    nodes += "<node><hostname>" + host + "</hostname><path>/b</path><status>" + (n == 3 ? "0" : "1") +
             "</status><device>/dev/nvme0n1p" + std::to_string(n) + "</device></node>";
  }
  const std::string text =
      gluster({{"info", info("<volume><name>v</name><typeStr>Distributed-Disperse</typeStr><disperseCount>6"
                             "</disperseCount><replicaCount>1</replicaCount><bricks>" +
                             bricks + "</bricks></volume>")},
               {"detail", "<cliOutput><volStatus><volumes><volume>" + nodes +
                              "</volume></volumes></volStatus></cliOutput>"}});
  const Groups groups = groups_of(text);
  EXPECT_THAT(groups.at("v, set 1"), SizeIs(6));
  EXPECT_THAT(groups.at("v, set 2"), SizeIs(6));
  EXPECT_THAT(text, AllOf(HasSubstr("g1/nvme0n1"), HasSubstr("Offline when this was saved: g3:/b.")));
}

TEST(ImportGluster, NamesOfOneUuidAreOneHost) {
  const std::string text =
      gluster({{"info", info("<volume><name>v</name><bricks>" + brick("g1.example.org:/a", "u1") +
                             brick("10.0.0.1:/b", "u1") + brick("g2:/a", "u2") + "</bricks></volume>")}});
  EXPECT_THAT(text, AllOf(HasSubstr("Bricks of g1: v:/a v:/b."), HasSubstr("address = \"10.0.0.1\"")));
}

TEST(ImportGluster, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(gluster({{"f", "<cliOutput>\n<volInfo>"}}), "f:2: is no XML from here on");
  EXPECT_THAT(gluster({{"f", "<a/>"}}), HasSubstr("f: is neither `gluster volume info --xml`"));
  EXPECT_EQ(gluster({{"f", "<cliOutput><opRet>-1</opRet><opErrstr>no such\nvolume</opErrstr></cliOutput>"}}),
            "f: holds an error of gluster: no such?volume");
  EXPECT_EQ(gluster({{"f", info("\n<volume><name>v</name><bricks>\n<brick>x</brick></bricks></volume>")}}),
            "f:3: the brick 'x' is not HOST:/PATH");
  EXPECT_EQ(gluster({{"f", info("")}}),
            "no volume with bricks is in these files; save `gluster volume info --xml`");
}

}  // namespace
}  // namespace laggard::topology
