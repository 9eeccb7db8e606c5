#include "collect/procfs/block_devices.h"

#include <gtest/gtest.h>

namespace laggard::collect {
namespace {
using Names = std::vector<std::string>;
using Map = std::map<std::string, Names>;

BlockNode node(std::string name, Names holders = {}, bool used_directly = false) {
  return {std::move(name), std::move(holders), used_directly, {}};
}

TEST(BlockStack, PlainDisksStandForThemselves) { EXPECT_EQ(stand_ins({node("sda"), node("sdb")}), Map{}); }

TEST(BlockStack, MultipathStandsForItsPaths) {
  EXPECT_EQ(stand_ins({node("sda", {"dm-0"}), node("sdb", {"dm-0"}), node("dm-0"), node("sdc")}),
            (Map{{"sda", {"dm-0"}}, {"sdb", {"dm-0"}}}));
}

TEST(BlockStack, AnArrayOnMultipathStandsForAllBelow) {
  EXPECT_EQ(stand_ins({node("sda", {"dm-0"}), node("sdb", {"dm-0"}), node("sdc", {"dm-1"}),
                       node("sdd", {"dm-1"}), node("dm-0", {"md0"}), node("dm-1", {"md0"}), node("md0")}),
            (Map{{"sda", {"md0"}},
                 {"sdb", {"md0"}},
                 {"sdc", {"md0"}},
                 {"sdd", {"md0"}},
                 {"dm-0", {"md0"}},
                 {"dm-1", {"md0"}}}));
}

TEST(BlockStack, SlicesOfOneMultipathDeviceAreItsEvidence) {
  EXPECT_EQ(stand_ins({node("sda", {"dm-0"}), node("sdb", {"dm-0"}), node("dm-0", {"dm-1", "dm-2"}),
                       node("dm-1"), node("dm-2")}),
            (Map{{"sda", {"dm-0"}}, {"sdb", {"dm-0"}}, {"dm-1", {"dm-0"}}, {"dm-2", {"dm-0"}}}));
}

TEST(BlockStack, ADiskThatIsAlsoUsedBesideItsVolumeIsTheComponent) {
  EXPECT_EQ(stand_ins({node("sda", {"dm-0"}, true), node("dm-0")}), (Map{{"dm-0", {"sda"}}}));
}

TEST(BlockStack, VolumesAcrossSharedDisksAreEvidenceOfEach) {
  EXPECT_EQ(stand_ins({node("sda", {"dm-0"}), node("sdb", {"dm-0", "dm-1"}), node("dm-0"), node("dm-1")}),
            (Map{{"dm-0", {"sda", "sdb"}}, {"dm-1", {"sdb"}}}));
}

TEST(BlockStack, ReconvergingStacksHaveOneTop) {
  EXPECT_EQ(stand_ins({node("sda", {"dm-0", "dm-1"}), node("dm-0", {"dm-2"}), node("dm-1", {"dm-2"}),
                       node("dm-2")}),
            (Map{{"sda", {"dm-2"}}, {"dm-0", {"dm-2"}}, {"dm-1", {"dm-2"}}}));
}

TEST(BlockStack, NonsenseFromOutsideEnds) {
  EXPECT_NO_FATAL_FAILURE(
      static_cast<void>(stand_ins({node("a", {"b"}), node("b", {"a"}), node("c", {"c"})})));
  EXPECT_EQ(stand_ins({node("sda", {"gone"})}), Map{});
}

}  // namespace
}  // namespace laggard::collect
