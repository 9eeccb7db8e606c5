// Workloads, faults and whole runs, as the commands that they come to.
#include "lab/bench/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>

#include "lab/bench/campaign.h"
#include "lab/bench/processes.h"
#include "lab/bench/truth.h"
#include "lab/cluster/truth.h"
#include "testing/fake_bench_machine.h"

namespace laggard::lab::bench {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

std::string text_of(const Command& command) { return FakeMachine::join(command.argv); }

TEST(Workloads, AMixedOneReadsWritesAndMakesSmallFilesAndAnIdleOneDoesNothing) {
  const auto mixed = workload_programs(Layout{}, Workload::kMixed, 1);
  ASSERT_THAT(mixed, SizeIs(3));
  EXPECT_THAT(text_of(mixed[0]), HasSubstr("if=/run/laggard-bench/mount1/read1.1"));
  EXPECT_THAT(text_of(mixed[1]), HasSubstr("of=/run/laggard-bench/mount1/write1.1"));
  EXPECT_THAT(text_of(mixed[2]), HasSubstr("postmark1.1"));
  EXPECT_THAT(workload_programs(Layout{}, Workload::kIdle, 1), IsEmpty());
}

TEST(Workloads, EveryClientHasFilesOfItsOwn) {
  const Layout layout;
  const auto writes = workload_programs(layout, Workload::kDdWrite, 3);
  ASSERT_THAT(writes, SizeIs(kStreams));
  EXPECT_THAT(text_of(writes[1]),
              AllOf(HasSubstr("of=/run/laggard-bench/mount3/write3.2"), HasSubstr("oflag=direct")));
  const auto reads = workload_programs(layout, Workload::kIozoneRead, 1);
  EXPECT_THAT(text_of(reads[0]), AllOf(StartsWith("fio "), HasSubstr("--rw=read"), HasSubstr("read1.1")));
  const auto rewrites = workload_programs(layout, Workload::kIozoneWrite, 1);
  // A pass is a file's worth of records, and ends with an fsync.
  EXPECT_THAT(text_of(rewrites[0]),
              AllOf(HasSubstr("--size=256M"), HasSubstr("--bs=4M"), HasSubstr("--fsync=64")));
  EXPECT_THAT(text_of(workload_programs(layout, Workload::kPostmark, 2)[0]), HasSubstr("postmark"));
}

class RecorderCommands : public testing::Test {
 protected:
  static Layout three_servers() {
    Layout layout;
    layout.servers = 3;
    layout.clients = 1;
    return layout;
  }
  Layout layout_ = three_servers();
  FakeMachine machine_;
  NotedJournal journal_{machine_};
  Site site_{machine_, journal_, layout_};
};

TEST_F(RecorderCommands, AServerRecordsItsOwnDiskAndAClientNone) {
  Recorders::Options options{"/usr/bin/laggard", "/out", {"loop7", "loop8", "loop9"}, true};
  EXPECT_EQ(text_of(record_command(options, "s1", "loop7")),
            "/usr/bin/laggard record metrics --out /out --host s1 --disk loop7 --net eth0 --interval 1000ms");
  options.interval = std::chrono::milliseconds(100);
  EXPECT_THAT(text_of(record_command(options, "s1", "loop7")), HasSubstr("--interval 100ms"));
  auto recorders = Recorders::start(site_, options);
  ASSERT_TRUE(recorders);
  EXPECT_THAT(recorders->metrics(), SizeIs(4));
  EXPECT_THAT(machine_.log, Contains(HasSubstr("--host c1 --disk none")));
  EXPECT_THAT(machine_.log, Contains(HasSubstr("laggard-bench/net/s2 -- /usr/lib/sysstat/sadc")));
}

TEST_F(RecorderCommands, FrozenRecordersAreThawedBeforeTheyAreAskedToEnd) {
  auto recorders = Recorders::start(site_, {"/usr/bin/laggard", "/out", {"loop7", "loop8", "loop9"}, false});
  ASSERT_TRUE(recorders);
  ASSERT_TRUE(recorders->freeze());
  EXPECT_EQ(machine_.log.back(), "sh -c kill -STOP 101 102 103 104");
  recorders->stop();
  // One that is stopped would only hear of its end when it is forced.
  EXPECT_LT(machine_.position("kill -CONT 101 102 103 104"), machine_.position("stop 101"));
  EXPECT_LT(machine_.position("stop 104"), machine_.log.size());
}

TEST(BenchTruth, IsReadByTheScorer) {
  Layout layout;
  layout.servers = 3;
  Truth truth;
  truth.workload = Workload::kIozoneRead;
  truth.faults = {{{FaultKind::kSendLoss, Strength::kMedium}, {2}}};
  truth.workload_start = from_unix_ns(1'700'000'000'000'000'000);
  truth.workload_stop = truth.workload_start + 270s;
  truth.fault_start = truth.workload_start + 60s;
  truth.fault_stop = truth.workload_start + 240s;
  truth.loops = {"loop7", "loop8", "loop9"};
  const auto read = parse_truth(truth_json(layout, truth), "truth.json");
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->workload, "iozoner");
  EXPECT_EQ(read->fault, "send-pktloss");
  EXPECT_EQ(read->faulty_server, "s2");
  EXPECT_EQ(read->fault_start, truth.fault_start);
  EXPECT_EQ(read->fault_stop, truth.fault_stop);
  EXPECT_EQ(read->start, truth.workload_start);
  EXPECT_EQ(read->servers, 3U);
  EXPECT_EQ(read->strength, "medium");
  EXPECT_FALSE(read->lost);

