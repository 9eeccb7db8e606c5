#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lab/bench/bench.h"
#include "lab/bench/processes.h"

namespace laggard::lab::bench {

/// What is recorded beside metrics, as `laggard record` calls it.
enum class Witness : std::uint8_t { kSyscalls, kSamples, kCalls };
[[nodiscard]] std::string_view to_name(Witness witness);

/// Recorders of one witness beside those of metrics, one per host, all into the run's recording.
class EventRecorders {
 public:
  /// - kSyscalls: of the file system's program on each host and, on clients, of the workload;
  /// - kSamples: of all that runs on each server (work_group); an error where the machine has no such groups;
  /// - kCalls: of the file system's program on each server, into a recording of its own, `calls` below `out`,
  ///   because samples are profiles, too, and a host's have one writer.
  /// \param out  holds the recording
  [[nodiscard]] static Result<EventRecorders> start(Witness witness, Bench& bench,
                                                    const RunningWorkload& workload,
                                                    const std::filesystem::path& out);

  /// An error when one has ended by itself.
  [[nodiscard]] Status check() const {
    return programs_.check("recorders of " + std::string(to_name(witness_)));
  }
  [[nodiscard]] const std::vector<HostProcess>& processes() const { return programs_.processes(); }

 private:
  EventRecorders(Site& site, Witness witness);
  [[nodiscard]] Status start_syscalls(Bench& bench, const RunningWorkload& workload,
                                      const std::filesystem::path& out);
  [[nodiscard]] Status start_samples(Bench& bench, const std::filesystem::path& out);
  [[nodiscard]] Status start_calls(Bench& bench, const std::filesystem::path& out);

  Witness witness_;
  StartedPrograms programs_;  ///< They end after they have written what they have.
};

}  // namespace laggard::lab::bench
