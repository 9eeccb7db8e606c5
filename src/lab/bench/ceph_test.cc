// Ceph on the bench: its settings, who gets which placement groups, what is started where, and what it says.
#include "lab/bench/ceph.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "base/file.h"
#include "base/text.h"
#include "lab/bench/linux_machine.h"
#include "lab/bench/storage.h"
#include "lab/bench/truth.h"
#include "lab/bench/undo.h"
#include "testing/fake_bench_machine.h"

namespace laggard::lab::bench {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

class CephTest : public testing::Test {
 protected:
  CephTest() {
    layout_.file_system = FileSystem::kCeph;
    layout_.servers = 3;
    layout_.clients = 2;
    layout_.instance = kTestId;
    machine_.folders = {"/sys/fs/cgroup/memory"};
    machine_.files[kAllowedControl] = "reno cubic\n";
    machine_.answers = {{" osd stat", {0, "3 osds: 3 up (since 4s), 3 in (since 9s); epoch: e12\n"}},
                        {" mds stat", {0, "bench:1 {0=a=up:active}\n"}},
                        {" pg stat", {0, "144 pgs: 144 active+clean; 2.3 KiB data, 1 GiB used\n"}}};
  }
  const std::vector<std::string> loops_{"loop7", "loop8", "loop9"};
  Layout layout_;
  FakeMachine machine_;
  NotedJournal journal_{machine_};
  Site site_{machine_, journal_, layout_};
};

TEST_F(CephTest, EveryOsdListensAtItsServersAddress) {
  const std::string text = ceph_configuration(layout_);
  EXPECT_THAT(
      text, AllOf(HasSubstr("fsid = 01234567-89ab-cdef-0123-456789abcdef\n"),
                  HasSubstr("mon_host = [v2:10.77.0.201:3300,v1:10.77.0.201:6789]\n"),
                  HasSubstr("[osd.2]\npublic_addr = 10.77.0.3\ncluster_addr = 10.77.0.3\n"),
                  HasSubstr("log_file = /run/laggard-bench/log/ceph-osd-s3.log\nms_bind_port_min = 24007\n"),
                  Not(HasSubstr("[osd.3]"))));
}

TEST_F(CephTest, OsdsAreOnHostsOfTheirOwn) {
  EXPECT_THAT(ceph_osd_commands(layout_), HasSubstr("osd new 00000002-89ab-cdef-0123-456789abcdef\n"
                                                    "osd crush add osd.1 1.0 root=default host=s2\n"));
}

TEST(PlacementGroups, AreDealtOutEvenly) {
  for (const std::size_t servers : {3U, 6U, 9U}) {
    Layout layout;
    layout.servers = servers;
    std::map<std::size_t, int> first;
    std::map<std::size_t, int> all;
    std::set<std::string> groups;
    std::istringstream lines(ceph_pool_commands(layout));
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string osd, what, group;
      std::size_t primary = 0, second = 0;
      words >> osd >> what >> group;
      if (what != "pg-upmap") continue;
      ASSERT_TRUE(words >> primary >> second) << line;
      EXPECT_NE(primary, second);
      EXPECT_TRUE(groups.insert(group).second) << line;
      if (group.rfind("1.", 0) != 0) continue;
      ++first[primary];
      ++all[primary];
      ++all[second];
    }
    EXPECT_EQ(groups.size(), kDataGroups + kMetadataGroups);
    EXPECT_TRUE(groups.count("1.7f") == 1 && groups.count("2.f") == 1);  // Hexadecimal, as Ceph names them.
    const auto spread = [&](const std::map<std::size_t, int>& of) {
      EXPECT_EQ(of.size(), servers);
      const auto [least, most] =
          std::ranges::minmax_element(of, {}, [](const auto& one) { return one.second; });
      return most->second - least->second;
    };
    EXPECT_LE(spread(first), 1) << servers;
    EXPECT_LE(spread(all), 2) << servers;
  }
}

