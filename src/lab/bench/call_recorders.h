#pragma once

#include <filesystem>
#include <vector>

#include "lab/bench/bench.h"
#include "lab/bench/processes.h"

namespace laggard::lab::bench {

/// One `laggard record syscalls` per host, of the file system's program there and, on clients, of the
/// workload, all into the run's recording.
class CallRecorders {
 public:
  /// \param out  holds the recording
  [[nodiscard]] static Result<CallRecorders> start(Bench& bench, const RunningWorkload& workload,
                                                   const std::filesystem::path& out);
  /// An error when one has ended by itself.
  [[nodiscard]] Status check() const { return programs_.check("recorders of system calls"); }
  [[nodiscard]] const std::vector<HostProcess>& processes() const { return programs_.processes(); }

 private:
  explicit CallRecorders(Site& site);
  StartedPrograms programs_;  ///< They end after they have written what they have.
};

}  // namespace laggard::lab::bench
