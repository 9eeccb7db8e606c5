#include "collect/procfs/daemon_sampler.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "testing/fake_machine.h"

namespace laggard::collect {
namespace {
using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;

TEST(ProcessTables, TheNameOfAProcessMayHoldAnything) {
  const auto stat = parse_process_stat(
      "77 (a) b) S 1 2 3 0 -1 4194304 100 0 9 0 30 12 0 0 20 0 17 0 73838 3133440 393 184 9 1");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->state, 'S');
  EXPECT_EQ(stat->major_faults, 9U);
  EXPECT_EQ(stat->cpu_ticks, 42U);
  EXPECT_EQ(stat->threads, 17U);
  EXPECT_EQ(stat->start_ticks, 73838U);
  EXPECT_EQ(stat->rss_pages, 393U);
  EXPECT_FALSE(parse_process_stat("77 (cut) S 1 2 3"));
  EXPECT_FALSE(parse_process_stat(""));
  EXPECT_TRUE(ProcessStat{.state = 'T'}.is_stopped());
}

TEST(ProcessTables, BothVersionsOfControlGroupsTellOfThrottling) {
  const auto one = parse_throttling("nr_periods 50\nnr_throttled 40\nthrottled_time 3000000\n");
  ASSERT_TRUE(one);
  EXPECT_EQ(one->us, 3000U);
  EXPECT_EQ(one->periods, 40U);
  const auto two = parse_throttling("usage_usec 9\nnr_periods 5\nnr_throttled 4\nthrottled_usec 70\n");
  ASSERT_TRUE(two);
  EXPECT_EQ(two->us, 70U);
  EXPECT_FALSE(parse_throttling("usage_usec 9\n")) << "the root of version 2";
}

TEST(ProcessTables, WhereAProcessIsGrouped) {
  const CgroupPaths paths = parse_cgroup_paths("4:memory:/m\n2:cpu,cpuacct:/a:b\n0::/system.slice/x\n");
  EXPECT_EQ(paths.cpu_v1, "/a:b");
  EXPECT_EQ(paths.v2, "/system.slice/x");
  EXPECT_EQ(parse_cgroup_paths("2:cpuset:/x\nnonsense\n").cpu_v1, "");
}

struct FakeProcess {
  int pid = 0;
  std::uint64_t ticks = 0;
  std::vector<std::uint64_t> delays_ns;  ///< Of its threads.
  std::string name = "glusterfsd";
  std::string state = "S";
  std::string cgroup = "2:cpu:/gluster\n";
  std::uint64_t start = 100;
};

class DaemonSamplerTest : public testing::Test {
 protected:
  void open(DaemonOptions options = {}) {
    sampler_ = DaemonSampler::open(root_.path(), "fs1", std::move(options), notices_);
  }
  void show(const FakeProcess& p) const {
    const std::string folder = fmt::format("proc/{}", p.pid);
    root_.write(folder + "/comm", p.name + "\n");
    root_.write(folder + "/cgroup", p.cgroup);
    root_.write(folder + "/stat",
                fmt::format("{} ({}) {} 1 2 3 0 -1 4 100 0 6 0 {} 0 0 0 20 0 {} 0 {} 31 25 184", p.pid,
                            p.name, p.state, p.ticks, p.delays_ns.size(), p.start));
    for (std::size_t t = 0; t < p.delays_ns.size(); ++t) {
      root_.write(fmt::format("{}/task/{}/schedstat", folder, p.pid + static_cast<int>(t)),
                  fmt::format("123 {} 7\n", p.delays_ns[t]));
    }
  }
  void show_throttling(std::uint64_t ms) const {
    root_.write("sys/fs/cgroup/cpu/gluster/cpu.stat",
                fmt::format("nr_periods 50\nnr_throttled 40\nthrottled_time {}\n", ms * 1'000'000));
  }
  void sample() {
    clock_.advance(1s);
    sampler_->sample(clock_);
  }
  SampleTable taken() { return sampler_->batch().take(""); }
  static std::optional<std::uint64_t> at(const SampleTable& table, std::string_view counter, std::size_t t) {
    return table.integer(*table.counter_index(counter), 0, t);
  }

