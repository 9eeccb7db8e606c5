#include "lab/bench/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.h"
#include "lab/bench/fake_machine.h"
#include "lab/bench/undo.h"

namespace laggard::lab::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class JournalTest : public testing::Test {
 protected:
  JournalTest() { std::filesystem::create_directories(folder_); }
  ~JournalTest() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("laggard-journal-" + std::to_string(::getpid()));
  std::filesystem::path path_ = folder_ / "journal";
};

TEST_F(JournalTest, AnotherProcessReadsWhatWasEntered) {
  const Change network{ChangeKind::kNetwork, "laggard-bench-s1", {}};
  const Change setting{ChangeKind::kSetting, "/proc/sys/x", "reno bbr"};
  {
    auto journal = FileJournal::open(path_);
    ASSERT_TRUE(journal);
    ASSERT_TRUE(journal->enter(network));
    ASSERT_TRUE(journal->enter(setting));
  }
  const auto journal = FileJournal::open(path_);
  ASSERT_TRUE(journal) << journal.error().message();
  EXPECT_THAT(journal->entries(), ElementsAre(network, setting));
}

TEST_F(JournalTest, IsALock) {
  const auto first = FileJournal::open(path_);
  ASSERT_TRUE(first);
  const auto second = FileJournal::open(path_);
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message(), HasSubstr("a bench is running"));
}

TEST_F(JournalTest, RemovedJournalsLeaveNothing) {
  auto journal = FileJournal::open(path_);
  ASSERT_TRUE(journal);
  ASSERT_TRUE(journal->enter({ChangeKind::kFolder, "/run/x", {}}));
  ASSERT_TRUE(journal->clear());
  EXPECT_TRUE(journal->entries().empty());
  journal->remove();
  EXPECT_FALSE(std::filesystem::exists(path_));
  EXPECT_TRUE(FileJournal::open(path_));
}

TEST_F(JournalTest, DamageIsNotGuessedAt) {
  ASSERT_TRUE(write_file(path_, "network\tlaggard-bench-s1\t\nnonsense\n"));
  const auto journal = FileJournal::open(path_);
  ASSERT_FALSE(journal);
  EXPECT_EQ(journal.error().where, "journal:2");
}

TEST(ParseJournal, ALineCutOffByACrashAnnouncedNothing) {
  const auto changes = parse_journal("mount\t/run/a\t\nloop\t/run/b");
  ASSERT_TRUE(changes);
  EXPECT_THAT(*changes, ElementsAre(Change{ChangeKind::kMount, "/run/a", {}}));
}

TEST(ParseJournal, EveryKindComesBack) {
  for (const ChangeKind kind : {ChangeKind::kFolder, ChangeKind::kSetting, ChangeKind::kNetwork,
                                ChangeKind::kMount, ChangeKind::kLoop, ChangeKind::kMemoryGroup}) {
    const Change change{kind, "/a b", "old"};
    const auto back = parse_journal(to_line(change));
    ASSERT_TRUE(back);
    EXPECT_THAT(*back, ElementsAre(change));
  }
}

class UndoTest : public testing::Test {
 protected:
  std::size_t undo_all(const std::vector<Change>& changes) {
    return undo(machine_, changes, [&](const std::string& sentence) { said_.push_back(sentence); });
  }
  FakeMachine machine_;
  std::vector<std::string> said_;
};

TEST_F(UndoTest, LastChangeFirstButProcessesBeforeAll) {
  machine_.files["/run/netns/laggard-bench-disks"] = machine_.files["/run/netns/laggard-bench-s1"] = "";
  machine_.mounts = {"/run/l/disk1", "/run/l/brick1"};
  machine_.files["/run/l/disk1/speed"] = "";
  machine_.loops["/run/l/disk1/disk"] = "loop7";
  machine_.folders = {"/run/l"};
  EXPECT_EQ(undo_all({{ChangeKind::kFolder, "/run/l", {}},
                      {ChangeKind::kNetwork, "laggard-bench-s1", {}},
                      {ChangeKind::kNetwork, "laggard-bench-disks", {}},
                      {ChangeKind::kMount, "/run/l/disk1", {}},
                      {ChangeKind::kLoop, "/run/l/disk1/disk", {}},
                      {ChangeKind::kMount, "/run/l/brick1", {}}}),
            0U);
  // The disks' programs end after the mounts are gone, or the mounts would hang.
  EXPECT_THAT(machine_.log,
              ElementsAre("write /run/l/disk1/speed fast\n", "end laggard-bench-s1", "umount /run/l/brick1",
                          "losetup --detach /dev/loop7", "umount /run/l/disk1", "end laggard-bench-disks",
                          "ip netns delete laggard-bench-disks", "end laggard-bench-s1",
                          "ip netns delete laggard-bench-s1", "remove /run/l"));
}

TEST_F(UndoTest, WhatWasAnnouncedButNeverDoneIsPassedOver) {
  EXPECT_EQ(undo_all({{ChangeKind::kFolder, "/run/l", {}},
                      {ChangeKind::kSetting, "/sys/block/loop7/queue/scheduler", "none"},
                      {ChangeKind::kNetwork, "laggard-bench-s1", {}},
                      {ChangeKind::kMount, "/run/l/disk1", {}},
                      {ChangeKind::kLoop, "/run/l/disk1/disk", {}},
                      {ChangeKind::kMemoryGroup, "/sys/fs/cgroup/memory/laggard-bench-s1", {}}}),
            0U);
  EXPECT_THAT(machine_.log, ElementsAre("end laggard-bench-s1"));
}

TEST_F(UndoTest, SettingsGetTheirOldValue) {
  machine_.files["/proc/sys/x"] = "reno bbr cubic";
  EXPECT_EQ(undo_all({{ChangeKind::kSetting, "/proc/sys/x", "reno bbr"}}), 0U);
  EXPECT_EQ(machine_.files["/proc/sys/x"], "reno bbr");
}

TEST_F(UndoTest, ABusyMountIsDetachedLazily) {
  machine_.mounts = {"/run/l/mount1"};
  machine_.answers = {{"umount /run", {32, "target is busy"}}};
  EXPECT_EQ(undo_all({{ChangeKind::kMount, "/run/l/mount1", {}}}), 0U);
  EXPECT_EQ(machine_.log.back(), "umount --lazy /run/l/mount1");
}

TEST_F(UndoTest, AFailureIsSaidAndTheOthersGoOn) {
  machine_.files["/run/netns/laggard-bench-s1"] = "";
  machine_.files["/proc/sys/x"] = "new";
  machine_.answers = {{"ip netns", {1, "some noise\nDevice or resource busy\n"}}};
  EXPECT_EQ(undo_all({{ChangeKind::kSetting, "/proc/sys/x", "old"},
                      {ChangeKind::kNetwork, "laggard-bench-s1", {}}}),
            1U);
  EXPECT_THAT(said_,
              ElementsAre("ip netns delete laggard-bench-s1: ended with status 1: Device or resource busy"));
  EXPECT_EQ(machine_.files["/proc/sys/x"], "old");
}

}  // namespace
}  // namespace laggard::lab::bench
