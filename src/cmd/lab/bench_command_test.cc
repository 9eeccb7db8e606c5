// A whole bench for real, small and short: needs root, the programs that it runs, and a kernel that lets it.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "base/fd.h"
#include "base/file.h"
#include "cmd/lab/run_folder.h"
#include "lab/bench/layout.h"
#include "lab/bench/linux_machine.h"
#include "lab/bench/spawn.h"
#include "lab/bench/tools.h"

namespace laggard::cmd {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
namespace bench = lab::bench;

constexpr const char* kAllowed = "/proc/sys/net/ipv4/tcp_allowed_congestion_control";

/// Why no bench can stand here; empty when one can.
std::string lacking() {
  if (::geteuid() != 0) return "needs root";
  bench::LinuxMachine machine;
  const char* path = std::getenv("PATH");
  if (const Status there = bench::check_tools(machine, path != nullptr ? path : ""); !there) {
    return there.error().message();
  }
  const std::filesystem::path disk =
      std::filesystem::path(LAGGARD_BINARY).parent_path() / "laggard-modelled-disk";
  if (!machine.exists(disk)) return "the modelled disk was not built (libfuse3-dev)";
  for (const char* device : {"/dev/fuse", "/dev/loop-control"}) {
    if (!machine.exists(device)) return std::string(device) + " is missing";
  }
  if (!machine.must({{"unshare", "--net", "true"}, {}})) return "no network namespace can be created here";
  if (!machine.must({{"unshare", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"}, {}})) {
    return "nothing can be mounted here";
  }
  return {};
}

class BenchCommand : public testing::Test {
 protected:
  void SetUp() override {
    layout_.name = "smoke";
    if (const std::string why = lacking(); !why.empty()) GTEST_SKIP() << why;
    // One at a time on a machine, whoever runs tests there: they change the same kernel setting.
    turn_ = Fd(::open("/run/lock/laggard-bench-tests", O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    ASSERT_TRUE(turn_.valid() && ::flock(turn_.get(), LOCK_EX) == 0);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override {
    if (turn_.valid() && std::filesystem::exists(layout_.journal())) (void)finish(start({"--clean"}));
    std::filesystem::remove_all(folder_);
  }

  [[nodiscard]] int start(const std::vector<std::string>& options) {
    std::vector<std::string> argv{LAGGARD_BINARY, "lab", "bench", "--name", layout_.name};
    argv.insert(argv.end(), options.begin(), options.end());
    const Fd input(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    const Fd output(::open((folder_ / "log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    const Result<int> process = bench::spawn(argv, input.get(), output.get());
    EXPECT_TRUE(process);
    return process.value_or(-1);
  }
  static int finish(int process) {
    int status = 0;
    ::waitpid(process, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  [[nodiscard]] std::string said() const { return read_file(folder_ / "log").value_or(""); }
  /// What is left of the bench on the machine.
  [[nodiscard]] std::string remains() const {
    std::string found;
    for (const char* place : {"/run/netns", "/run", "/sys/fs/cgroup/memory", "/sys/fs/cgroup"}) {
      std::error_code error;
      for (std::filesystem::directory_iterator it(place, error), end; !error && it != end;
           it.increment(error)) {
        if (it->path().filename().native().rfind("laggard-smoke", 0) == 0)
          found += it->path().native() + "\n";
      }
    }
    const std::string mounts = read_file("/proc/self/mountinfo").value_or("");
    if (mounts.find("laggard-smoke") != std::string::npos) found += "a mount\n";
    return found;
  }

  Fd turn_;
  bench::Layout layout_;
  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / ("bench_command_" + std::to_string(::getpid()));
};

TEST_F(BenchCommand, RecordsASickServerAndLeavesNothing) {
  const std::string allowed = read_file(kAllowed).value_or("");
  const std::filesystem::path out = folder_ / "run";
  const int status = finish(
      start({"--servers", "3", "--clients", "1", "--workload", "ddw", "--fault", "disk-hog", "--server", "2",
             "--seconds", "8", "--fault-after", "3", "--fault-seconds", "4", "--out", out}));
  ASSERT_EQ(status, 0) << said();
  const auto truth = read_truth(out);
  ASSERT_TRUE(truth) << truth.error().message();
  EXPECT_EQ(truth->faulty_server, "s2");
  EXPECT_NEAR(to_seconds(*truth->fault_stop - *truth->fault_start), 4, 2);
  std::size_t recordings = 0;
  for (const auto& file : std::filesystem::directory_iterator(out / "metrics")) {
    if (file.path().extension() == ".lgd") ++recordings;
  }
  EXPECT_EQ(recordings, 4U);  // Three servers and a client.
  EXPECT_TRUE(std::filesystem::exists(out / "s1.sa"));
  EXPECT_EQ(remains(), "");
  EXPECT_EQ(read_file(kAllowed).value_or(""), allowed);
}

TEST_F(BenchCommand, CleanTakesDownWhatAKilledOneLeft) {
  const std::string allowed = read_file(kAllowed).value_or("");
  const int process =
      start({"--servers", "3", "--clients", "1", "--seconds", "60", "--out", folder_ / "run"});
  // Until the parallel file system is mounted: everything that can be left behind is there.
  for (int tries = 0; tries < 300; ++tries) {
    const std::string mounts = read_file("/proc/self/mountinfo").value_or("");
    if (mounts.find(layout_.mount(1).native() + " ") != std::string::npos) break;
    std::this_thread::sleep_for(100ms);
  }
  EXPECT_THAT(remains(), HasSubstr("laggard-smoke-s3"));
  ::kill(process, SIGKILL);
  EXPECT_EQ(finish(process), 128 + SIGKILL);
  EXPECT_EQ(finish(start({"--clean"})), 0) << said();
  EXPECT_EQ(remains(), "");
  EXPECT_EQ(read_file(kAllowed).value_or(""), allowed);
}

}  // namespace
}  // namespace laggard::cmd
