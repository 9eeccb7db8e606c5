#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "lab/bench/layout.h"
#include "lab/bench/linux_machine.h"
#include "lab/bench/machine.h"

namespace laggard::lab {

/// Why no bench can be built here; empty when one can.
inline std::string lacking(bench::FileSystem file_system = bench::FileSystem::kGluster) {
  if (::geteuid() != 0) return "needs root";
  bench::LinuxMachine machine;
  const char* path = std::getenv("PATH");
  if (const Status there = bench::check_tools(machine, {file_system, path != nullptr ? path : ""}); !there) {
    return there.error().message();
  }
  const std::filesystem::path disk =
      std::filesystem::path(LAGGARD_LAB_BINARY).parent_path() / "laggard-modelled-disk";
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

/// What a bench can change on the machine, as text: everything that belongs to a bench, and settings near it.
struct MachineState {
  std::string things;
  std::map<std::string, std::string> idle_loops;  ///< Settings of the unused block devices.
};

/// Tests that run the real `laggard-lab bench`, and skip where none can be built.
class BenchCommand : public testing::Test {
 protected:
  void SetUp() override {
    layout_.name = "smoke";
    if (const std::string why = lacking(); !why.empty()) GTEST_SKIP() << why;
    // One at a time on a machine, even with several test runs, because they change the same kernel setting.
    turn_ = Fd(::open("/run/lock/laggard-bench-tests", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
    ASSERT_TRUE(turn_.valid() && ::flock(turn_.get(), LOCK_EX) == 0);
    std::filesystem::create_directories(folder_);
    // A test that was killed has left its bench, perhaps before the machine was started anew.
    if (std::filesystem::exists(layout_.journal())) {
      ASSERT_EQ(finish(start({"--clean"})), 0) << said();
    }
  }
  void TearDown() override {
    if (turn_.valid() && std::filesystem::exists(layout_.journal())) (void)finish(start({"--clean"}));
    std::filesystem::remove_all(folder_);
  }

  [[nodiscard]] int start(const std::vector<std::string>& options) {
    std::vector<std::string> argv{LAGGARD_LAB_BINARY, "bench", "--name", layout_.name};
    argv.insert(argv.end(), options.begin(), options.end());
    const Fd input(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    const Fd output(::open((folder_ / "log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    const Result<int> process = bench::spawn({argv, {}}, input.get(), output.get());
    EXPECT_TRUE(process);
    return process.value_or(-1);
  }
  static int finish(int process) {
    int status = 0;
    ::waitpid(process, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  [[nodiscard]] std::string said() const { return read_file(folder_ / "log").value_or(""); }

  [[nodiscard]] static bool is_near(const std::string& text) {
    return text.find("laggard-smoke") != std::string::npos;
  }
  [[nodiscard]] static MachineState look() {
    MachineState state;
    std::vector<std::string> found;
    for (const char* place :
         {"/run/netns", "/run", "/sys/fs/cgroup/memory", "/sys/fs/cgroup/cpu", "/sys/fs/cgroup"}) {
      std::error_code error;
      for (std::filesystem::directory_iterator it(place, error), end; !error && it != end;
           it.increment(error)) {
        if (is_near(it->path().native())) found.push_back(it->path().native());
      }
    }
    for (const auto& mount : bench::parse_mounts(read_file("/proc/self/mountinfo").value_or(""))) {
      if (is_near(mount.point)) found.push_back(mount.point + " " + mount.source);
    }
    for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator("/proc")) {
      if (!to_number<int>(entry.path().filename().native())) continue;
      // A process of a bench has the bench's folder or namespaces on its command line, or is a child of one
      // that has.
      const std::string command = read_file(entry.path() / "cmdline").value_or("");
      if (is_near(command))
        found.push_back(entry.path().native() + " " + command.substr(0, command.find('\0')));
    }
    for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator("/sys/block")) {
      const std::string name = entry.path().filename().native();
      if (name.rfind("loop", 0) != 0) continue;
      const std::string backing = read_file(entry.path() / "loop/backing_file").value_or("");
      if (is_near(backing)) found.push_back(name + " " + backing);
      if (!backing.empty()) continue;
      // Not `rotational`, which the kernel resets whenever a file is attached.
      for (const char* setting : {"queue/scheduler", "queue/max_sectors_kb", "queue/nr_requests",
                                  "queue/read_ahead_kb", "bdi/strict_limit", "bdi/max_ratio"}) {
        state.idle_loops[name] += std::string(setting) + "=" + read_file(entry.path() / setting).value_or("");
      }
    }
    found.push_back(read_file("/proc/swaps").value_or(""));
    found.push_back(read_file("/proc/sys/net/ipv4/tcp_allowed_congestion_control").value_or(""));
    std::sort(found.begin(), found.end());
    for (const std::string& thing : found) state.things += thing + "\n";
    return state;
  }
  /// Nothing has appeared or disappeared. (A block device that another test is using is not compared.)
  static void expect_same(const MachineState& before, const MachineState& after) {
    EXPECT_EQ(after.things, before.things);
    for (const auto& [loop, settings] : after.idle_loops) {
      const auto old = before.idle_loops.find(loop);
      if (old != before.idle_loops.end()) {
        EXPECT_EQ(settings, old->second) << loop;
      }
    }
  }

  Fd turn_;
  bench::Layout layout_;
  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / ("bench_command_" + std::to_string(::getpid()));
};

}  // namespace laggard::lab
