#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/fake_machine.h"
#include "testing/topology.h"
#include "topology/import/saved_text.h"

namespace laggard::topology {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing_support::Groups;
using testing_support::groups_of;
using testing_support::imported;

// Constructed from the Lustre operations manual (lctl dl, lctl list_nids, lfs osts, failover) and in the form
// of the imports that Lustre 2.10 shows: there is no Lustre here to capture from. Names and addresses our
// own.
std::string oss(int n, int target) {
  const std::string name = "scratch-OST000" + std::to_string(target);
  return "  0 UP osd-ldiskfs " + name + "-osd " + name +
         "-osd_UUID 4\n  1 UP mgc MGC10.0.0.9@o2ib 12345678-1234-1234-1234-123456789abc 4\n"
         "  2 UP ost OSS OSS_uuid 2\n  3 UP obdfilter " +
         name + " " + name + "_UUID 7\n  4 UP lwp scratch-MDT0000-lwp-OST0000 scratch-MDT0000-lwp_UUID 4\n" +
         "10.0.0." + std::to_string(n) + "@o2ib\nosd-ldiskfs." + name + ".mntdev=/dev/mapper/ost" +
         std::to_string(target) + "\n";
}

std::string import_of(int target, int first, int second) {
  const std::string name = "scratch-OST000" + std::to_string(target);
  const auto nid = [](int n) { return "10.0.0." + std::to_string(n) + "@o2ib"; };
  return "osp." + name + "-osc-MDT0000.import=\nimport:\n    name: " + name +
         "-osc-MDT0000\n    target: " + name +
         "_UUID\n    state: FULL\n    connect_flags: [ version, full20 ]\n    connection:\n"
         "       failover_nids: [ " +
         nid(first) + ", " + nid(second) + " ]\n       current_connection: " + nid(first) +
         "\n       connection_attempts: 1\n";
}

std::string lustre(const std::vector<SavedText>& files, const std::string& map = "") {
  return imported(import_lustre, files, map);
}

std::vector<SavedText> four_servers() {
  std::vector<SavedText> files;
  for (int n = 1; n <= 4; ++n) {
    files.push_back(
        {.path = "oss" + std::to_string(n), .text = oss(n, n - 1), .host = "oss" + std::to_string(n)});
  }
  return files;
}

TEST(ImportLustre, FailoverPartnersAreSecondPriorities) {
  std::vector<SavedText> files = four_servers();
  files.push_back({.path = "imports",
                   .text = import_of(0, 1, 2) + import_of(1, 2, 1) + import_of(2, 3, 4) + import_of(3, 4, 3),
                   .host = "imports"});
  const std::string text = lustre(files);
  EXPECT_EQ(groups_of(text), (Groups{{"LUNs, priority 1",
                                      {"scratch-OST0000.oss1", "scratch-OST0001.oss2", "scratch-OST0002.oss3",
                                       "scratch-OST0003.oss4"}},
                                     {"LUNs, priority 2",
                                      {"scratch-OST0000.oss2", "scratch-OST0001.oss1", "scratch-OST0002.oss4",
                                       "scratch-OST0003.oss3"}}}))
      << text;
  EXPECT_THAT(text, AllOf(HasSubstr("name = \"scratch\""), HasSubstr("address = \"10.0.0.[1-4]\""),
                          HasSubstr("device  = \"ost[0-1]\""), Not(HasSubstr("With one known server"))));
}

TEST(ImportLustre, ATargetThatMovedKeepsItsPriorities) {
  std::vector<SavedText> files = four_servers();
  files.push_back({.path = "imports", .text = import_of(0, 2, 1), .host = ""});
  const std::string text = lustre(files);
  EXPECT_THAT(text,
              HasSubstr("Not on the first of their servers when this was saved: scratch-OST0000 (on oss1)"));
  EXPECT_THAT(groups_of(text)["LUNs, priority 2"], testing::IsEmpty());
}

TEST(ImportLustre, NidsAreToldByWhatIsMountedWhere) {
  std::vector<SavedText> files;
  for (int n = 1; n <= 3; ++n) {
    const std::string name = "scratch-OST000" + std::to_string(n);
    files.push_back({.path = "x",
                     .text = "3 UP obdfilter " + name + " " + name + "_UUID 7\n",
                     .host = "oss" + std::to_string(n)});
  }
  files.push_back({.path = "imports", .text = import_of(1, 1, 2) + import_of(2, 2, 9), .host = ""});
  const std::string text = lustre(files);
  EXPECT_THAT(text, AllOf(HasSubstr("reached by it: 10.0.0.1@o2ib,10.0.0.2@o2ib."),
                          HasSubstr("because nothing says which host has it: 10.0.0.9."),
                          HasSubstr("With one known server: scratch-OST0003.")));
  const std::string mapped = lustre(files, "[[hosts]]\nname='oss9'\ncalled='10.0.0.9@o2ib'\n");
  EXPECT_THAT(mapped, HasSubstr("name    = \"oss[1-2,9]\"\naddress = \"10.0.0.[1-2,9]\"\n"));
}

TEST(ImportLustre, MetadataTargetsAreNoPeersOfObjectTargets) {
  std::vector<SavedText> files = four_servers();
  files.push_back({.path = "mds1",
                   .text =
                       "  7 UP mdt scratch-MDT0000 scratch-MDT0000_UUID 9\n  8 DN obdfilter scratch-OST0004 "
                       "scratch-OST0004_UUID 2\n",
                   .host = "mds1"});
  files.push_back(
      {.path = "mds2", .text = "  7 UP mdt scratch-MDT0001 scratch-MDT0001_UUID 9\n", .host = "mds2"});
  const std::string text = lustre(files);
  EXPECT_THAT(text, AllOf(HasSubstr("name    = \"mds2\"\nrole    = \"metadata\""),
                          HasSubstr("set     = \"metadata\""),
                          HasSubstr("but DN when this was saved: scratch-OST0004.")));
  EXPECT_EQ(groups_of(text)["LUNs"].size(), 5U);
}

TEST(ImportLustre, PdshTellsTheHost) {
  const std::string text = lustre({{.path = "all",
                                    .text = "oss1: 3 UP obdfilter s-OST0000 s-OST0000_UUID 5\noss1:\n"
                                            "oss2: 3 UP obdfilter s-OST0001 s-OST0001_UUID 5\n"
                                            "oss2: osd-zfs.s-OST0001.mntdev=pool1/ost1\n"
                                            "oss3: 3 UP obdfilter s-OST0002 s-OST0002_UUID 5\n"}});
  EXPECT_EQ(groups_of(text), (Groups{{"LUNs", {"s-OST0000.oss1", "s-OST0001.oss2", "s-OST0002.oss3"}}}))
      << text;
  EXPECT_THAT(text, HasSubstr("Targets on ZFS are no block devices"));
}

TEST(ImportLustre, ListsOfTargetsAloneAreNotEnough) {
  EXPECT_EQ(lustre({{"osts", "OBDS:\n0: s-OST0000_UUID ACTIVE\n1: s-OST0001_UUID INACTIVE\n"}}),
            "nothing in these files shows which server has which target; save `lctl dl` of every server");
  EXPECT_EQ(lustre({{"f", "hello\n"}}),
            "f: holds no output of lctl dl, lctl list_nids, lctl get_param, lfs osts or lfs mdts");
  EXPECT_EQ(lustre({{"f", "10.0.0.1@tcp\n"}}),
            "no OST or MDT is in these files; save `lctl dl` of every server");
}

TEST(ImportLustre, TwoFileSystemsAreTwoSets) {
  const std::string text = lustre({{.path = "a",
                                    .text = "3 UP obdfilter home-OST0000 home-OST0000_UUID 5\n"
                                            "4 UP obdfilter work-OST0000 work-OST0000_UUID 5\n",
                                    .host = "oss1"}});
  EXPECT_THAT(text, AllOf(HasSubstr("set     = \"home\""), HasSubstr("set     = \"work\"")));
}

// A tree of /proc/fs/lustre and /sys/fs/lustre as Lustre 2.10 shows them, captured by others: only read here.
TEST(ImportLustre, ReadsCapturedTrees) {
  const laggard::testing_support::LustreTree tree;
  if (!tree.is_there()) GTEST_SKIP() << tree.kArchive << " is not there";
  const auto saved = read_saved_tree(tree.path(), "oss1");
  ASSERT_TRUE(saved.has_value()) << saved.error().message();
  const std::string text = lustre(*saved);
  const Groups groups = groups_of(text);
  EXPECT_EQ(groups.at("LUNs, priority 1").size(), 7U) << text;
  EXPECT_THAT(text, AllOf(HasSubstr("name = \"lustrefs\""), HasSubstr("Targets on ZFS")));
}

}  // namespace
}  // namespace laggard::topology
