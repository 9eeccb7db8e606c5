#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/time.h"

namespace laggard::lab::bench {

/// A program with its arguments.
struct Command {
  std::vector<std::string> argv;
  std::string input = {};                     ///< On its standard input.
  std::vector<std::string> environment = {};  ///< `NAME=value`, beside our own.
};

/// Repeats a command until it fails: a failing workload must not look like one that runs.
[[nodiscard]] Command repeat(const std::string& command);

struct Output {
  int status = 0;    ///< Exit status; 128 + signal when one ended it.
  std::string text;  ///< What it wrote, both streams in one.
};

/// The backing file of a loop device.
struct Backing {
  std::string
      file;  ///< As it is seen from here. On a mount that is gone, or nowhere to be seen: from its root.
  std::string named;  ///< As it was named to whoever attached it, 63 bytes at most; empty when not known.
  bool operator==(const Backing&) const = default;
};

/// What the bench does to the machine, in one place: exists to be replaced in tests by one that only notes.
class Machine {
 public:
  virtual ~Machine() = default;

  /// Runs a program to its end, two minutes at most.
  [[nodiscard]] virtual Result<Output> run(const Command& command) = 0;

  /// Starts a program as the leader of a session of its own; its output goes to `log`. \return its process
  /// id.
  [[nodiscard]] virtual Result<int> start(const Command& command, const std::filesystem::path& log) = 0;
  /// Whether a process that `start` returned still runs.
  [[nodiscard]] virtual bool running(int process) = 0;
  /// Asks the whole session of a started process to end, and forces it after `patience`.
  virtual void stop(int process, int signal, Duration patience) = 0;

  [[nodiscard]] virtual Result<std::string> read(const std::filesystem::path& path) = 0;
  /// Into an existing file of /proc or /sys, or one to be created.
  [[nodiscard]] virtual Status write(const std::filesystem::path& path, std::string_view text) = 0;
  [[nodiscard]] virtual bool exists(const std::filesystem::path& path) = 0;
  [[nodiscard]] virtual Status make_folder(const std::filesystem::path& path) = 0;
  /// A folder with all that is in it. Links are removed, not followed; a mount below is an error.
  [[nodiscard]] virtual Status remove_folder(const std::filesystem::path& path) = 0;
  /// An empty folder, such as a control group.
  [[nodiscard]] virtual Status remove_empty(const std::filesystem::path& path) = 0;

  /// The loop devices that are attached (`loop7`).
  [[nodiscard]] virtual std::map<std::string, Backing> loops() = 0;
  /// Wakes those processes that have `entry` in the environment that they were started with, should they be
  /// stopped.
  virtual void wake_marked(const std::string& entry) = 0;
  /// Ends them and waits until they are gone; an error when one remains.
  [[nodiscard]] virtual Status end_marked(const std::string& entry) = 0;

  [[nodiscard]] virtual Clock& clock() = 0;

  /// `run`, where anything but status 0 is an error that quotes what the program said.
  [[nodiscard]] Status must(const Command& command);
};

/// `command` above what else the machine does: the file system is what is measured, not the compilers beside
/// it. Not real-time, so that it cannot starve them.
[[nodiscard]] Command urgent(Command command);

/// `command` in the network namespace that a file keeps; mounts stay those of this machine.
[[nodiscard]] Command inside(const std::filesystem::path& network, Command command);

/// Something mounted, from a line of /proc/self/mountinfo.
struct Mount {
  std::string point;
  std::string type;    ///< `ext4`, `fuse.glusterfs`, `nsfs`
  std::string source;  ///< A device, or what the program that mounted it says.
  bool operator==(const Mount&) const = default;
};

/// All mounts, the one that was mounted first first; lines that are none are passed over. Blanks in names
/// stay as the kernel writes them, `\040`.
[[nodiscard]] std::vector<Mount> parse_mounts(std::string_view mountinfo);

}  // namespace laggard::lab::bench