  FakeRoot root_;
  FakeClock clock_;
  std::vector<std::string> said_;
  Notices notices_{[this](const std::string& sentence) { said_.push_back(sentence); }};
  std::unique_ptr<DaemonSampler> sampler_;
};

TEST_F(DaemonSamplerTest, ProcessesOfOneNameAreOneDaemon) {
  FakeProcess a{.pid = 10, .ticks = 500, .delays_ns = {1'000'000, 2'000'000}};
  FakeProcess b{.pid = 20, .ticks = 700, .delays_ns = {0}};
  show(a);
  show(b);
  show({.pid = 30, .ticks = 9, .delays_ns = {1}, .name = "bash"});
  open();
  sample();
  a.ticks += 3;
  a.delays_ns[1] += 5'000'000;
  b.ticks += 1;
  b.delays_ns[0] += 4'000'000;
  show(a);
  show(b);
  sample();
  const SampleTable table = taken();
  EXPECT_EQ(table.devices(), std::vector<std::string>{"glusterfsd"});
  EXPECT_EQ(at(table, "cpu_us", 0), 0U) << "what was before the recorder is not its business";
  EXPECT_EQ(at(table, "cpu_us", 1), 40'000U);
  EXPECT_EQ(at(table, "run_wait_us", 1), 9'000U);
  EXPECT_EQ(at(table, "processes", 1), 2U);
  EXPECT_EQ(at(table, "threads", 1), 3U);
  EXPECT_EQ(at(table, "rss_kb", 1), 200U);
  EXPECT_FALSE(at(table, "throttled_us", 1)) << "there are no control groups here";
}

TEST_F(DaemonSamplerTest, TotalsGoOnWhenThreadsAndProcessesEnd) {
  FakeProcess a{.pid = 10, .ticks = 500, .delays_ns = {1'000'000, 2'000'000}};
  show(a);
  show({.pid = 20, .ticks = 90, .delays_ns = {7'000'000}});
  open();
  sample();
  a.delays_ns = {3'000'000};
  show(a);
  root_.remove("proc/10/task/11");
  root_.write("proc/10/task/12/schedstat", "1 6000000 1\n");  // A thread that began since.
  root_.write("proc/20/stat", "");
  sample();
  sample();
  const SampleTable table = taken();
  EXPECT_EQ(at(table, "run_wait_us", 2), 2'000U + 6'000U);
  EXPECT_EQ(at(table, "processes", 2), 1U);
}

TEST_F(DaemonSamplerTest, APidThatMeansAnotherProcessIsNotTheDaemon) {
  FakeProcess a{.pid = 10, .ticks = 500, .delays_ns = {0}};
  show(a);
  open();
  sample();
  a.start = 999;
  a.ticks = 900'000;
  show(a);
  sample();
  EXPECT_EQ(sampler_->devices(), 0U);
}

TEST_F(DaemonSamplerTest, AProcessThatHasEndedIsNoDaemon) {
  show({.pid = 10, .ticks = 5, .delays_ns = {0}, .state = "Z"});
  open();
  sample();
  EXPECT_EQ(sampler_->devices(), 0U);
}

TEST_F(DaemonSamplerTest, QuotasOfTheGroupAndOfThoseAroundItCount) {
  show({.pid = 10, .ticks = 5, .delays_ns = {0}});
  show_throttling(1000);
  open();
  sample();
  show_throttling(1700);
  sample();
  // It moves to a group in one that has a quota, and is seen there after a few seconds.
  root_.write("sys/fs/cgroup/cpu/limited/cpu.cfs_quota_us", "2500\n");
  root_.write("sys/fs/cgroup/cpu/limited/cpu.stat", "nr_periods 1\nnr_throttled 1\nthrottled_time 9000000\n");
  root_.write("sys/fs/cgroup/cpu/limited/in/cpu.stat", "nr_periods 0\nnr_throttled 0\nthrottled_time 0\n");
  show({.pid = 10, .ticks = 5, .delays_ns = {0}, .cgroup = "2:cpu:/limited/in\n"});
  for (int i = 0; i < 4; ++i) sample();
  root_.write("sys/fs/cgroup/cpu/limited/cpu.stat", "nr_periods 1\nnr_throttled 3\nthrottled_time 9500000\n");
  sample();
  const SampleTable table = taken();
  EXPECT_EQ(at(table, "throttled_us", 0), 0U);
  EXPECT_EQ(at(table, "throttled_us", 1), 700'000U);
  EXPECT_EQ(at(table, "throttled_us", 5), 700'000U);
  EXPECT_EQ(at(table, "throttled_us", 6), 700'500U);
  EXPECT_EQ(at(table, "throttles", 6), 2U);
}

TEST_F(DaemonSamplerTest, OtherNetworkNamespacesServeOtherHosts) {
  root_.link("proc/self/ns/net", "net:[1]");
  show({.pid = 10, .ticks = 5, .delays_ns = {0}});
  root_.link("proc/10/ns/net", "net:[1]");
  show({.pid = 20, .ticks = 5, .delays_ns = {0}});
  root_.link("proc/20/ns/net", "net:[2]");
  open();
  sample();
  EXPECT_EQ(at(taken(), "processes", 0), 1U);
}

TEST_F(DaemonSamplerTest, WhatIsNotFoundIsSaid) {
  open({.globs = {"ceph-osd"}, .cgroups = {{"bricks", "gone/bricks"}}});
  sample();
  EXPECT_THAT(said_, Contains(HasSubstr("ceph-osd")));
  EXPECT_THAT(said_, Contains(HasSubstr("gone/bricks")));
  EXPECT_EQ(sampler_->devices(), 0U);
}

TEST_F(DaemonSamplerTest, AChosenControlGroupIsOneDaemonWhateverItRuns) {
  show({.pid = 10, .ticks = 5, .delays_ns = {0}, .name = "brick-a"});
  show({.pid = 20, .ticks = 5, .delays_ns = {0}, .name = "brick-b"});
  root_.write("sys/fs/cgroup/cpu/gluster/cgroup.procs", "10\n20\n");
  const auto chosen = parse_chosen_cgroup("bricks=gluster");
  ASSERT_TRUE(chosen);
  open({.globs = {}, .cgroups = {*chosen}});
  sample();
  const SampleTable table = taken();
  EXPECT_EQ(table.devices(), std::vector<std::string>{"bricks"});
  EXPECT_EQ(at(table, "processes", 0), 2U);
  EXPECT_EQ(parse_chosen_cgroup("/sys/fs/cgroup/fs1")->name, "fs1");
  EXPECT_FALSE(parse_chosen_cgroup("name="));
}

/// A child of ours that is stopped, seen through the kernel's own /proc.
TEST(DaemonSamplerReal, SeesAStoppedProcess) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  ASSERT_GT(child, 0);
  ::kill(child, SIGSTOP);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, WUNTRACED), child);
  auto meter = ProcessMeter::open("/proc", child);
  ASSERT_TRUE(meter);
  DaemonTotals totals;
  std::size_t spare = 10;
  const auto stat = meter->sample(totals, spare);
  ::kill(child, SIGKILL);
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(stat);
  EXPECT_TRUE(stat->is_stopped());
  EXPECT_EQ(stat->threads, 1U);
  EXPECT_EQ(spare, 9U);
  EXPECT_FALSE(meter->sample(totals, spare)) << "it is gone";
}

}  // namespace
}  // namespace laggard::collect
