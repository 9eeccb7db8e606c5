// What is taken down, in which order, and what is not touched because it is not the bench's.
#include "lab/bench/undo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/fake_bench_machine.h"

namespace laggard::lab::bench {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class UndoTest : public testing::Test {
 protected:
  UndoTest() { layout_.instance = kTestId; }
  Result<std::size_t> undo_all(const std::vector<Change>& changes) {
    return undo(machine_, layout_, changes, [&](const std::string& sentence) { said_.push_back(sentence); });
  }
  void stand() {
    machine_.mount("/run/laggard-bench/net/s1", "nsfs", "nsfs");
    machine_.mount("/run/laggard-bench/disk1", "fuse", "laggard-modelled-disk");
    machine_.attached["loop7"] = {"/run/laggard-bench/disk1/disk", "/run/laggard-bench/disk1/disk"};
    machine_.mount("/run/laggard-bench/brick1", "ext4", "/dev/loop7");
    machine_.mount("/run/laggard-bench/mount1", "fuse.glusterfs", "glusterfs:(null)");
    machine_.files["/run/laggard-bench/disk1/speed"] = "";
    machine_.files["/sys/block/loop7/queue/scheduler"] = "bfq";
  }
  Layout layout_;
  FakeMachine machine_;
  std::vector<std::string> said_;
};

TEST_F(UndoTest, LastChangeFirstButProcessesBeforeAll) {
  stand();
  machine_.folders = {"/sys/fs/cgroup/memory", "/sys/fs/cgroup/memory/laggard-bench-s1-" + kTestId,
                      "/sys/fs/cgroup/cpu/laggard-bench-s1-" + kTestId};
  machine_.files[kAllowedControl] = "reno cubic bbr\n";
  EXPECT_EQ(undo_all({{Setting::kCongestionControl, "", "reno bbr"}, {Setting::kScheduler, "loop7", "none"}}),
            0U);
  // The disks' programs end after the mounts are gone, or the mounts would hang.
  EXPECT_THAT(machine_.log,
              ElementsAre("wake LAGGARD_BENCH_DISK=" + kTestId, "write /run/laggard-bench/disk1/speed fast\n",
                          "end LAGGARD_BENCH=" + kTestId, "umount /run/laggard-bench/mount1",
                          "umount /run/laggard-bench/brick1", "write /sys/block/loop7/queue/scheduler none",
                          "losetup --detach /dev/loop7", "umount /run/laggard-bench/disk1",
                          "end LAGGARD_BENCH_DISK=" + kTestId, "umount /run/laggard-bench/net/s1",
                          "rmdir /sys/fs/cgroup/memory/laggard-bench-s1-" + kTestId,
                          "rmdir /sys/fs/cgroup/cpu/laggard-bench-s1-" + kTestId,
                          std::string("write ") + kAllowedControl + " reno bbr"));
  EXPECT_THAT(said_, IsEmpty());
}

TEST_F(UndoTest, ASwapFileIsTurnedOffBeforeItsFileSystemIsUnmounted) {
  stand();
  machine_.files["/proc/swaps"] =
      "Filename\tType\tSize\tUsed\tPriority\n/swap.img file 100 0 -1\n/run/laggard-other/brick1/swap file 1 "
      "0 "
      "-2\n/run/laggard-bench/brick1/swap\tfile\t65532\t0\t-3\n";
  EXPECT_EQ(undo_all({}), 0U);
  EXPECT_LT(machine_.position("swapoff /run/laggard-bench/brick1/swap"),
            machine_.position("umount /run/laggard-bench/brick1"));
  EXPECT_LT(machine_.position("disk1/speed fast"), machine_.position("swapoff"));
  EXPECT_EQ(std::count_if(machine_.log.begin(), machine_.log.end(),
                          [](const std::string& line) { return line.rfind("swapoff", 0) == 0; }),
            1);
}

TEST_F(UndoTest, WhatIsOfOthersIsLeftAlone) {
  machine_.mount("/", "ext4", "/dev/vda");
  machine_.mount("/run/netns/laggard-bench-s1", "nsfs", "nsfs");
  machine_.mount("/run/laggard-benchmark/disk1", "fuse", "laggard-modelled-disk");
  machine_.mount("/run/laggard-other/brick1", "ext4", "/dev/loop3");
  machine_.attached = {{"loop3", {"/run/laggard-other/disk1/disk", ""}},
                       {"loop4", {"/var/lib/disk.img", "/run/laggard-bench/disk1/disk"}},
                       {"loop5", {"/disk", "/run/laggard-bench/disk1/disk"}},  // A container's, it may be.
                       {"loop6", {"/disk", "/disk"}}};
  machine_.folders = {"/sys/fs/cgroup/memory", "/sys/fs/cgroup/memory/laggard-bench-s1",
                      "/sys/fs/cgroup/memory/laggard-bench-s1-" + std::string(32, 'f')};
  machine_.files["/sys/block/loop4/queue/scheduler"] = "bfq";
  machine_.files[kAllowedControl] = "reno\n";  // Changed by another program.
  EXPECT_EQ(undo_all({{Setting::kCongestionControl, "", "reno bbr"},
                      {Setting::kScheduler, "loop4", "none"},
                      {Setting::kScheduler, "loop6", "none"},
                      {Setting::kScheduler, "loop9", "none"}}),
            0U);
  EXPECT_THAT(machine_.log, ElementsAre("wake LAGGARD_BENCH_DISK=" + kTestId, "end LAGGARD_BENCH=" + kTestId,
                                        "end LAGGARD_BENCH_DISK=" + kTestId));
  EXPECT_THAT(said_,
              ElementsAre(HasSubstr("was changed by somebody since the bench did, and stays \"reno\"")));
}

TEST_F(UndoTest, ABlockDeviceWhoseDiskIsGoneWithItsMountNamespaceIsKnownByTheJournal) {
  machine_.attached["loop5"] = {"/disk", "/run/laggard-bench/disk12/disk"};
  EXPECT_EQ(undo_all({{Setting::kScheduler, "loop5", "none"}}), 0U);
  EXPECT_THAT(machine_.log, Contains("losetup --detach /dev/loop5"));
}

TEST_F(UndoTest, AForeignMountInTheStateFolderStopsEverything) {
  const std::vector<Mount> foreign{{"/run/laggard-bench", "tmpfs", "tmpfs"},
                                   {"/run/laggard-bench/home", "ext4", "/dev/vda"},
                                   {"/run/laggard-bench/mount1", "ext4", "/dev/vda"},
                                   {"/run/laggard-bench/brick1", "ext4", "/dev/vda"},
                                   {"/run/laggard-bench/brick1", "ext4", "/dev/loop3"},
                                   {"/run/laggard-bench/brick1/data", "ext4", "/dev/loop7"},
                                   {"/run/laggard-bench/disk1", "fuse", "sshfs"},
                                   {"/run/laggard-bench/disk01", "fuse", "laggard-modelled-disk"},
                                   {"/run/laggard-bench/disk100", "fuse", "laggard-modelled-disk"},
                                   {"/run/laggard-bench/net/s1", "proc", "proc"},
                                   {"/run/laggard-bench/net/s1/x", "nsfs", "nsfs"}};
  for (const Mount& mount : foreign) {
    machine_ = FakeMachine();
    stand();
    machine_.mounts.push_back(mount);
    const auto done = undo_all({{Setting::kScheduler, "loop7", "none"}});
    ASSERT_FALSE(done) << mount.point << " " << mount.type;
    EXPECT_EQ(done.error().where, mount.point);
    EXPECT_THAT(done.error().what, HasSubstr("not the bench's; nothing was touched"));
    EXPECT_THAT(machine_.log, IsEmpty());
  }
}

TEST_F(UndoTest, ABlockDeviceOnAFileOfTheStateFolderThatIsNoDiskStopsEverything) {
  for (const char* file : {"/run/laggard-bench/x", "/run/laggard-bench/disk1/x",
                           "/run/laggard-bench/disk0/disk", "/run/laggard-bench/log/disk"}) {
    machine_ = FakeMachine();
    stand();
    machine_.attached["loop8"] = {file, ""};
    const auto done = undo_all({});
    ASSERT_FALSE(done) << file;
    EXPECT_EQ(done.error().where, "/dev/loop8");
    EXPECT_THAT(machine_.log, IsEmpty());
  }
}

TEST_F(UndoTest, ABusyMountIsDetachedLazilyButADiskIsNot) {
  stand();
  machine_.answers = {{"umount /run/laggard-bench/mount1", {32, "target is busy"}},
                      {"umount /run/laggard-bench/disk1", {32, "target is busy"}}};
  EXPECT_EQ(undo_all({}), 1U);
  EXPECT_THAT(machine_.log, Contains("umount --lazy /run/laggard-bench/mount1"));
  EXPECT_THAT(machine_.log, Not(Contains("umount --lazy /run/laggard-bench/disk1")));
}

TEST_F(UndoTest, ABlockDeviceThatStaysInUseIsSaid) {
  stand();
  machine_.answers = {{"losetup --detach", {0, ""}}};
  EXPECT_EQ(undo_all({}), 1U);
  EXPECT_THAT(said_, ElementsAre("/dev/loop7: is still in use by somebody"));
}

TEST_F(UndoTest, AFailureIsSaidAndTheOthersGoOn) {
  stand();
  machine_.files[kAllowedControl] = "reno cubic";
  machine_.answers = {{"umount /run/laggard-bench/net", {1, "some noise\nDevice or resource busy\n"}},
                      {"umount --lazy /run/laggard-bench/net", {1, "Invalid argument\n"}}};
  EXPECT_EQ(undo_all({{Setting::kCongestionControl, "", "reno"}}), 1U);
  EXPECT_THAT(said_,
              ElementsAre("umount --lazy /run/laggard-bench/net/s1: ended with status 1: Invalid argument"));
  EXPECT_EQ(machine_.files[kAllowedControl], "reno");
}

}  // namespace
}  // namespace laggard::lab::bench
