// What is done to the machine to build a bench, in which order, and that the journal always knows first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/bench/disks.h"
#include "lab/bench/fake_machine.h"
#include "lab/bench/gluster.h"
#include "lab/bench/memory_group.h"
#include "lab/bench/network.h"
#include "lab/bench/site.h"
#include "lab/bench/tools.h"
#include "lab/bench/undo.h"

namespace laggard::lab::bench {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr const char* kAllowed = "/proc/sys/net/ipv4/tcp_allowed_congestion_control";

class BuildTest : public testing::Test {
 protected:
  BuildTest() {
    layout_.servers = 3;
    layout_.clients = 1;
    machine_.files[kAllowed] = "reno bbr\n";
    machine_.folders = {"/sys/fs/cgroup/memory"};
    for (const char* loop : {"loop7", "loop8", "loop9"}) {
      const std::string queue = std::string("/sys/block/") + loop + "/queue/";
      machine_.files[std::string("/sys/block/") + loop + "/dev"] = std::string("7:") + loop[4] + "\n";
      machine_.files[queue + "scheduler"] = "[none] mq-deadline kyber bfq\n";
      machine_.files[queue + "max_sectors_kb"] = "1280\n";
      machine_.files[queue + "rotational"] = "0\n";
      machine_.files[queue + "nr_requests"] = "128\n";
      machine_.files[queue + "read_ahead_kb"] = "128\n";
      const std::string bdi = std::string("/sys/class/bdi/7:") + loop[4] + "/";
      machine_.files[bdi + "strict_limit"] = "0\n";
      machine_.files[bdi + "max_ratio"] = "100\n";
    }
  }
  Layout layout_;
  FakeMachine machine_;
  NotedJournal journal_{machine_};
  Site site_{machine_, journal_, layout_};
};

TEST_F(BuildTest, EveryHostIsConnectedAndEnteredFirst) {
  ASSERT_TRUE(build_network(site_));
  for (const std::string host : {"bridge", "s1", "s2", "s3", "c1", "x"}) {
    const std::string network = "laggard-bench-" + host;
    const std::size_t entered = machine_.position("journal network\t" + network + "\t");
    EXPECT_LT(entered, machine_.position("ip netns add " + network)) << host;
  }
  EXPECT_THAT(machine_.log, Contains(HasSubstr("ip address add 10.77.0.2/24 dev eth0")));
  EXPECT_THAT(machine_.log, Contains(HasSubstr("ethtool -K eth0 tso off gso off gro off")));
}

TEST_F(BuildTest, TheOneKernelSettingIsKept) {
  ASSERT_TRUE(build_network(site_));
  EXPECT_EQ(machine_.files[kAllowed], "reno bbr cubic");
  EXPECT_THAT(journal_.entries, Contains(Change{ChangeKind::kSetting, kAllowed, "reno bbr"}));
}

TEST_F(BuildTest, ASettingThatFitsIsLeftAlone) {
  machine_.files[kAllowed] = "reno cubic\n";
  ASSERT_TRUE(build_network(site_));
  EXPECT_THAT(machine_.log, Not(Contains(StartsWith("write"))));
}

TEST_F(BuildTest, OnlyServersPortsAreLimited) {
  ASSERT_TRUE(limit_network(site_));
  ASSERT_EQ(machine_.log.size(), 6U);  // Three servers, both ways.
  EXPECT_THAT(machine_.log[0],
              AllOf(HasSubstr("laggard-bench-s1"), HasSubstr("dev eth0 root tbf rate 40mbit")));
  EXPECT_THAT(machine_.log[1], AllOf(HasSubstr("laggard-bench-bridge"), HasSubstr("dev p-s1 ")));
}

TEST_F(BuildTest, ADiskIsModelledAttachedFormattedMounted) {
  // The modelled disk's folder stands last on no command line: what it mounts is said here.
  for (const char* disk : {"disk1", "disk2", "disk3"}) machine_.mounts.insert(layout_.state() / disk);
  const auto loops = build_disks(site_, "/usr/bin/laggard-modelled-disk");
  ASSERT_TRUE(loops) << loops.error().message();
  EXPECT_THAT(*loops, ElementsAre("loop7", "loop8", "loop9"));
  const std::size_t serve =
      machine_.position("chrt --fifo 10 /usr/bin/laggard-modelled-disk /run/laggard-bench/disk1");
  const std::size_t attach = machine_.position("losetup --find --direct-io=on /run/laggard-bench/disk1/disk");
  const std::size_t format = machine_.position("mkfs.ext4");
  const std::size_t mount = machine_.position("mount -o noatime");
  EXPECT_LT(machine_.position("journal mount\t/run/laggard-bench/disk1\t"), serve);
  EXPECT_LT(serve, attach);
  EXPECT_LT(machine_.position("journal loop\t/run/laggard-bench/disk1/disk\t"), attach);
  EXPECT_LT(attach, format);
  EXPECT_LT(format, mount);
  EXPECT_LT(machine_.position("journal mount\t/run/laggard-bench/brick1\t"), mount);
  EXPECT_THAT(journal_.entries,
              Contains(Change{ChangeKind::kSetting, "/sys/block/loop7/queue/scheduler", "none"}));
  EXPECT_THAT(journal_.entries,
              Contains(Change{ChangeKind::kSetting, "/sys/class/bdi/7:7/max_ratio", "100"}));
}

TEST_F(BuildTest, UndoingABuildLeavesNothing) {
  for (const char* disk : {"disk1", "disk2", "disk3"}) machine_.mounts.insert(layout_.state() / disk);
  ASSERT_TRUE(build_network(site_));
  ASSERT_TRUE(build_disks(site_, "/usr/bin/laggard-modelled-disk"));
  ASSERT_TRUE(start_gluster(site_));
  machine_.log.clear();
  EXPECT_EQ(undo(machine_, journal_.entries, [](const std::string& s) { ADD_FAILURE() << s; }), 0U);
  EXPECT_THAT(machine_.mounts, IsEmpty());
  EXPECT_THAT(machine_.loops, IsEmpty());
  EXPECT_EQ(machine_.files[kAllowed], "reno bbr");
  EXPECT_EQ(machine_.files["/sys/block/loop8/queue/scheduler"], "none");
  EXPECT_EQ(machine_.files["/sys/block/loop8/queue/nr_requests"], "128");
}

TEST_F(BuildTest, ServersRunInTheirMemoryGroup) {
  ASSERT_TRUE(start_gluster(site_));
  EXPECT_LT(machine_.position("journal memory-group\t/sys/fs/cgroup/memory/laggard-bench-s2"),
            machine_.position("mkdir /sys/fs/cgroup/memory/laggard-bench-s2"));
  EXPECT_THAT(machine_.log,
              Contains("write /sys/fs/cgroup/memory/laggard-bench-s2/memory.limit_in_bytes 128M"));
  EXPECT_THAT(machine_.log,
              Contains(AllOf(StartsWith("start nsenter --net=/run/netns/laggard-bench-s2 -- sh -c"),
                             HasSubstr("laggard-bench-s2/cgroup.procs nice -n -15 glusterfsd"))));
}

TEST_F(BuildTest, ControlGroupsOfVersion2) {
  machine_.folders.clear();
  machine_.files["/sys/fs/cgroup/cgroup.subtree_control"] = "cpu pids\n";
  ASSERT_TRUE(make_memory_group(site_, 1));
  EXPECT_EQ(machine_.files["/sys/fs/cgroup/laggard-bench-s1/memory.max"], "128M");
  EXPECT_EQ(machine_.files["/sys/fs/cgroup/cgroup.subtree_control"], "+memory");
  EXPECT_THAT(journal_.entries,
              ElementsAre(Change{ChangeKind::kSetting, "/sys/fs/cgroup/cgroup.subtree_control", "-memory"},
                          Change{ChangeKind::kMemoryGroup, "/sys/fs/cgroup/laggard-bench-s1", {}}));
  ASSERT_TRUE(empty_cache(site_, 1));
  EXPECT_EQ(machine_.log.back(), "write /sys/fs/cgroup/laggard-bench-s1/memory.reclaim 128M");
}

TEST_F(BuildTest, AClientThatDiesIsQuoted) {
  machine_.started_mounts = false;
  machine_.answers = {};
  machine_.files["/run/laggard-bench/log/start-c1.log"] = "noise\nno such volume\n";
  machine_.processes_end = true;
  const Status started = start_gluster(site_);
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().message(),
            "/run/laggard-bench/mount1: was not mounted: its program ended: no such volume");
}

