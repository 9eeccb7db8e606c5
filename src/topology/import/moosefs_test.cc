#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/topology.h"

namespace laggard::topology {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing_support::corpus;
using testing_support::groups_of;
using testing_support::imported;

// Captured from MooseFS 3.0.117 of Debian 12 (`mfscli -SCS`, `mfscli -SHD`): two chunk servers with two disks
// each. Edited: the folder above the disks.

std::string moosefs(const std::vector<SavedText>& files, const std::string& map = "") {
  return imported(import_moosefs, files, map);
}

TEST(ImportMooseFs, ChunkServersAreServers) {
  const std::string text = moosefs(corpus("moosefs-3.0.117"));
  groups_of(text);
  EXPECT_THAT(
      text,
      AllOf(HasSubstr("name    = \"10.88.0.[11-12]\"\naddress = \"10.88.0.[11-12]\"\npeers   = \"all\""),
            HasSubstr("Folders of 10.88.0.11: /mnt/hdd1/ /mnt/hdd2/."),
            HasSubstr("MooseFS knows servers by address")));
}

TEST(ImportMooseFs, TheSiteMapNamesHosts) {
  const std::string text =
      moosefs(corpus("moosefs-3.0.117"), "[[hosts]]\nname='cs[1-2]'\ncalled='10.88.0.[11-12]'\n");
  EXPECT_THAT(text, AllOf(HasSubstr("name    = \"cs[1-2]\"\naddress = \"10.88.0.[11-12]\""),
                          Not(HasSubstr("knows servers by address"))));
}

TEST(ImportMooseFs, TellsStatesAndLabels) {
  const std::string text = moosefs({{"f",
                                     "chunk servers:|10.0.0.1|9422|1|A|3.0|0|maintenance_on|0|1|1|-\n"
                                     "chunk servers:|10.0.0.2|9422|2|B|3.0|0|maintenance_off|0|1|1|-\n"
                                     "disks:|10.0.0.2:9422:/mnt/a/|0|2026-01-01|damaged|-\n"}});
  EXPECT_THAT(text, AllOf(HasSubstr("In maintenance when this was saved: 10.0.0.1."),
                          HasSubstr("Labels B: 10.0.0.2."),
                          HasSubstr("Not ok but 'damaged' when this was saved: 10.0.0.2:/mnt/a/.")));
}

TEST(ImportMooseFs, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(moosefs({{"f", "+----+\n| Chunk Servers |\n"}}), HasSubstr("f: holds no rows of mfscli"));
  EXPECT_THAT(moosefs({{"f", "\nchunk servers:\t10.0.0.1\n"}}), HasSubstr("f:2: a row of mfscli -SCS has"));
  EXPECT_THAT(moosefs({{"f", "disks:\t/mnt/a\t0\tx\tok\n"}}), HasSubstr("f:1: a row of mfscli -SHD has"));
}

}  // namespace
}  // namespace laggard::topology
