#include "archive/watched.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

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

TEST(Watched, EventsAreAskedForWhereTheyAreWritten) {
  const testing::TempDir folder;
  EXPECT_FALSE(wanted_at(folder.path()));
  std::filesystem::create_directories(folder.path() / "rec/events");
  mark_wanted(folder.path());
  EXPECT_FALSE(wanted_at(folder.path() / "rec")) << "nobody writes there";
  std::ofstream(folder.path() / "rec/events/.fs1.lock") << "";
  const WallTime before = now();
  mark_wanted(folder.path());
  ASSERT_TRUE(wanted_at(folder.path() / "rec"));
  // The kernel stamps files by its tick.
  EXPECT_GE(*wanted_at(folder.path() / "rec"), before - std::chrono::milliseconds(20));
  EXPECT_FALSE(is_watched(folder.path() / "rec", before));
}

TEST(Watched, EndsByItself) {
  const testing::TempDir folder;
  make_live(folder.path());
  mark_watched(folder.path());
  EXPECT_TRUE(is_watched(folder.path(), now() + kWatchedFor / 2));
  EXPECT_FALSE(is_watched(folder.path(), now() + 2 * kWatchedFor));
  mark_watched(folder.path() / "nowhere");
}

/// A child writes: locks of SQLite belong to a process.
void write_in_turns(const std::filesystem::path& recording) {
  testing::ManualClock clock;
  for (int turn = 0; turn < 150; ++turn) {
    auto writer = Writer::open(recording, {}, clock);
    if (!writer) ::_exit(2);
    const WallTime start = from_unix_ns(1'700'000'000'000'000'000) + std::chrono::seconds(turn);
    const bool written = (*writer)->append(testing::disk_table("fs1", start, 1, 3)) && (*writer)->flush() &&
                         (*writer)->close();
    if (!written) ::_exit(3);
  }
  ::_exit(0);
}

TEST(Watched, WhoeverComesAndGoesNobodyIsRefused) {
  const testing::TempDir folder;
  const std::filesystem::path recording = folder.path() / "rec";
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) write_in_turns(recording);
  std::size_t read = 0;
  int status = 0;
  const std::vector<std::filesystem::path> paths{recording};
  while (::waitpid(child, &status, WNOHANG) == 0) {
    auto reader = Reader::open(paths);
    auto seen = reader ? (*reader)->read({}) : Result<std::unique_ptr<TableReader>>(forward(reader));
    auto table = seen ? (*seen)->next() : Result<std::optional<SampleTable>>(forward(seen));
    read += table && table->has_value() ? 1U : 0U;
    if (table) continue;
    EXPECT_TRUE(table.error().code == ErrorCode::kNotFound || table.error().code == ErrorCode::kUnavailable)
        << table.error().message();
  }
  EXPECT_EQ(status, 0);
  EXPECT_GT(read, 10U);
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
