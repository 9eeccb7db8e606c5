// What is done to the machine to build a bench, in which order, and that the journal always knows first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/bench/file_system.h"
#include "lab/bench/machine.h"
#include "lab/bench/site.h"
#include "lab/bench/storage.h"
#include "lab/bench/undo.h"
#include "testing/fake_bench_machine.h"

namespace laggard::lab::bench {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class BuildTest : public testing::Test {
 protected:
  BuildTest() {
    layout_.servers = 3;
    layout_.clients = 1;
    layout_.instance = kTestId;
    machine_.files[kAllowedControl] = "reno bbr\n";
    machine_.folders = {"/sys/fs/cgroup/memory"};
    for (const char* loop : {"loop7", "loop8", "loop9"}) {
      const std::string queue = std::string("/sys/block/") + loop + "/queue/";
      machine_.files[queue + "scheduler"] = "[none] mq-deadline kyber bfq\n";
      machine_.files[queue + "max_sectors_kb"] = "1280\n";
      machine_.files[queue + "rotational"] = "0\n";
      machine_.files[queue + "nr_requests"] = "128\n";
      machine_.files[queue + "read_ahead_kb"] = "128\n";
      const std::string bdi = std::string("/sys/block/") + loop + "/bdi/";
      machine_.files[bdi + "strict_limit"] = "0\n";
      machine_.files[bdi + "max_ratio"] = "100\n";
    }
  }
  Layout layout_;
  FakeMachine machine_;
  NotedJournal journal_{machine_};
  Site site_{machine_, journal_, layout_};
};

TEST_F(BuildTest, EveryHostIsConnectedInANamespaceOfTheStateFolder) {
  ASSERT_TRUE(build_network(site_));
  for (const std::string host : {"bridge", "s1", "s2", "s3", "c1", "x"}) {
    const std::string network = "/run/laggard-bench/net/" + host;
    EXPECT_THAT(machine_.mounts, Contains(Mount{network, "nsfs", "nsfs"})) << host;
  }
  EXPECT_THAT(machine_.log, Contains(HasSubstr("ip address add 10.77.0.2/24 dev eth0")));
  EXPECT_THAT(machine_.log, Contains(HasSubstr("ethtool -K eth0 tso off gso off gro off")));
}

TEST_F(BuildTest, TheLastThirdOfTheServersIsOnASecondSwitch) {
  layout_.servers = 6;
  ASSERT_TRUE(build_network(site_));
  EXPECT_THAT(machine_.log, Contains(HasSubstr("ip link add trunk1 type veth peer name trunk2")));
  for (const char* port : {"p-s4 master br0", "p-s5 master br1", "p-s6 master br1", "p-c1 master br0",
                           "p-x master br0", "trunk2 master br1"}) {
    EXPECT_THAT(machine_.log, Contains(HasSubstr(port))) << port;
  }
}

TEST_F(BuildTest, TheOneKernelSettingIsKept) {
  ASSERT_TRUE(build_network(site_));
  EXPECT_EQ(machine_.files[kAllowedControl], "reno bbr cubic");
  EXPECT_LT(machine_.position("journal congestion-control\t\treno bbr"),
            machine_.position(std::string("write ") + kAllowedControl));
}

TEST_F(BuildTest, ASettingThatFitsIsLeftAlone) {
  machine_.files[kAllowedControl] = "reno cubic\n";
  ASSERT_TRUE(build_network(site_));
  EXPECT_THAT(machine_.log, Not(Contains(StartsWith("write /proc"))));
}

TEST_F(BuildTest, OnlyServersPortsAreLimited) {
  ASSERT_TRUE(limit_network(site_));
  ASSERT_EQ(machine_.log.size(), 6U);  // Three servers, both ways.
  EXPECT_THAT(machine_.log[0],
              AllOf(HasSubstr("laggard-bench/net/s1"), HasSubstr("dev eth0 root tbf rate 40000kbit")));
  EXPECT_THAT(machine_.log[1], AllOf(HasSubstr("laggard-bench/net/bridge"), HasSubstr("dev p-s1 ")));
}

TEST_F(BuildTest, ADiskIsModelledAttachedFormattedMounted) {
  const auto loops = build_disks(site_, "/usr/bin/laggard-modelled-disk");
  ASSERT_TRUE(loops) << loops.error().message();
  EXPECT_THAT(*loops, ElementsAre("loop7", "loop8", "loop9"));
  const std::size_t serve =
      machine_.position("chrt --fifo 10 /usr/bin/laggard-modelled-disk /run/laggard-bench/disk1");
  const std::size_t attach = machine_.position("losetup --find --direct-io=on /run/laggard-bench/disk1/disk");
  const std::size_t format = machine_.position("mkfs.ext4");
  const std::size_t mount = machine_.position("mount -o noatime");
  EXPECT_LT(serve, attach);
  EXPECT_LT(attach, format);
  EXPECT_LT(format, mount);
  EXPECT_THAT(journal_.entries, Contains(Change{Setting::kScheduler, "loop7", "none"}));
  EXPECT_THAT(journal_.entries, Contains(Change{Setting::kMaxRatio, "loop7", "100"}));
  // A new scheduler changes others: they have to be read before it is set.
  EXPECT_LT(machine_.position("journal read-ahead\tloop7"),
            machine_.position("write /sys/block/loop7/queue/scheduler"));
}

TEST_F(BuildTest, ProcessesCarryTheMarkOfTheirBench) {
  ASSERT_TRUE(build_disks(site_, "/usr/bin/laggard-modelled-disk"));
  ASSERT_TRUE(start_gluster(site_));
  EXPECT_THAT(machine_.environments["chrt"], ElementsAre(std::string("LAGGARD_BENCH_DISK=") + kTestId));
  for (const char* program : {"losetup", "mount", "mkfs.ext4", "nsenter"}) {
    EXPECT_THAT(machine_.environments[program], ElementsAre(std::string("LAGGARD_BENCH=") + kTestId))
        << program;
  }
}

TEST_F(BuildTest, UndoingABuildLeavesNothing) {
  ASSERT_TRUE(build_network(site_));
  ASSERT_TRUE(build_disks(site_, "/usr/bin/laggard-modelled-disk"));
  ASSERT_TRUE(start_gluster(site_));
  machine_.log.clear();
  const auto failed =
      undo(machine_, layout_, journal_.entries, [](const std::string& s) { ADD_FAILURE() << s; });
  ASSERT_TRUE(failed) << failed.error().message();
  EXPECT_EQ(*failed, 0U);
  EXPECT_THAT(machine_.mounts, IsEmpty());
  EXPECT_THAT(machine_.attached, IsEmpty());
  EXPECT_THAT(machine_.folders, Not(Contains(HasSubstr("cgroup/memory/"))));
  EXPECT_THAT(machine_.folders, Not(Contains(HasSubstr("cgroup/cpu/"))));
  EXPECT_EQ(machine_.files[kAllowedControl], "reno bbr");
  EXPECT_EQ(machine_.files["/sys/block/loop8/queue/scheduler"], "none");
  EXPECT_EQ(machine_.files["/sys/block/loop8/queue/nr_requests"], "128");
}

TEST_F(BuildTest, ServersRunInTheirMemoryGroup) {
  ASSERT_TRUE(start_gluster(site_));
  const std::string group = std::string("/sys/fs/cgroup/memory/laggard-bench-s2-") + kTestId;
  EXPECT_LT(machine_.position("mkdir " + group), machine_.position(group + "/memory.limit_in_bytes 128M"));
  EXPECT_THAT(machine_.log,
              Contains(AllOf(StartsWith("start nsenter --net=/run/laggard-bench/net/s2 -- sh -c"),
                             HasSubstr(group + "/cgroup.procs nice -n -15 glusterfsd"))));
}

TEST_F(BuildTest, AllThatRunsOnAServerIsInOneGroupWhereThatIsPossible) {
  EXPECT_FALSE(work_group(machine_, layout_, 2));
  machine_.files["/sys/fs/cgroup/unified/cgroup.procs"] = "";
  ASSERT_TRUE(start_gluster(site_));
  const std::string group = std::string("/sys/fs/cgroup/unified/laggard-bench-s2-") + kTestId;
  EXPECT_EQ(work_group(machine_, layout_, 2), group);
  ASSERT_TRUE(site_.start("s2", {{"dd"}, {}, {}}, "fault-s2"));
  EXPECT_EQ(machine_.log.back(), "start sh -c echo $$ >\"$0\" && exec \"$@\" " + group +
                                     "/cgroup.procs nsenter --net=/run/laggard-bench/net/s2 -- dd");
  ASSERT_TRUE(site_.start("c1", {{"dd"}, {}, {}}, "workload-c1"));
  EXPECT_THAT(machine_.log.back(), Not(HasSubstr("unified")));
  ASSERT_TRUE(undo(machine_, layout_, journal_.entries, [](const std::string&) {}));
  EXPECT_THAT(machine_.folders, Not(Contains(HasSubstr("unified"))));
}

TEST_F(BuildTest, StripedFilesAreServedByEveryServerAndMountedFromAll) {
  const auto started = start_striped(site_, "/usr/bin/laggard-striped-files");
  ASSERT_TRUE(started) << started.error().message();
  EXPECT_EQ(started->size(), layout_.servers + layout_.clients);
  EXPECT_EQ(started->front().host, "s1");
  EXPECT_EQ(started->back().host, layout_.client(layout_.clients));
  EXPECT_THAT(machine_.log, Contains(HasSubstr("laggard-striped-files serve /run/laggard-bench/brick2/data "
                                               "--address 10.77.0.2 --port 24007 --number 1")));
  EXPECT_THAT(machine_.log,
              Contains(AllOf(HasSubstr("mount /run/laggard-bench/mount1 --server 10.77.0.1:24007"),
                             HasSubstr("--server 10.77.0.3:24007"))));
  machine_.log.clear();
  const auto failed =
      undo(machine_, layout_, journal_.entries, [](const std::string& s) { ADD_FAILURE() << s; });
  ASSERT_TRUE(failed) << failed.error().message();
  EXPECT_THAT(machine_.mounts, IsEmpty());
}

TEST_F(BuildTest, ControlGroupsOfVersion2) {
  machine_.folders.clear();
  machine_.files["/sys/fs/cgroup/cgroup.subtree_control"] = "cpu pids\n";
  ASSERT_TRUE(make_groups(site_, 1));
  const std::string group = std::string("/sys/fs/cgroup/laggard-bench-s1-") + kTestId;
  EXPECT_EQ(machine_.files[group + "/memory.max"], "128M");
  EXPECT_EQ(machine_.files[group + "/memory.swap.max"], "0");
  EXPECT_EQ(machine_.files[group + "/cpu.weight"], "2847");
  EXPECT_EQ(machine_.files["/sys/fs/cgroup/cgroup.subtree_control"], "cpu pids memory\n");
  EXPECT_THAT(journal_.entries, ElementsAre(Change{Setting::kMemoryController, "", ""}));
  ASSERT_TRUE(empty_cache(site_, 1));
  EXPECT_EQ(machine_.log.back(), "write " + group + "/memory.reclaim 128M");
  ASSERT_TRUE(undo(machine_, layout_, journal_.entries, [](const std::string&) {}));
  EXPECT_EQ(machine_.files["/sys/fs/cgroup/cgroup.subtree_control"], "cpu pids \n");
}

TEST_F(BuildTest, ControllersOfVersion2ThatWereMissingAreTakenAwayAgain) {
  machine_.folders.clear();
  machine_.files["/sys/fs/cgroup/cgroup.subtree_control"] = "cpuset\n";  // Not to be mistaken for cpu.
  ASSERT_TRUE(make_groups(site_, 1));
  EXPECT_THAT(journal_.entries, ElementsAre(Change{Setting::kMemoryController, "", ""},
                                            Change{Setting::kCpuController, "", ""}));
  ASSERT_TRUE(undo(machine_, layout_, journal_.entries, [](const std::string&) {}));
  EXPECT_EQ(machine_.files["/sys/fs/cgroup/cgroup.subtree_control"], "cpuset \n");
}

TEST_F(BuildTest, AClientThatDiesIsQuoted) {
  machine_.started_mounts = false;
  machine_.answers = {};
  machine_.files["/run/laggard-bench/log/start-c1.log"] = "noise\nno such volume\n";
  machine_.processes_end = true;
  const auto started = start_gluster(site_);
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
  for (const Tool& tool : tools(FileSystem::kGluster)) {
    if (tool.package != "fio" && tool.package != "sysstat") {
      machine.files[tool.program.front() == '/' ? std::string(tool.program)
                                                : "/bin/" + std::string(tool.program)] = "";
    }
  }
  const Status there = check_tools(machine, {FileSystem::kGluster, "/usr/bin::/bin"});
  ASSERT_FALSE(there);
  EXPECT_EQ(
      there.error().message(),
      "the bench runs programs that are not installed (fio, /usr/lib/sysstat/sadc); get them with: apt-get "
      "install fio sysstat");
  machine.files["/bin/fio"] = machine.files[kSadc] = "";
  EXPECT_TRUE(check_tools(machine, {FileSystem::kGluster, "/usr/bin::/bin"}));
  EXPECT_TRUE(check_tools(machine, {FileSystem::kStriped, "/bin"}));
  const Status ceph = check_tools(machine, {FileSystem::kCeph, "/bin"});
  ASSERT_FALSE(ceph);
  EXPECT_THAT(ceph.error().message(), AllOf(HasSubstr("ceph-mon, ceph-mgr"),
                                            HasSubstr("apt-get install ceph-common ceph-mon ceph-mgr "
                                                      "ceph-mds ceph-osd ceph-fuse attr curl")));
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