  Truth none = truth;
  none.faults.clear();
  none.fault_start = none.fault_stop = std::nullopt;
  const auto healthy = parse_truth(truth_json(layout, none), "truth.json");
  ASSERT_TRUE(healthy) << healthy.error().message();
  EXPECT_FALSE(healthy->sick());
  EXPECT_THAT(healthy->faulty_server, IsEmpty());
}

TEST(BenchTruth, NamesEveryFaultWithItsHostsAndWhatItCost) {
  Truth truth;
  truth.faults = {{*sized_fault_of("disk-slow:mild"), {2, 6}},
                  {*sized_fault_of("switch-loss"), {1}},
                  {*sized_fault_of("slow-client"), {3}}};
  truth.fault_start = truth.workload_start;
  truth.fault_stop = truth.workload_start;
  truth.paces = {Pace{20, 24, 10}, Pace{15, 6, 10}, std::nullopt};
  const auto read = parse_truth(truth_json(Layout{}, truth), "truth.json");
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->fault, "disk-slow+switch-loss+slow-client");
  EXPECT_EQ(read->strength, "mild+medium+medium");
  EXPECT_EQ(read->faulty_server, "s2");
  // The second switch has the last three servers.
  EXPECT_THAT(read->faulty_hosts(), ElementsAre("c3", "s2", "s6", "s7", "s8", "s9"));
  EXPECT_EQ(read->part_of("s8")->fault, "switch-loss");
  EXPECT_EQ(read->part_of("s1"), nullptr);
  // The mean lost three quarters, the median one.
  EXPECT_DOUBLE_EQ(*read->lost, 0.75);
}

TEST(BenchTruth, ASystemFileSaysWhoIsOnWhichSwitch) {
  const Layout layout;
  const std::vector<std::string> loops(9, "loop1");
  EXPECT_THAT(system_toml(layout, loops), AllOf(HasSubstr("ports = \"s[1-6]/eth0\""),
                                                HasSubstr("ports = \"s[7-9]/eth0\"\nuplink = \"sw1\"")));
  Layout small;
  small.servers = 3;
  EXPECT_THAT(system_toml(small, {"loop1", "loop2", "loop3"}), testing::Not(HasSubstr("switches")));
}

TEST(Campaign, TheOneOfSyscallsHasEveryPairThreeTimesOnDifferentServersAndTenControls) {
  const auto runs = syscall_campaign(Layout{});
  std::map<std::pair<Workload, FaultKind>, std::set<std::size_t>> struck;
  std::size_t controls = 0;
  for (const RunSpec& run : runs) {
    EXPECT_TRUE(check(run, Layout{}));
    if (run.faults.empty()) {
      ++controls;
    } else {
      struck[{run.workload, run.faults[0].fault.kind}].insert(run.faults[0].numbers.at(0));
    }
  }
  EXPECT_EQ(controls, 10U);
  EXPECT_EQ(struck.size(), 30U);
  for (const auto& [pair, servers] : struck) EXPECT_EQ(servers.size(), 3U);
  EXPECT_EQ(runs.front().workload, Workload::kDdRead);
  EXPECT_EQ(runs[3].workload, Workload::kDdWrite);
}

TEST(Campaign, ThePapersHasEveryFaultTwiceAndFourWithout) {
  const auto runs = paper_campaign(Layout{});
  ASSERT_THAT(runs, SizeIs(16));
  const auto with = [&](FaultKind fault) {
    return std::count_if(runs.begin(), runs.end(), [&](const RunSpec& run) {
      return run.faults.empty() ? fault == FaultKind::kNone : run.faults[0].fault.kind == fault;
    });
  };
  for (std::size_t i = 0; i < kPaperFaults; ++i) EXPECT_EQ(with(FaultKind(i)), i == 0 ? 4 : 2) << i;
}

