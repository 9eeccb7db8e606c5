// Small and short runs on a real bench: it needs root, the programs that it runs, and a kernel that allows
// it. Killed at any moment, --clean restores the previous state and touches nothing of others:
// LAGGARD_BENCH_KILLS says how often (./dev kills N), LAGGARD_BENCH_SEED with which of the moments to begin.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <random>
#include <string>
#include <thread>

#include "base/file.h"
#include "lab/bench/site.h"
#include "lab/cmd/run_folder.h"
#include "testing/bench_fixture.h"

namespace laggard::lab {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

TEST_F(BenchCommand, RecordsASickServerAndLeavesNothing) {
  const MachineState before = look();
  const std::filesystem::path out = folder_ / "run";
  const int status = finish(
      start({"--servers", "3", "--clients", "1", "--workload", "ddw", "--fault", "disk-hog", "--server", "2",
             "--seconds", "6", "--fault-after", "2", "--fault-seconds", "3", "--out", out}));
  ASSERT_EQ(status, 0) << said();
  const auto truth = read_truth(out);
  ASSERT_TRUE(truth) << truth.error().message();
  EXPECT_EQ(truth->faulty_server, "s2");
  EXPECT_NEAR(to_seconds(*truth->fault_stop - *truth->fault_start), 3, 1.5);
  std::size_t recordings = 0;
  for (const auto& file : std::filesystem::directory_iterator(out / "metrics")) {
    if (file.path().extension() == ".lgd") ++recordings;
  }
  EXPECT_EQ(recordings, 4U);  // Three servers and a client.
  EXPECT_TRUE(std::filesystem::exists(out / "s1.sa"));
  expect_same(before, look());
}

TEST_F(BenchCommand, TakesBackWhatItChangedForFaultsOfAllKinds) {
  const MachineState before = look();
  const std::filesystem::path runs = folder_ / "runs";
  ASSERT_TRUE(write_file(runs, "ddw memory-limit+link-latency 2\nddw cpu-quota+disk-stall 3\n"));
  const int status = finish(start({"--servers", "3", "--clients", "1", "--runs", runs, "--seconds", "6",
                                   "--fault-after", "2", "--fault-seconds", "3", "--out", folder_ / "all"}));
  ASSERT_EQ(status, 0) << said();
  const auto truth = read_truth(folder_ / "all/ddw-memory-limit-s2+link-latency-s2");
  ASSERT_TRUE(truth) << truth.error().message();
  EXPECT_EQ(truth->fault, "memory-limit+link-latency");
  EXPECT_EQ(truth->strength, "medium+medium");
  expect_same(before, look());
}

TEST_F(BenchCommand, CephIsRecordedWithWhatItSaysOfItselfAndLeavesNothing) {
  if (const std::string why = lacking(bench::FileSystem::kCeph); !why.empty()) GTEST_SKIP() << why;
  const MachineState before = look();
  const std::filesystem::path out = folder_ / "run";
  const int status = finish(
      start({"--file-system",   "ceph",     "--servers", "3", "--clients", "1",  "--workload",    "ddw",
             "--fault",         "disk-hog", "--server",  "2", "--seconds", "22", "--fault-after", "2",
             "--fault-seconds", "3",        "--out",     out}));
  ASSERT_EQ(status, 0) << said();
  const auto truth = read_truth(out);
  ASSERT_TRUE(truth) << truth.error().message();
  EXPECT_EQ(truth->faulty_server, "s2");
  const auto answers = read_file(out / "ceph-said.jsonl");
  ASSERT_TRUE(answers);
  for (const char* part :
       {R"("id":0,"perf_stats")", R"("id":2,"perf_stats")", R"("said":{"status":"HEALTH_)"}) {
    EXPECT_THAT(*answers, HasSubstr(part));
  }
  EXPECT_THAT(read_file(out / "ceph-exported.jsonl").value_or(""),
              HasSubstr(R"("metric":"ceph_osd_op_w_latency_sum","osd":"osd.1","value":)"));
  expect_same(before, look());
}

TEST_F(BenchCommand, ACephThatWasKilledIsTakenDown) {
  if (const std::string why = lacking(bench::FileSystem::kCeph); !why.empty()) GTEST_SKIP() << why;
  const MachineState before = look();
  const int bench = start({"--file-system", "ceph", "--servers", "3", "--clients", "1", "--workload", "ddw",
                           "--seconds", "100", "--fault", "none", "--out", folder_ / "run"});
  const auto writes = [&] { return fs::exists(layout_.mount(1) / "write1.1"); };
  for (int tries = 0; tries < 900 && !writes(); ++tries) std::this_thread::sleep_for(100ms);
  EXPECT_TRUE(writes()) << said();
  ASSERT_EQ(::kill(bench, SIGKILL), 0);
  EXPECT_EQ(finish(bench), 128 + SIGKILL);
  EXPECT_EQ(finish(start({"--clean"})), 0) << said();
  expect_same(before, look());
}

TEST_F(BenchCommand, NeitherBuildsOnNorCleansWhatItDidNotMake) {
  std::filesystem::create_directory(layout_.state());
  ASSERT_TRUE(write_file(layout_.state() / "mine", "x"));
  EXPECT_EQ(finish(start({"--servers", "3", "--clients", "1", "--out", folder_ / "run"})), 2);
  EXPECT_THAT(said(), HasSubstr("is there already"));
  EXPECT_EQ(finish(start({"--clean"})), 2);
  EXPECT_THAT(said(), HasSubstr("it is left alone"));
  for (const std::string& planted :
       {"folder\t" + layout_.state().native() + "\t\n", std::string("setting\t/etc/motd\tx\n")}) {
    ASSERT_TRUE(write_file(layout_.journal(), planted));
    ASSERT_EQ(::chmod(layout_.journal().c_str(), 0600), 0);
    EXPECT_EQ(finish(start({"--clean"})), 2);
    EXPECT_EQ(finish(start({"--servers", "3", "--clients", "1", "--out", folder_ / "run"})), 2);
    EXPECT_THAT(said(), HasSubstr(layout_.journal().native() + ":1: "));
    EXPECT_EQ(read_file(layout_.journal()).value_or(""), planted);
  }
  EXPECT_EQ(read_file(layout_.state() / "mine").value_or(""), "x");
  std::filesystem::remove(layout_.journal());
  std::filesystem::remove_all(layout_.state());
}

std::size_t from_environment(const char* name, std::size_t otherwise) {
  const char* text = std::getenv(name);
  return to_number<std::size_t>(text != nullptr ? text : "").value_or(otherwise);
}

class BenchKill : public BenchCommand {
 protected:
  /// Things that belong to others, with names like those of the bench or of its older versions.
  void SetUp() override {
    BenchCommand::SetUp();
    if (IsSkipped()) return;
    made_netns_ = fs::create_directory("/run/netns");
    ASSERT_TRUE(machine_.write(kNamespace, ""));
    ASSERT_TRUE(machine_.must({{"unshare", "--net=" + std::string(kNamespace), "true"}, {}}));
    ASSERT_TRUE(machine_.start({{"nsenter", "--net=" + std::string(kNamespace), "bash", "-c",
                                 "exec -a laggard-smoke-of-another sleep 1000"},
                                {},
                                {"LAGGARD_BENCH=0"}},
                               "/dev/null"));
    if (fs::exists("/sys/fs/cgroup/memory")) fs::create_directory(kGroup);
    const auto runs = [] { return look().things.find("laggard-smoke-of-another") != std::string::npos; };
    for (int tries = 0; tries < 300 && !runs(); ++tries) std::this_thread::sleep_for(100ms);
    ASSERT_TRUE(runs());
  }
  void TearDown() override {
    BenchCommand::TearDown();
    if (!machine_.exists(kNamespace)) return;
    EXPECT_TRUE(machine_.end_marked("LAGGARD_BENCH=0"));
    EXPECT_TRUE(machine_.must({{"umount", kNamespace}, {}}));
    fs::remove(kNamespace);
    if (made_netns_) fs::remove("/run/netns");
    std::error_code gone;
    if (machine_.exists(kGroup)) fs::remove(kGroup, gone);
  }

