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
  Duration total = std::chrono::seconds(270);  ///< Of the workload.
  Duration fault_after = std::chrono::seconds(60);
  Duration fault_for = std::chrono::seconds(180);
};

/// `ddw-disk-hog-s4`, `ddr-none`.
[[nodiscard]] std::string name_of(const RunSpec& run);

/// The run must fit: a server that exists, a fault that ends before the workload does.
[[nodiscard]] Status check(const RunSpec& run, const Layout& layout);

/// How a long piece of work stands, and whether to go on.
struct Observer {
  static constexpr Duration kLook = std::chrono::milliseconds(200);  ///< How often it is told and asked.

  std::function<void(double fraction, std::string_view doing)> progress;
  std::function<bool()> stopped;
};

/// Where experiments take place and who is told.
struct Session {
  Machine& machine;  ///< Outlives this.
  Layout layout;
  Programs programs;
  Observer observer;
  Say say;
};

/// Builds a bench, runs one experiment on it, takes it down. Into `out`: the recording (metrics/), sysstat's
/// files (s1.sa), system.toml, and at last truth.json, which says that the run is complete; before it, in a
/// folder that was not there, a file `unfinished`.
[[nodiscard]] Status run_once(const Session& session, const RunSpec& run, const std::filesystem::path& out);

}  // namespace laggard::lab::bench