TEST(Campaign, TheCataloguesHasEveryFaultAtEveryStrength) {
  const Layout layout;
  const auto runs = catalogue_campaign(layout, 1);
  for (const RunSpec& run : runs) EXPECT_TRUE(check(run, layout)) << name_of(run, layout);
  for (std::size_t row = 1; row < fault_catalogue().size(); ++row) {
    for (std::size_t s = 0; s < kStrengths; ++s) {
      const SizedFault fault{FaultKind(row), static_cast<Strength>(s)};
      const auto n = std::count_if(runs.begin(), runs.end(), [&](const RunSpec& run) {
        return run.faults.size() == 1 && run.faults[0].fault == fault && run.faults[0].numbers.size() == 1;
      });
      EXPECT_EQ(n, 1) << to_name(fault.kind);
    }
  }
  const auto sick = [&](std::size_t servers) {
    return std::count_if(runs.begin(), runs.end(), [&](const RunSpec& run) {
      return run.faults.size() == 1 && run.faults[0].numbers.size() == servers;
    });
  };
  EXPECT_EQ(sick(2), 3);
  EXPECT_EQ(sick(3), 3);
  EXPECT_EQ(std::count_if(runs.begin(), runs.end(), [](const RunSpec& r) { return r.faults.size() == 2; }),
            6);
  EXPECT_EQ(std::count_if(runs.begin(), runs.end(), [](const RunSpec& r) { return r.faults.empty(); }), 12);
}

TEST(Campaign, OnCephTheCataloguesHasWhatIsPossibleThere) {
  Layout layout;
  layout.file_system = FileSystem::kCeph;
  const auto runs = catalogue_campaign(layout, 1);
  for (const RunSpec& run : runs) EXPECT_TRUE(check(run, layout)) << name_of(run, layout);
  EXPECT_EQ(catalogue_campaign(Layout{}, 1).size() - runs.size(), 4 * kStrengths);
}

TEST(Campaign, AnotherSeedDrawsOtherPlaces) {
  const Layout layout;
  const auto names = [&](std::uint64_t seed) {
    std::vector<std::string> all;
    for (const RunSpec& run : catalogue_campaign(layout, seed)) all.push_back(name_of(run, layout));
    return all;
  };
  EXPECT_EQ(names(7), names(7));
  EXPECT_NE(names(7), names(8));
}

TEST(Campaign, IsReadFromAList) {
  RunSpec pattern;
  pattern.total = 100s;
  const auto runs = parse_campaign("# first\nddw disk-hog 3\n\n  postmark none  # quiet\n", pattern);
  ASSERT_TRUE(runs) << runs.error().message();
  ASSERT_THAT(*runs, SizeIs(2));
  EXPECT_EQ(name_of(runs->at(0), Layout{}), "ddw-disk-hog-s3");
  EXPECT_EQ(runs->at(0).total, 100s);
  EXPECT_EQ(name_of(runs->at(1), Layout{}), "postmark-none");
}

TEST(Campaign, BadLinesAreNamed) {
  const RunSpec pattern;
  for (const auto& [line, word] : std::vector<std::pair<std::string, std::string>>{
           {"ddx none", "\"ddx\" is none of the workloads ddw, ddr"},
           {"ddw fire 1", "\"fire\" is none of the faults none, disk-hog"},
           {"ddw disk-hog", "\"\" is not a server's number"},
           {"ddw disk-hog one", "\"one\" is not a server's number"},
           {"ddw disk-hog 1 2", "\"2\" is one word too many"}}) {
    const auto runs = parse_campaign("\n" + line + "\n", pattern);
    ASSERT_FALSE(runs) << line;
    EXPECT_EQ(runs.error().where, "line 2");
    EXPECT_THAT(runs.error().what, HasSubstr(word));
  }
}

TEST(Campaign, CompleteRunsArePassedOver) {
  FakeMachine machine;
  const Layout layout;
  RunSpec run;
  machine.files["/out/ddw-none/truth.json"] = "{}";
  machine.files["/out/ddw-none-2/truth.json"] = "{}";
  const Observer observer{[](double, std::string_view) {}, [] { return false; }};
  const auto failed =
      run_campaign(Session{machine, layout, {}, observer, [](const std::string&) {}}, {run, run}, "/out");
  ASSERT_TRUE(failed);
  EXPECT_EQ(*failed, 0U);
  EXPECT_THAT(machine.log, IsEmpty());
}

TEST(Campaign, OnlyTheRemainsOfARunAreRemoved) {
  FakeMachine machine;
  machine.folders = {"/out/ddw-none"};
  const Observer observer{[](double, std::string_view) {}, [] { return true; }};
  const Session session{machine, Layout{}, {}, observer, [](const std::string&) {}};
  const auto foreign = run_campaign(session, {RunSpec{}}, "/out");
  ASSERT_FALSE(foreign);
  EXPECT_THAT(foreign.error().message(), HasSubstr("/out/ddw-none: is in the way of a run"));
  EXPECT_THAT(machine.log, IsEmpty());
  machine.files["/out/ddw-none/unfinished"] = "";
  ASSERT_FALSE(run_campaign(session, {RunSpec{}}, "/out"));
  EXPECT_THAT(machine.log, Contains("remove /out/ddw-none"));
}

TEST(RunOnce, RefusesAFolderThatHoldsARun) {
  FakeMachine machine;
  machine.folders = {"/out/metrics"};
  const Observer observer{[](double, std::string_view) {}, [] { return false; }};
  const Status done =
      run_once(Session{machine, Layout{}, {}, observer, [](const std::string&) {}}, RunSpec{}, "/out");
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message(), HasSubstr("holds a recording already"));
}

}  // namespace
}  // namespace laggard::lab::bench
