#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lab/bench/site.h"
#include "lab/bench/started_programs.h"
#include "lab/cluster/scenario.h"

namespace laggard::lab::bench {

// The programs that run on the bench's hosts during an experiment: the workload on the clients, and recorders
// on all hosts.

/// How many streams a client runs at a time, each on its own file, and the sizes of those files.
inline constexpr std::size_t kStreams = 3;
inline constexpr std::size_t kReadFileMegabytes = 192;
inline constexpr std::size_t kWriteFileMegabytes = 256;

/// The programs of one client, each of which runs until it is stopped.
[[nodiscard]] std::vector<Command> workload_programs(const Layout& layout, Workload workload,
                                                     std::size_t client);

/// PostMark in a folder of its own, again and again with another seed.
[[nodiscard]] Command small_files(const Layout& layout, std::size_t client, std::string_view kind,
                                  std::size_t stream);

/// Writes the files that a reading workload reads, larger than the servers' caches. Best called while the
/// disks are fast and the network is not limited.
[[nodiscard]] Status prepare_files(Site& site, Workload workload);

/// A workload that runs on all clients until `stop` or destruction.
class RunningWorkload {
 public:
  [[nodiscard]] static Result<RunningWorkload> start(Site& site, Workload workload);
  void stop() { programs_.stop(); }
  /// An error when a program has ended early: a run without load proves nothing.
  [[nodiscard]] Status check() const { return programs_.check("programs of the workload"); }
  [[nodiscard]] const std::vector<HostProcess>& processes() const { return programs_.processes(); }

 private:
  explicit RunningWorkload(Site& site);
  StartedPrograms programs_;
};

/// One `laggard record metrics` per host, all into one recording, and on servers sysstat's sadc beside it,
/// each in its host's namespace, where it sees that host's interface and connections. Disks have no
/// namespaces, so every server's recorder is told which disk is its own.
class Recorders {
 public:
  struct Options {
    std::filesystem::path program;  ///< laggard
    std::filesystem::path out;
    std::vector<std::string> loops;  ///< Block device of each server.
    bool sadc = true;
    Duration interval = std::chrono::seconds(1);  ///< Of `record metrics`, whole milliseconds.
  };
  [[nodiscard]] static Result<Recorders> start(Site& site, const Options& options);
  Recorders(Recorders&&) = default;
  Recorders& operator=(Recorders&&) = delete;
  Recorders(const Recorders&) = delete;
  Recorders& operator=(const Recorders&) = delete;
  ~Recorders() { stop(); }
  /// Ends them after they have written what they have.
  void stop();
  [[nodiscard]] Status check() const;
  /// Stops and continues the recorders with signals; sadc is left alone.
  [[nodiscard]] Status freeze() const { return signal("STOP"); }
  [[nodiscard]] Status thaw() const { return signal("CONT"); }
  [[nodiscard]] const std::vector<HostProcess>& metrics() const { return metrics_.processes(); }

 private:
  explicit Recorders(Site& site);
  [[nodiscard]] Status signal(std::string_view name) const;
  Site* site_;
  StartedPrograms metrics_;
  StartedPrograms sadc_;
};

[[nodiscard]] Command record_command(const Recorders::Options& options, const std::string& host,
                                     const std::string& disk);

}  // namespace laggard::lab::bench