TEST_F(CephTest, ServesBeforeItIsMounted) {
  const auto started = start_ceph(site_, loops_);
  ASSERT_TRUE(started) << started.error().message();
  ASSERT_THAT(*started, SizeIs(5));  // Not what runs besides.
  EXPECT_EQ(started->front().host, "s1");
  EXPECT_EQ(started->back().host, "c2");
  const std::vector<std::string> order{
      "ceph-mon -c /run/laggard-bench/ceph/ceph.conf --mkfs",
      "start nsenter --net=/run/laggard-bench/net/m -- nice -n -15 ceph-mon ",
      "ln -s /dev/loop8 /run/laggard-bench/ceph/osd1/block",
      "--mkfs -i 1 --osd-uuid 00000002-89ab-cdef-0123-456789abcdef",
      "nice -n -15 ceph-osd -c /run/laggard-bench/ceph/ceph.conf -f -i 1",
      "/net/m -- nice -n -15 ceph-mgr ",
      " osd stat",
      "/net/m -- nice -n -15 ceph-mds ",
      " mds stat",
      " pg stat",
      "start nsenter --net=/run/laggard-bench/net/c1 -- nice -n -15 ceph-fuse ",
      "setfattr -n ceph.dir.layout -v stripe_unit=65536 stripe_count=1 object_size=65536 "
      "/run/laggard-bench/mount1"};
  for (std::size_t i = 1; i < order.size(); ++i) {
    ASSERT_LT(machine_.position(order[i]), machine_.log.size()) << order[i];
    EXPECT_LT(machine_.position(order[i - 1]), machine_.position(order[i])) << order[i];
  }
  EXPECT_THAT(machine_.files["/sys/fs/cgroup/memory/laggard-bench-s2-" + kTestId + "/memory.limit_in_bytes"],
              "1024M");
}

TEST_F(CephTest, WhatItRefusesIsQuoted) {
  machine_.answers.insert(
      machine_.answers.begin(),
      {"timeout 110 ceph -c", {0, "0\nError EINVAL: no such pool\nError EPERM: later\n"}});
  const auto started = start_ceph(site_, loops_);
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().message(), "ceph: Error EINVAL: no such pool");
}

TEST_F(CephTest, AnOsdThatDoesNotComeUpIsWaitedForInVain) {
  machine_.answers[0].second.text = "3 osds: 2 up (since 4s), 3 in (since 9s)\n";
  const auto started = start_ceph(site_, loops_);
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().message(), "ceph osd stat: still says: 3 osds: 2 up (since 4s), 3 in (since 9s)");
}

TEST_F(CephTest, AGroupOfAPoolThatNobodyAskedForIsNoMistake) {
  for (auto& [asked, answer] : machine_.answers) {
    if (asked == " pg stat") answer.text = "145 pgs: 145 active+clean; 2.3 KiB data, 1 GiB used\n";
  }
  EXPECT_TRUE(start_ceph(site_, loops_));
}

TEST_F(CephTest, AGroupThatIsNotCleanIsWaitedForInVain) {
  for (const char* said :
       {"145 pgs: 1 peering, 144 active+clean; 2.3 KiB data", "100 pgs: 100 active+clean; 0 B"}) {
    for (auto& [asked, answer] : machine_.answers) {
      if (asked == " pg stat") answer.text = said;
    }
    const auto started = start_ceph(site_, loops_);
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().message(), fmt::format("ceph pg stat: still says: {}", said));
  }
}

TEST_F(CephTest, HasAHostBesidesAndNoBricksAndIsUndone) {
  for (const std::string& loop : loops_) {
    for (const char* file :
         {"queue/scheduler", "queue/max_sectors_kb", "queue/rotational", "queue/nr_requests",
          "queue/read_ahead_kb", "bdi/strict_limit", "bdi/max_ratio"}) {
      machine_.files["/sys/block/" + loop + "/" + file] = "1\n";
    }
  }
  ASSERT_TRUE(build_network(site_));
  EXPECT_THAT(machine_.log, Contains(HasSubstr("ip address add 10.77.0.201/24 dev eth0")));
  ASSERT_TRUE(build_disks(site_, "/usr/bin/laggard-modelled-disk"));
  EXPECT_THAT(machine_.log, Not(Contains(HasSubstr("mkfs.ext4"))));
  ASSERT_TRUE(start_ceph(site_, loops_));
  EXPECT_THAT(machine_.mounts, Contains(Mount{"/run/laggard-bench/mount2", "fuse.ceph-fuse", "ceph-fuse"}));
  ASSERT_TRUE(drop_caches(site_));
  EXPECT_THAT(machine_.log.back(), HasSubstr("tell osd.* cache drop"));
  const auto failed =
      undo(machine_, layout_, journal_.entries, [](const std::string& s) { ADD_FAILURE() << s; });
  ASSERT_TRUE(failed) << failed.error().message();
  EXPECT_EQ(*failed, 0U);
  EXPECT_THAT(machine_.mounts, IsEmpty());
  EXPECT_THAT(machine_.attached, IsEmpty());
  EXPECT_THAT(system_toml(layout_, loops_),
              AllOf(StartsWith("# The bench: Ceph on one machine."),
                    HasSubstr("address = \"10.77.0.3\"\ndevice = \"loop9\""), Not(HasSubstr("10.77.0.201"))));
}