  [[nodiscard]] std::chrono::milliseconds up_to(std::chrono::milliseconds most) {
    return std::chrono::milliseconds(
        std::uniform_int_distribution<std::chrono::milliseconds::rep>(0, most.count())(random_));
  }
  [[nodiscard]] bool perhaps() { return std::bernoulli_distribution(0.5)(random_); }
  /// Kills it while it is being built, running, or being taken down.
  void kill_a_bench(const std::string& run) {
    // Faults that change more than a process would take along into its end.
    constexpr const char* kFaults[] = {"none", "memory-limit", "cpu-quota", "link-latency", "daemon-stop"};
    const char* fault = kFaults[std::uniform_int_distribution<std::size_t>(0, 4)(random_)];
    const int process = start({"--servers", "3", "--clients", "1", "--seconds", "60", "--fault", fault,
                               "--fault-after", "1", "--fault-seconds", "50", "--out", folder_ / run});
    std::this_thread::sleep_for(up_to(12s));
    if (perhaps()) {
      ::kill(process, SIGTERM);
      std::this_thread::sleep_for(up_to(600ms));
    }
    ::kill(process, SIGKILL);
    (void)finish(process);
  }
  /// Stops or kills the modelled disks.
  void disturb() {
    const auto journal = bench::parse_journal(read_file(layout_.journal()).value_or(""));
    if (!journal) return;
    layout_.instance = journal->instance.id;
    const int signal = perhaps() ? SIGKILL : SIGSTOP;
    for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
      const auto process = to_number<int>(entry.path().filename().native());
      if (!process) continue;
      const std::string environment = read_file(entry.path() / "environ").value_or("");
      if (environment.find(bench::disk_mark(layout_)) != std::string::npos) ::kill(*process, signal);
    }
  }

