#include "lab/sim/journal.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace laggard::lab {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::int64_t kMegabyte = 1 << 20;
constexpr std::uint64_t kPageSectors = 8;

class DiskJournalTest : public testing::Test, public EventHandler {
 protected:
  /// What was committed, in order.
  void on_event(std::uint32_t /*kind*/, std::uint64_t about) override {
    committed.push_back(about);
    if (on_commit) on_commit();
  }
  void commit(std::uint32_t object, std::uint64_t about) { journal.commit(object, {this, 0, about}); }

  EventQueue queue;
  Disk disk{queue, DiskGeometry{}, ElevatorOptions{}, Random(1)};
  Journal journal{queue, disk, {0, kMegabyte}, seconds(3)};
  std::vector<std::uint64_t> committed;
  std::function<void()> on_commit;
};

TEST_F(DiskJournalTest, ChangesThatNobodyWaitsForAreWrittenEveryFiveSecondsAtOnce) {
  for (int i = 0; i < 10; ++i) journal.add();
  queue.run_until(seconds(3) - milliseconds(1));
  EXPECT_EQ(disk.counters().wr_ios, 0U);
  queue.run_until(seconds(4));
  EXPECT_EQ(disk.counters().wr_ios, 1U);
  EXPECT_EQ(disk.counters().wr_sectors, 12 * kPageSectors);
  journal.add();
  queue.run_until(seconds(8) - milliseconds(1));
  EXPECT_EQ(disk.counters().wr_ios, 1U);
  queue.run_until(seconds(100));
  EXPECT_EQ(disk.counters().wr_ios, 2U);  // There was nothing to write from the third time on.
}

TEST_F(DiskJournalTest, WhoWaitsIsAnsweredWhenTheRecordIsOnDiskAfterEverythingElse) {
  journal.add();
  commit(7, 1);
  std::uint64_t written = 0;
  on_commit = [&] { written = disk.counters().wr_ios; };
  queue.run_until(seconds(1));
  EXPECT_EQ(committed, std::vector<std::uint64_t>{1});
  EXPECT_EQ(written, 2U);
  // A descriptor, group descriptors, last requests, an inode, a bitmap, the change nobody waits for; a
  // record.
  EXPECT_EQ(disk.counters().wr_sectors, 7 * kPageSectors);
  queue.run_until(seconds(100));
  EXPECT_EQ(disk.counters().wr_ios, 2U);  // That change is committed, too.
}

TEST_F(DiskJournalTest, ThoseWhoComeDuringACommitShareTheNext) {
  for (std::uint64_t i = 0; i < 20; ++i) commit(static_cast<std::uint32_t>(i % 4), i);
  queue.run_until(seconds(1));
  ASSERT_EQ(committed.size(), 20U);
  for (std::uint64_t i = 0; i < 20; ++i) EXPECT_EQ(committed[i], i);
  EXPECT_EQ(disk.counters().wr_ios, 4U);
  // The first alone; then four objects, each of which counts once.
  EXPECT_EQ(disk.counters().wr_sectors, ((3 + 2 + 1) + (3 + 4 * 2 + 1)) * kPageSectors);
}

TEST_F(DiskJournalTest, WhoComesWhenACommitEndsBeginsAnother) {
  int left = 50;
  on_commit = [&] {
    if (--left > 0) commit(1, 0);
  };
  commit(1, 0);
  queue.run_until(seconds(60));
  EXPECT_EQ(left, 0);
  EXPECT_EQ(disk.counters().wr_ios, 100U);
}

TEST_F(DiskJournalTest, ItsWritesWaitAmongTheDisksOthers) {
  // Half a minute of other writes.
  for (int i = 0; i < 4000; ++i) {
    disk.submit({.at = 100 * kMegabyte * (1 + i % 50) + 512 * 1024 * (i / 50),
                 .bytes = 512 * 1024,
                 .write = true,
                 .io_class = IoClass::kAsync});
  }
  commit(1, 5);
  queue.run_until(milliseconds(200));
  EXPECT_TRUE(committed.empty());
  queue.run_until(seconds(120));
  EXPECT_EQ(committed, std::vector<std::uint64_t>{5});
}

}  // namespace
}  // namespace laggard::lab
