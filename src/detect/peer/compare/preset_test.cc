#include "detect/peer/compare/preset.h"

#include <gtest/gtest.h>

namespace laggard::detect {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

TEST(PresetTest, AutoTakesWhatTheRecordingIsLongEnoughFor) {
  // Two of lab's filters are 64 + 5 x 32 samples.
  EXPECT_EQ(preset_for_length(seconds(223), seconds(1)).name, "quick");
  EXPECT_EQ(preset_for_length(seconds(224), seconds(1)).name, "lab");
  EXPECT_EQ(preset_for_length(hours(1) - seconds(1), seconds(1)).name, "lab");
  EXPECT_EQ(preset_for_length(hours(1), seconds(1)).name, "production");
  EXPECT_EQ(preset_for_length(seconds(3000), seconds(15)).name, "quick");
  EXPECT_EQ(preset_for_length(seconds(3400), seconds(15)).name, "lab");
}

TEST(PresetTest, LabAndQuickGoBesideEachOther) {
  EXPECT_EQ(preset_beside("lab"), find_preset("quick"));
  EXPECT_EQ(preset_beside("quick"), find_preset("lab"));
  EXPECT_EQ(preset_beside("production"), nullptr);
}

}  // namespace
}  // namespace laggard::detect
