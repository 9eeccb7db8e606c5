#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lab/bench/bench.h"
#include "lab/bench/processes.h"

namespace laggard::lab::bench {

/// Recorders of one witness beside those of metrics, one per host, all into the run's recording.
class EventRecorders {
 public:
  /// `laggard record syscalls` of the file system's program on each host and, on clients, of the workload.
  /// \param out  holds the recording
  [[nodiscard]] static Result<EventRecorders> of_calls(Bench& bench, const RunningWorkload& workload,
                                                       const std::filesystem::path& out);
  /// `laggard record samples` of all that runs on each server (work_group); an error where the machine has no
  /// such groups.
  [[nodiscard]] static Result<EventRecorders> of_samples(Bench& bench, const std::filesystem::path& out);

  /// An error when one has ended by itself.
  [[nodiscard]] Status check() const { return programs_.check("recorders of " + what_); }
  [[nodiscard]] const std::vector<HostProcess>& processes() const { return programs_.processes(); }

 private:
  EventRecorders(Site& site, std::string what);
  StartedPrograms programs_;  ///< They end after they have written what they have.
  std::string what_;
};

}  // namespace laggard::lab::bench
