#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "lab/bench/bench.h"
#include "lab/cluster/scenario.h"

namespace laggard::lab::bench {

/// One experiment (F §8): a workload, at first without a fault, then with it, then without.
struct RunSpec {
  Workload workload = Workload::kDdWrite;
  FaultKind fault = FaultKind::kNone;
  std::size_t server = 1;
  Duration total = std::chrono::seconds(270);  ///< How long the workload runs.
  Duration fault_after = std::chrono::seconds(60);
  Duration fault_for = std::chrono::seconds(180);
};

/// `ddw-disk-hog-s4`, `ddr-none`.
[[nodiscard]] std::string name_of(const RunSpec& run);

/// Checks that the server exists and that the fault ends before the workload does.
[[nodiscard]] Status check(const RunSpec& run, const Layout& layout);

/// Reports the progress of long work, and asks whether to go on.
struct Observer {
  static constexpr Duration kLook = std::chrono::milliseconds(200);  ///< How often both are called.

  std::function<void(double fraction, std::string_view doing)> progress;
  std::function<bool()> stopped;
};

/// Where experiments take place, and who is informed.
struct Session {
  Machine& machine;  ///< Outlives this.
  Layout layout;
  Programs programs;
  Observer observer;
  Say say;
};

/// Builds a bench, runs one experiment on it, and takes it down. Writes into `out` the recording (metrics/),
/// sysstat's files (s1.sa), system.toml, and last truth.json, which marks the run as complete; until then a
/// folder that the run created holds a file `unfinished`.
[[nodiscard]] Status run_once(const Session& session, const RunSpec& run, const std::filesystem::path& out);

}  // namespace laggard::lab::bench
