#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "lab/bench/bench.h"
#include "lab/bench/event_recorders.h"
#include "lab/bench/processes.h"

namespace laggard::lab::bench {

/// A recording that is made in some blocks of a workload, and not in the others.
class SwitchedRecording {
 public:
  virtual ~SwitchedRecording() = default;
  [[nodiscard]] virtual Status turn(bool on) = 0;
  /// How long that takes to have its effect.
  [[nodiscard]] virtual Duration settling() const = 0;
  [[nodiscard]] virtual std::span<const HostProcess> processes() const = 0;
  [[nodiscard]] virtual Status check() = 0;
};

/// One `record metrics` per host, which is frozen meanwhile. \param out  holds the recording
[[nodiscard]] Result<std::unique_ptr<SwitchedRecording>> record_metrics_in_turn(
    Bench& bench, const std::filesystem::path& out, Duration interval);
/// Recorders of witnesses, which are stopped and started again: what the kernel and traced programs do for
/// them goes on while they are frozen. \param workload  recorded, too; outlives this
[[nodiscard]] Result<std::unique_ptr<SwitchedRecording>> record_in_turn(Bench& bench,
                                                                        const RunningWorkload& workload,
                                                                        const std::vector<Witness>& witnesses,
                                                                        const std::filesystem::path& out);

}  // namespace laggard::lab::bench
