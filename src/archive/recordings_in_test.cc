#include "archive/recordings_in.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "testing/archive.h"

namespace laggard::archive {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

TEST(RecordingsIn, AFolderStandsForThoseSideBySideInIt) {
  const testing::TempDir folder;
  const fs::path parent = folder.path();
  for (const char* name : {"fs2/metrics", "fs1/events", "fs3/deeper/metrics", "notes"}) {
    fs::create_directories(parent / name);
  }
  std::ofstream(parent / "metrics.txt") << "metrics";
  EXPECT_THAT(recordings_in(parent), ElementsAre(parent, parent / "fs1", parent / "fs2"));
  EXPECT_THAT(recordings_in(parent / "fs2"), ElementsAre(parent / "fs2"));
  EXPECT_THAT(recordings_in(parent / "metrics.txt"), ElementsAre(parent / "metrics.txt"));
  EXPECT_THAT(recordings_in(parent / "not there"), ElementsAre(parent / "not there"));
  EXPECT_TRUE(is_recording(parent / "fs1"));
  EXPECT_FALSE(is_recording(parent));
}

TEST(RecordingsIn, ARecordingIsItself) {
  const testing::TempDir folder;
  fs::create_directories(folder.path() / "metrics");
  fs::create_directories(folder.path() / "older/metrics");
  EXPECT_THAT(recordings_in(folder.path()), ElementsAre(folder.path()));
}

}  // namespace
}  // namespace laggard::archive