TEST_F(CephTest, OtherFileSystemsSayNothing) {
  layout_.file_system = FileSystem::kGluster;
  const auto recorded = record_ceph(site_, "/out");
  ASSERT_TRUE(recorded);
  EXPECT_THAT(recorded->processes(), IsEmpty());
}

/// Runs the recorders' scripts with programs that answer what Ceph 16 did.
class CephRecorder : public CephTest {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_ / "bin");
    program("sleep", "[ ! -e \"$0.slept\" ] && : >\"$0.slept\"");
    program("ceph", R"(read -r first; read -r second; printf '%s\n' '' \
'{"pg_ready":true,"osdstats":{"osd_perf_infos":[{"id":0,"perf_stats":{"commit_latency_ms":6}}]}' '}' '' \
'{"pg_ready":true,"osdstats":{"osd_perf_infos":[]}}' '{"status":"HEALTH_OK","checks":{}}' 'Error')");
    program("curl", R"(printf '%s\n' '# TYPE ceph_osd_commit_latency_ms gauge' \
'ceph_osd_commit_latency_ms{ceph_daemon="osd.8"} 42.0' 'ceph_health_status 1.0' \
'ceph_osd_op_r_latency_sum{ceph_daemon="osd.1"} 2.5e-05' \
'ceph_bluestore_read_lat_count{ceph_daemon="osd.1"} 12.0' 'ceph_osd_numpg{ceph_daemon="osd.1"} 30.0')");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void program(const std::string& name, const std::string& script) {
    const std::filesystem::path file = folder_ / "bin" / name;
    ASSERT_TRUE(write_file(file, "#!/bin/sh\n" + script + "\n"));
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  }
  /// The lines that a script of `record_ceph` writes to a file.
  std::vector<nlohmann::json> written(std::size_t which, const char* file) {
    const auto recorded = record_ceph(site_, folder_);
    EXPECT_TRUE(recorded && recorded->processes().size() == 2);
    const std::string started = "start nsenter --net=/run/laggard-bench/net/m -- sh -c ";
    std::vector<std::string> scripts;
    for (const std::string& line : machine_.log) {
      if (line.rfind(started, 0) == 0) scripts.push_back(line.substr(started.size()));
    }
    LinuxMachine machine;
    EXPECT_TRUE(machine.run(
        {{"sh", "-c", "PATH='" + (folder_ / "bin").native() + "':$PATH; " + scripts.at(which)}, {}}));
    std::vector<nlohmann::json> values;
    std::istringstream lines(read_file(folder_ / file).value_or(""));
    for (std::string line; std::getline(lines, line);) values.push_back(nlohmann::json::parse(line));
    return values;
  }
  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / ("ceph_test_" + std::to_string(::getpid()));
};

TEST_F(CephRecorder, AnswersAreALineEach) {
  const auto lines = written(0, kCephSaid);
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_EQ(lines[0]["said"]["osdstats"]["osd_perf_infos"][0]["perf_stats"]["commit_latency_ms"], 6);
  EXPECT_TRUE(lines[1]["said"]["osdstats"]["osd_perf_infos"].empty());
  EXPECT_EQ(lines[2]["said"]["status"], "HEALTH_OK");
  EXPECT_GT(lines[2]["time"].get<double>(), 1.7e9);
}

TEST_F(CephRecorder, OfTheExporterOnlyLatenciesAreKept) {
  const auto lines = written(1, kCephExported);
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_EQ(lines[0]["metric"], "ceph_osd_commit_latency_ms");
  EXPECT_EQ(lines[0]["osd"], "osd.8");
  EXPECT_EQ(lines[0]["value"], 42);
  EXPECT_EQ(lines[1]["value"], 2.5e-5);
  EXPECT_EQ(lines[2]["metric"], "ceph_bluestore_read_lat_count");
}

TEST(FileSystems, HaveNames) {
  for (const FileSystem one : kFileSystems) EXPECT_EQ(file_system_of(to_name(one)), one);
  EXPECT_FALSE(file_system_of("zfs"));
}

}  // namespace
}  // namespace laggard::lab::bench
