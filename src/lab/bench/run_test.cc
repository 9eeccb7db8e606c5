// Workloads, faults and whole runs, as the commands that they come to.
#include "lab/bench/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/bench/campaign.h"
#include "lab/bench/fault.h"
#include "lab/bench/processes.h"
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

class FaultTest : public testing::Test {
 protected:
  [[nodiscard]] FaultPlan plan(FaultKind fault) const { return plan_fault(layout_, fault, 2, "loop8"); }
  static std::string what(const OnHost& step) { return step.host + ": " + text_of(step.command); }
  Layout layout_;
};

TEST_F(FaultTest, ADiskHogReadsTheUnusedPartition) {
  const FaultPlan hog = plan(FaultKind::kDiskHog);
  ASSERT_THAT(hog.programs, SizeIs(1));
  // 3,072 MB of file system, then 1,024 MB that nobody uses.
  EXPECT_THAT(what(hog.programs[0]), AllOf(StartsWith("s2: "), HasSubstr("if=/dev/loop8 "),
                                           HasSubstr("bs=4M iflag=direct skip=768 count=256")));
}

TEST_F(FaultTest, ABusyDiskIsReadFromBelowTheBlockDevice) {
  const FaultPlan busy = plan(FaultKind::kDiskBusy);
  ASSERT_THAT(busy.programs, SizeIs(1));
  EXPECT_THAT(what(busy.programs[0]), AllOf(StartsWith("x: "), HasSubstr("if=/run/laggard-bench/disk2/disk "),
                                            HasSubstr("bs=1M iflag=direct skip=3072 count=1024")));
}

TEST_F(FaultTest, NetworkHogsListenBeforeTheySend) {
  const FaultPlan write = plan(FaultKind::kWriteNetworkHog);
  ASSERT_THAT(write.programs, SizeIs(2));
  EXPECT_THAT(what(write.programs[0]), AllOf(StartsWith("s2: socat"), HasSubstr("TCP-LISTEN")));
  EXPECT_THAT(what(write.programs[1]), AllOf(StartsWith("x: socat"), HasSubstr("/dev/zero TCP:10.77.0.2:")));
  const FaultPlan read = plan(FaultKind::kReadNetworkHog);
  EXPECT_THAT(what(read.programs[0]), StartsWith("x: socat"));
  EXPECT_THAT(what(read.programs[1]), AllOf(StartsWith("s2: socat"), HasSubstr("TCP:10.77.0.200:")));
}

TEST_F(FaultTest, LossesAreRulesThatAreTakenBack) {
  const FaultPlan receive = plan(FaultKind::kReceiveLoss);
  ASSERT_THAT(receive.begin, SizeIs(1));
  EXPECT_THAT(what(receive.begin[0]),
              AllOf(StartsWith("s2: nft"), HasSubstr("iif eth0 numgen random mod 100 < 5")));
  EXPECT_THAT(receive.end, SizeIs(1));
  const FaultPlan send = plan(FaultKind::kSendLoss);
  ASSERT_THAT(send.begin, SizeIs(layout_.clients));
  EXPECT_THAT(what(send.begin[3]), AllOf(StartsWith("c4: nft"), HasSubstr("ip saddr 10.77.0.2 numgen")));
  EXPECT_THAT(send.end, SizeIs(layout_.clients));
}

TEST_F(FaultTest, WhatWasInjectedIsClearedOnce) {
  FakeMachine machine;
  NotedJournal journal(machine);
  Site site(machine, journal, layout_);
  {
    auto fault = InjectedFault::inject(site, plan(FaultKind::kReceiveLoss));
    ASSERT_TRUE(fault);
    EXPECT_TRUE(fault->check());
    ASSERT_TRUE(fault->clear());
  }
  EXPECT_EQ(
      std::count_if(machine.log.begin(), machine.log.end(),
                    [](const std::string& line) { return line.find("delete table") != std::string::npos; }),
      1);
  auto hog = InjectedFault::inject(site, plan(FaultKind::kWriteNetworkHog));
  ASSERT_TRUE(hog);
  machine.processes.clear();
  EXPECT_FALSE(hog->check());  // A fault that ended by itself is no fault.
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

TEST(CheckRun, TheFaultMustFit) {
  const Layout layout;
  RunSpec run;
  run.fault = FaultKind::kDiskHog;
  EXPECT_TRUE(check(run, layout));
  run.server = 10;
  EXPECT_FALSE(check(run, layout));
  run.server = 9;
  run.fault_for = 211s;
  EXPECT_FALSE(check(run, layout));
  run.fault = FaultKind::kNone;
  EXPECT_TRUE(check(run, layout));
}

TEST(BenchTruth, IsReadByTheScorer) {
  Layout layout;
  layout.servers = 3;
  Truth truth;
  truth.workload = Workload::kIozoneRead;
  truth.fault = FaultKind::kSendLoss;
  truth.server = 2;
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

  Truth none = truth;
  none.fault = FaultKind::kNone;
  none.fault_start = none.fault_stop = std::nullopt;
  const auto healthy = parse_truth(truth_json(layout, none), "truth.json");
  ASSERT_TRUE(healthy) << healthy.error().message();
  EXPECT_FALSE(healthy->sick());
  EXPECT_THAT(healthy->faulty_server, IsEmpty());
}

TEST(Campaign, TheUsualOneHasEveryFaultTwiceAndFourWithout) {
  const auto runs = usual_campaign(Layout{});
  ASSERT_THAT(runs, SizeIs(16));
  for (std::size_t i = 0; i < kFaultKinds; ++i) {
    const auto fault = static_cast<FaultKind>(i);
    const auto n =
        std::count_if(runs.begin(), runs.end(), [&](const RunSpec& run) { return run.fault == fault; });
    EXPECT_EQ(n, fault == FaultKind::kNone ? 4 : 2) << to_name(fault);
  }
}

TEST(Campaign, IsReadFromAList) {
  RunSpec pattern;
  pattern.total = 100s;
  const auto runs = parse_campaign("# first\nddw disk-hog 3\n\n  postmark none  # quiet\n", pattern);
  ASSERT_TRUE(runs) << runs.error().message();
  ASSERT_THAT(*runs, SizeIs(2));
  EXPECT_EQ(name_of(runs->at(0)), "ddw-disk-hog-s3");
  EXPECT_EQ(runs->at(0).total, 100s);
  EXPECT_EQ(name_of(runs->at(1)), "postmark-none");
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
