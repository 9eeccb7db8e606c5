#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "lab/bench/bench.h"
#include "lab/bench/processes.h"

namespace laggard::lab::bench {

/// What is recorded beside metrics.
enum class Witness : std::uint8_t {
  kSyscalls,  ///< Of the file system's program on each host and, on clients, of the workload.
  kSamples,   ///< Of all that runs on each server (work_group).
  kCalls,     ///< Of the striped service's program on each server.
  kKernel,    ///< Of each server: what its kernel sends again.
  kPings,     ///< Of each client, to each server of the striped service: a folder there pins files to one.
  kLogs,      ///< Of the file system's programs, and of what starts them, on each host.
};
inline constexpr std::array kWitnesses{Witness::kSyscalls, Witness::kSamples, Witness::kCalls,
                                       Witness::kKernel,   Witness::kPings,   Witness::kLogs};
/// As `laggard record` calls it.
[[nodiscard]] std::string_view to_name(Witness witness);
/// What is recorded, as an imperative sentence without a full stop.
[[nodiscard]] std::string_view help_of(Witness witness);
/// Whether it needs what the striped service has and GlusterFS has not.
[[nodiscard]] constexpr bool is_of_striped(Witness witness) {
  return witness == Witness::kCalls || witness == Witness::kPings;
}

/// Recorders of one witness beside those of metrics, one per host, all into the run's recording.
class EventRecorders {
 public:
  /// \param out  holds the recording
  /// \return kUnavailable where the machine has no groups by which samples of servers are told apart
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

  Witness witness_;
  StartedPrograms programs_;  ///< They end after they have written what they have.
};

}  // namespace laggard::lab::bench
