#include "archive/watched.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

#include "testing/archive.h"

namespace laggard::archive {
namespace {

/// A recording whose host is being written.
void make_live(const std::filesystem::path& recording) {
  std::filesystem::create_directories(recording / "metrics");
  std::ofstream(recording / "metrics/.fs1.lock") << "";
}

WallTime now() { return std::chrono::time_point_cast<WallTime::duration>(WallTime::clock::now()); }

TEST(Watched, ARecordingAndThoseInAFolderAreMarked) {
  const testing::TempDir folder;
  make_live(folder.path() / "one");
  make_live(folder.path() / "two");
  std::filesystem::create_directories(folder.path() / "other");
  mark_watched(folder.path() / "one");
  EXPECT_TRUE(is_watched(folder.path() / "one", now()));
  EXPECT_FALSE(is_watched(folder.path() / "two", now()));
  mark_watched(folder.path());
  EXPECT_TRUE(is_watched(folder.path() / "two", now()));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path() / "other"));
}

TEST(Watched, AFinishedRecordingIsLeftAsItIs) {
  const testing::TempDir folder;
  std::filesystem::create_directories(folder.path() / "metrics");
  mark_watched(folder.path());
  EXPECT_TRUE(std::filesystem::is_empty(folder.path() / "metrics"));
}

TEST(Watched, EndsByItself) {
  const testing::TempDir folder;
  make_live(folder.path());
  mark_watched(folder.path());
  EXPECT_TRUE(is_watched(folder.path(), now() + kWatchedFor / 2));
  EXPECT_FALSE(is_watched(folder.path(), now() + 2 * kWatchedFor));
  mark_watched(folder.path() / "nowhere");
}

TEST(Watched, LinksAreNotFollowed) {
  const testing::TempDir folder;
  make_live(folder.path());
  std::filesystem::create_symlink(folder.path() / "elsewhere", folder.path() / "metrics/.watched");
  mark_watched(folder.path());
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "elsewhere"));
  EXPECT_FALSE(is_watched(folder.path(), now()));
}

}  // namespace
}  // namespace laggard::archive
