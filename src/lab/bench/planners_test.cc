// What every fault comes to: programs, and commands that begin and end it.
#include "lab/bench/planners.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/fake_bench_machine.h"

namespace laggard::lab::bench {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

class PlannerTest : public testing::Test {
 protected:
  PlannerTest() {
    layout_.instance = kTestId;
    machine_.folders = {"/sys/fs/cgroup/memory"};
  }
  [[nodiscard]] FaultPlan plan(std::string_view fault, std::vector<std::size_t> numbers = {2}) {
    return plan_fault({machine_, layout_, loops_, "/usr/bin/laggard-modelled-cable"},
                      {*sized_fault_of(fault), std::move(numbers)});
  }
  static std::string what(const OnHost& step) {
    return step.host + ": " + FakeMachine::join(step.command.argv);
  }
  static std::vector<std::string> all(const std::vector<OnHost>& steps) {
    std::vector<std::string> texts;
    for (const OnHost& step : steps) texts.push_back(what(step));
    return texts;
  }
  const std::string group_ = std::string("laggard-bench-s2-") + kTestId;
  Layout layout_;
  FakeMachine machine_;
  std::vector<std::string> loops_{"loop7", "loop8", "loop9"};
};

TEST_F(PlannerTest, EveryFaultOfTheCatalogueCanBeMadeAndIsTakenBack) {
  for (std::size_t row = 1; row < fault_catalogue().size(); ++row) {
    const FaultRow& fault = fault_catalogue()[row];
    const FaultPlan made = plan(fault.name);
    EXPECT_FALSE(made.programs.empty() && made.begin.empty()) << fault.name;
    // What is not a program has to be ended by a command.
    EXPECT_TRUE(!made.programs.empty() || !made.end.empty()) << fault.name;
  }
  EXPECT_THAT(plan("none").programs, IsEmpty());
}

TEST_F(PlannerTest, ADiskHogReadsTheUnusedPartition) {
  const FaultPlan hog = plan("disk-hog");
  ASSERT_THAT(hog.programs, SizeIs(1));
  // 3,072 MB of file system, then 1,024 MB that nobody uses.
  EXPECT_THAT(what(hog.programs[0]), AllOf(StartsWith("s2: "), HasSubstr("if=/dev/loop8 "),
                                           HasSubstr("bs=4M iflag=direct skip=768 count=256")));
  EXPECT_THAT(what(plan("disk-hog:medium").programs[0]),
              AllOf(HasSubstr("fio "), HasSubstr("--rate=1500000"), HasSubstr("--offset=3072M")));
}

TEST_F(PlannerTest, ABusyDiskIsReadFromBelowTheBlockDevice) {
  const FaultPlan busy = plan("disk-busy", {1, 3});
  ASSERT_THAT(busy.programs, SizeIs(2));
  EXPECT_THAT(what(busy.programs[0]), AllOf(StartsWith("x: "), HasSubstr("if=/run/laggard-bench/disk1/disk "),
                                            HasSubstr("bs=1M iflag=direct skip=3072 count=1024")));
  EXPECT_THAT(what(busy.programs[1]), HasSubstr("disk3/disk"));
}

TEST_F(PlannerTest, NetworkHogsListenBeforeTheySend) {
  const FaultPlan write = plan("write-network-hog");
  ASSERT_THAT(write.programs, SizeIs(2));
  EXPECT_THAT(what(write.programs[0]), AllOf(StartsWith("s2: socat"), HasSubstr("TCP-LISTEN")));
  EXPECT_THAT(what(write.programs[1]),
              AllOf(StartsWith("x: socat"), HasSubstr("/dev/zero TCP:10.77.0.2:9999,retry=")));
  EXPECT_THAT(write.prepare, IsEmpty());
  const FaultPlan read = plan("read-network-hog");
  EXPECT_THAT(what(read.programs[0]), StartsWith("x: socat"));
  EXPECT_THAT(what(read.programs[1]), AllOf(StartsWith("s2: socat"), HasSubstr("TCP:10.77.0.200:")));
  const FaultPlan half = plan("write-network-hog:medium");
  EXPECT_THAT(all(half.prepare), ElementsAre(HasSubstr("x: tc qdisc add dev eth0 root tbf rate 20000kbit")));
  EXPECT_THAT(all(half.end), ElementsAre("x: tc qdisc del dev eth0 root"));
}

TEST_F(PlannerTest, LossesAreRulesThatAreTakenBack) {
  const FaultPlan receive = plan("receive-pktloss");
  EXPECT_THAT(all(receive.begin),
              ElementsAre(AllOf(StartsWith("s2: nft"), HasSubstr("iif eth0 numgen random mod 1000 < 50"))));
  EXPECT_THAT(receive.end, SizeIs(1));
  const FaultPlan send = plan("send-pktloss:mild", {2, 3});
  ASSERT_THAT(send.begin, SizeIs(2 * layout_.clients));
  EXPECT_THAT(what(send.begin[3]),
              AllOf(StartsWith("c4: nft"), HasSubstr("ip saddr 10.77.0.2 numgen random mod 1000 < 10")));
  // Two servers' rules are in tables of their own.
  EXPECT_THAT(all(send.end), Contains("c1: nft delete table ip from_s2"));
  EXPECT_THAT(all(send.end), Contains("c1: nft delete table ip from_s3"));
}

TEST_F(PlannerTest, ASlowPortIsChangedAndChangedBack) {
  const FaultPlan both = plan("link-rate");
  EXPECT_THAT(all(both.begin),
              ElementsAre(HasSubstr("bridge: tc qdisc change dev p-s2 root tbf rate 8000kbit"),
                          HasSubstr("s2: tc qdisc change dev eth0 root tbf rate 8000kbit")));
  EXPECT_THAT(all(both.end), ElementsAre(HasSubstr("rate 40000kbit"), HasSubstr("rate 40000kbit")));
  EXPECT_THAT(all(plan("link-rate-in:strong").begin),
              ElementsAre(HasSubstr("dev p-s2 root tbf rate 2000kbit")));
  EXPECT_THAT(all(plan("link-rate-out").begin), ElementsAre(HasSubstr("s2: tc qdisc change dev eth0")));
}

TEST_F(PlannerTest, ASickCableTakesThePlaceOfThePort) {
  const FaultPlan late = plan("link-latency:strong");
  EXPECT_THAT(all(late.prepare), ElementsAre("bridge: ip link set p-s2 nomaster"));
  EXPECT_THAT(all(late.programs),
              ElementsAre("bridge: /usr/bin/laggard-modelled-cable p-s2 --bridge br0 --delay 100"));
  EXPECT_THAT(all(late.end), ElementsAre("bridge: ip link set p-s2 master br0"));
  EXPECT_THAT(what(plan("link-corrupt", {8}).programs[0]), HasSubstr("p-s8 --bridge br1 --corrupted 0.03"));
  EXPECT_THAT(what(plan("link-jitter").programs[0]), HasSubstr("--jitter 20"));
  EXPECT_THAT(what(plan("link-duplicate").programs[0]), HasSubstr("--duplicated 0.5"));
}

TEST_F(PlannerTest, AFlappingPortIsUpInTheEnd) {
  const FaultPlan flap = plan("link-flap");
  EXPECT_THAT(what(flap.programs[0]),
              AllOf(HasSubstr("ip link set p-s2 down && sleep 1.5"), HasSubstr("up && sleep 13.5")));
  EXPECT_THAT(all(flap.end), ElementsAre("bridge: ip link set p-s2 up"));
}

TEST_F(PlannerTest, SmallPacketsAreARouteOfBothEnds) {
  const FaultPlan mtu = plan("link-mtu");
  ASSERT_THAT(mtu.begin, SizeIs(2 * layout_.clients));
  EXPECT_EQ(what(mtu.begin[0]), "c1: ip route add 10.77.0.2/32 dev eth0 mtu lock 296");
  EXPECT_EQ(what(mtu.begin[1]), "s2: ip route add 10.77.0.101/32 dev eth0 mtu lock 296");
  EXPECT_EQ(what(mtu.end[0]), "c1: ip route del 10.77.0.2/32 dev eth0");
}

TEST_F(PlannerTest, ASickSwitchIsItsCable) {
  // Three servers of 40 Mbit/s.
  EXPECT_THAT(all(plan("switch-rate").begin),
              ElementsAre(HasSubstr("dev trunk1 root tbf rate 24000kbit"), HasSubstr("dev trunk2 root tbf")));
  EXPECT_THAT(what(plan("switch-loss").begin[0]), AllOf(HasSubstr("table bridge"), HasSubstr("< 50")));
}

TEST_F(PlannerTest, AQuotaIsWrittenToTheServersGroup) {
  const FaultPlan old = plan("cpu-quota:strong");
  EXPECT_THAT(all(old.begin),
              ElementsAre("s2: sh -c echo '1000' > /sys/fs/cgroup/cpu/" + group_ + "/cpu.cfs_quota_us"));
  EXPECT_THAT(all(old.end), ElementsAre(HasSubstr("echo '-1' >")));
  machine_.folders.clear();
  EXPECT_THAT(all(plan("cpu-quota:strong").begin),
              ElementsAre("s2: sh -c echo '1000 100000' > /sys/fs/cgroup/" + group_ + "/cpu.max"));
}

TEST_F(PlannerTest, NeighboursComputeWhereTheDaemonIsPinned) {
  const FaultPlan neighbour = plan("cpu-neighbour:mild");
  EXPECT_THAT(all(neighbour.programs), ElementsAre(AllOf(HasSubstr("taskset -c "), HasSubstr("seq 4"))));
  EXPECT_THAT(what(neighbour.prepare[0]), AllOf(HasSubstr(group_), HasSubstr("taskset -a -c -p")));
  EXPECT_THAT(what(neighbour.end[0]), HasSubstr("taskset -a -c -p 0-"));
}

TEST_F(PlannerTest, AStoppedDaemonGoesOnInTheEnd) {
  const FaultPlan stopped = plan("daemon-stop");
  EXPECT_THAT(what(stopped.programs[0]),
              AllOf(HasSubstr("kill -STOP"), HasSubstr("sleep 1 "), HasSubstr("sleep 4")));
  EXPECT_THAT(what(stopped.end[0]), HasSubstr("kill -CONT"));
}

TEST_F(PlannerTest, AServerWithoutMemorySwapsToItsOwnDisk) {
  const FaultPlan memory = plan("memory-limit");
  EXPECT_THAT(what(memory.provide[0]), HasSubstr("swapon /run/laggard-bench/brick2/swap"));
  EXPECT_THAT(all(memory.begin),
              ElementsAre(HasSubstr("memory.swappiness"),
                          AllOf(HasSubstr("kill -STOP $d; echo 16M > "), HasSubstr("memory.limit_in_bytes"),
                                HasSubstr("kill -CONT $d"))));
  // The memory is given back before what was swapped is read back.
  EXPECT_THAT(all(memory.end), ElementsAre(HasSubstr("echo '128M'"), HasSubstr("swappiness"),
                                           HasSubstr("swapoff /run/laggard-bench/brick2/swap")));
}

TEST_F(PlannerTest, ADiskIsToldWhatIsWrongWithIt) {
  EXPECT_THAT(what(plan("disk-slow:strong").begin[0]),
              AllOf(HasSubstr("slower=5"), HasSubstr("> /run/laggard-bench/disk2/ailment")));
  EXPECT_THAT(what(plan("disk-stall").begin[0]), HasSubstr("stall=1 every=15"));
  EXPECT_THAT(what(plan("disk-rare-stall").begin[0]), HasSubstr("stall=10 every=420"));
  EXPECT_THAT(what(plan("disk-retry").begin[0]), HasSubstr("failed=0.01 retry=500"));
  EXPECT_THAT(what(plan("disk-region").begin[0]),
              AllOf(HasSubstr("slower=6 region=0.25"), Not(HasSubstr("stall=1"))));
  EXPECT_THAT(what(plan("disk-slow").end[0]), HasSubstr("slower=1 region=0 stall=0"));
}

TEST_F(PlannerTest, ReadAheadComesBackToThatOfTheBench) {
  EXPECT_THAT(all(plan("read-ahead:strong").begin),
              ElementsAre("s2: sh -c echo 0 > /sys/block/loop8/queue/read_ahead_kb"));
  EXPECT_THAT(all(plan("read-ahead").end), ElementsAre(HasSubstr("echo 128 >")));
}

TEST_F(PlannerTest, AFullFileSystemIsFilledAsFarAsItGoes) {
  const FaultPlan full = plan("disk-full:strong");
  EXPECT_THAT(what(full.begin[0]), AllOf(HasSubstr("size=$((free-0))"), HasSubstr("brick2/full")));
  EXPECT_THAT(all(full.end), ElementsAre("s2: rm -f /run/laggard-bench/brick2/full"));
}

TEST_F(PlannerTest, ASlowClientIsNoServer) {
  EXPECT_THAT(all(plan("slow-client:strong", {3}).begin),
              ElementsAre(HasSubstr("c3: tc qdisc add dev eth0 root tbf rate 4000kbit"),
                          HasSubstr("bridge: tc qdisc add dev p-c3")));
  const FaultPlan neighbour = plan("metadata-neighbour:mild", {4});
  ASSERT_THAT(neighbour.programs, SizeIs(1));
  EXPECT_THAT(what(neighbour.programs[0]),
              AllOf(StartsWith("c4: "), HasSubstr("mount4/neighbour4.1"), HasSubstr("mount4/neighbour4.4")));
}

TEST_F(PlannerTest, WhatWasInjectedIsClearedOnce) {
  NotedJournal journal(machine_);
  Site site(machine_, journal, layout_);
  const auto times = [&](std::string_view what) {
    return std::count_if(machine_.log.begin(), machine_.log.end(),
                         [&](const std::string& line) { return line.find(what) != std::string::npos; });
  };
  {
    auto fault = InjectedFault::inject(site, plan("receive-pktloss"));
    ASSERT_TRUE(fault);
    EXPECT_TRUE(fault->check());
    ASSERT_TRUE(fault->clear());
  }
  EXPECT_EQ(times("delete table"), 1);
  auto hog = InjectedFault::inject(site, plan("write-network-hog"));
  ASSERT_TRUE(hog);
  machine_.processes.clear();
  EXPECT_FALSE(hog->check());  // A fault that ended by itself is no fault.
}

TEST_F(PlannerTest, WhatWasHalfBegunIsEnded) {
  NotedJournal journal(machine_);
  Site site(machine_, journal, layout_);
  machine_.answers = {{"fallocate", {1, "No space left on device"}},
                      {"kill -STOP", {1, "Device or resource busy"}}};
  EXPECT_FALSE(run_steps(site, plan("memory-limit").provide));
  EXPECT_FALSE(InjectedFault::inject(site, plan("memory-limit")));
  EXPECT_LT(machine_.position("swapoff"), machine_.log.size());
}

}  // namespace
}  // namespace laggard::lab::bench