TEST(Volumes, AllServersCarryEveryStripe) {
  Layout layout;
  layout.servers = 3;
  EXPECT_THAT(client_volume(layout),
              AllOf(HasSubstr("type cluster/disperse\n  option redundancy 1"),
                    HasSubstr("subvolumes s1 s2 s3\n"), HasSubstr("remote-host 10.77.0.3")));
  EXPECT_THAT(server_volume(layout, 2), AllOf(HasSubstr("option directory /run/laggard-bench/brick2/data"),
                                              HasSubstr("bind-address 10.77.0.2")));
}

TEST(Chosen, IsTheWordInBrackets) {
  EXPECT_EQ(chosen("none [mq-deadline] kyber\n"), "mq-deadline");
  EXPECT_EQ(chosen("reno bbr\n"), "reno bbr");
  EXPECT_EQ(chosen(" 128\n"), "128");
  EXPECT_EQ(chosen("]x["), "]x[");
}

TEST(Tools, OneSentenceNamesAllThatIsMissing) {
  FakeMachine machine;
  for (const Tool& tool : tools()) {
    if (tool.package != "fio" && tool.package != "sysstat") {
      machine.files[tool.program.front() == '/' ? std::string(tool.program)
                                                : "/bin/" + std::string(tool.program)] = "";
    }
  }
  const Status there = check_tools(machine, "/usr/bin::/bin");
  ASSERT_FALSE(there);
  EXPECT_EQ(
      there.error().message(),
      "the bench runs programs that are not installed (fio, /usr/lib/sysstat/sadc); get them with: apt-get "
      "install fio sysstat");
  machine.files["/bin/fio"] = machine.files[kSadc] = "";
  EXPECT_TRUE(check_tools(machine, "/usr/bin::/bin"));
}

TEST(CheckLayout, RefusesWhatCannotStand) {
  Layout layout;
  EXPECT_TRUE(check(layout));
  layout.servers = 2;
  EXPECT_FALSE(check(layout));
  layout.servers = 9;
  layout.clients = 0;
  EXPECT_FALSE(check(layout));
  layout.clients = 4;
  layout.name = "../etc";
  EXPECT_FALSE(check(layout));
}

}  // namespace
}  // namespace laggard::lab::bench