  static constexpr const char* kNamespace = "/run/netns/laggard-smoke-s1";
  static constexpr const char* kGroup = "/sys/fs/cgroup/memory/laggard-smoke-s1";
  bench::LinuxMachine machine_;
  std::mt19937 random_{static_cast<unsigned>(from_environment("LAGGARD_BENCH_SEED", 1))};
  bool made_netns_ = false;
};

TEST_F(BenchKill, CleanBringsBackWhatWasBefore) {
  const MachineState before = look();
  EXPECT_THAT(before.things, HasSubstr("/run/netns/laggard-smoke-s1 nsfs"));
  const std::size_t kills = from_environment("LAGGARD_BENCH_KILLS", 6);
  for (std::size_t i = 0; i < kills; ++i) {
    SCOPED_TRACE("kill " + std::to_string(i));
    kill_a_bench("run" + std::to_string(i));
    if (i % 4 == 3) disturb();
    if (perhaps()) {
      const int cleaning = start({"--clean"});
      std::this_thread::sleep_for(up_to(500ms));
      ::kill(cleaning, SIGKILL);
      (void)finish(cleaning);
    }
    EXPECT_EQ(finish(start({"--clean"})), 0) << said();
    // What a killed one had started, such as umount, may end a moment later.
    for (int tries = 0; tries < 50 && look().things != before.things; ++tries) {
      std::this_thread::sleep_for(100ms);
    }
    expect_same(before, look());
    if (HasFailure()) return;
  }
}

TEST_F(BenchKill, TheNextBenchTakesDownWhatIsLeft) {
  const MachineState before = look();
  const int process =
      start({"--servers", "3", "--clients", "1", "--seconds", "60", "--out", folder_ / "run"});
  // Wait until the parallel file system is mounted: then everything exists that can be left behind.
  for (int tries = 0; tries < 300; ++tries) {
    const std::string mounts = read_file("/proc/self/mountinfo").value_or("");
    if (mounts.find(layout_.mount(1).native() + " ") != std::string::npos) break;
    std::this_thread::sleep_for(100ms);
  }
  EXPECT_THAT(look().things, HasSubstr(layout_.network("s3").native()));
  ::kill(process, SIGKILL);
  EXPECT_EQ(finish(process), 128 + SIGKILL);
  const int next = start({"--servers", "3", "--clients", "1", "--seconds", "60", "--out", folder_ / "next"});
  for (int tries = 0; tries < 300 && said().find("that is done first") == std::string::npos; ++tries) {
    std::this_thread::sleep_for(20ms);
  }
  ::kill(next, SIGTERM);
  (void)finish(next);
  EXPECT_THAT(said(), HasSubstr("an earlier bench was not taken down; that is done first"));
  expect_same(before, look());
}

}  // namespace
}  // namespace laggard::lab
