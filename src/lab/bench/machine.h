#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "lab/bench/layout.h"

namespace laggard::lab::bench {

/// A program with its arguments.
struct Command {
  std::vector<std::string> argv;
  std::string input = {};                     ///< Its standard input.
  std::vector<std::string> environment = {};  ///< `NAME=value`, added to our own.
};

/// Repeats a command until it fails: a failing workload must not look like one that runs.
[[nodiscard]] Command repeat(const std::string& command);

struct Output {
  int status = 0;    ///< Exit status; 128 + signal when a signal killed it.
  std::string text;  ///< Standard output and standard error together.
};

/// The backing file of a loop device.
struct Backing {
  std::string file;   ///< Its path as we see it; from the root of its mount when we do not see that mount.
  std::string named;  ///< The name by which it was attached, at most 63 bytes; empty when unknown.
  bool operator==(const Backing&) const = default;
};

/// Everything that the bench does to the machine; exists to be replaced in tests by one that only takes
/// notes.
class Machine {
 public:
  virtual ~Machine() = default;

  /// Runs a program to its end, two minutes at most.
  [[nodiscard]] virtual Result<Output> run(const Command& command) = 0;

  /// Starts a program as the leader of a new session; its output goes to `log`. \return its process id.
  [[nodiscard]] virtual Result<int> start(const Command& command, const std::filesystem::path& log) = 0;
  /// Whether a process that `start` returned still runs.
  [[nodiscard]] virtual bool running(int process) = 0;
  /// Sends `signal` to the whole session of a started process, and kills it after `patience`.
  virtual void stop(int process, int signal, Duration patience) = 0;

  [[nodiscard]] virtual Result<std::string> read(const std::filesystem::path& path) = 0;
  /// Writes an existing file of /proc or /sys, or creates a file.
  [[nodiscard]] virtual Status write(const std::filesystem::path& path, std::string_view text) = 0;
  [[nodiscard]] virtual bool exists(const std::filesystem::path& path) = 0;
  [[nodiscard]] virtual Status make_folder(const std::filesystem::path& path) = 0;
  /// Removes a folder with its contents. Links are removed, not followed; a mount inside it is an error.
  [[nodiscard]] virtual Status remove_folder(const std::filesystem::path& path) = 0;
  /// Removes an empty folder, such as a control group.
  [[nodiscard]] virtual Status remove_empty(const std::filesystem::path& path) = 0;

  /// The loop devices that are attached (`loop7`).
  [[nodiscard]] virtual std::map<std::string, Backing> loops() = 0;
  /// Continues all stopped processes that were started with `entry` in their environment.
  virtual void wake_marked(const std::string& entry) = 0;
  /// Kills the processes that were started with `entry` in their environment and waits until they are gone;
  /// an error when one remains.
  [[nodiscard]] virtual Status end_marked(const std::string& entry) = 0;

  [[nodiscard]] virtual Clock& clock() = 0;

  /// Like `run`, but any status other than 0 is an error that quotes the program's output.
  [[nodiscard]] Status must(const Command& command);
};

/// `command` at a higher priority than everything else on the machine, so that the file system is measured
/// and not the compilers beside it; but not real-time, which could starve them.
[[nodiscard]] Command urgent(Command command);

/// `command` in the network namespace that is mounted on the file `network`; it sees this machine's mounts.
[[nodiscard]] Command inside(const std::filesystem::path& network, Command command);

/// A mount, from a line of /proc/self/mountinfo.
struct Mount {
  std::string point;
  std::string type;    ///< `ext4`, `fuse.glusterfs`, `nsfs`
  std::string source;  ///< A device, or whatever the mounting program calls it.
  bool operator==(const Mount&) const = default;
};

/// All mounts, oldest first; malformed lines are skipped. Blanks in names stay as the kernel writes them,
/// `\040`.
[[nodiscard]] std::vector<Mount> parse_mounts(std::string_view mountinfo);

/// A program that the bench runs, and the Debian package that contains it.
struct Tool {
  std::string_view program;
  std::string_view package;
};

/// All that a bench with this file system runs.
[[nodiscard]] std::vector<Tool> tools(FileSystem file_system);

/// Where programs are searched for.
struct ToolSearch {
  FileSystem file_system = FileSystem::kGluster;
  std::string_view path;  ///< The folders, separated by colons.
};
/// Fails with one sentence that names all missing tools and how to install them.
[[nodiscard]] Status check_tools(Machine& machine, const ToolSearch& search);

/// sysstat's collector, which is not in PATH.
inline constexpr const char* kSadc = "/usr/lib/sysstat/sadc";

/// Processor time since boot, in ticks, all processors together.
struct CpuTimes {
  std::uint64_t busy = 0;  ///< Includes stolen time, in which some program wanted to run.
  std::uint64_t stolen = 0;
  std::uint64_t all = 0;
};

/// Parses the first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal. Waiting for
/// disks counts as idle.
[[nodiscard]] std::optional<CpuTimes> parse_cpu_times(std::string_view stat);

/// The busy fraction between two readings, 0 to 1; nothing when no time has passed.
[[nodiscard]] std::optional<double> busy_share(const CpuTimes& from, const CpuTimes& to);

/// The fraction that the hypervisor gave to other virtual machines, 0 to 1; nothing when no time has passed.
[[nodiscard]] std::optional<double> stolen_share(const CpuTimes& from, const CpuTimes& to);

/// Ticks of processor time that a process and its waited-for children have used, from /proc/PID/stat.
[[nodiscard]] std::optional<std::uint64_t> parse_process_ticks(std::string_view stat);

}  // namespace laggard::lab::bench
