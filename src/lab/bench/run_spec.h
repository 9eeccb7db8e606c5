#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "lab/bench/fault.h"
#include "lab/bench/layout.h"
#include "lab/cluster/scenario.h"

namespace laggard::lab::bench {

/// One experiment (F §8): a workload, at first without a fault, then with it, then without.
struct RunSpec {
  Workload workload = Workload::kDdWrite;
  std::vector<FaultPlace> faults{};            ///< All at the same time; none: a control.
  Duration total = std::chrono::seconds(270);  ///< How long the workload runs.
  Duration fault_after = std::chrono::seconds(60);
  Duration fault_for = std::chrono::seconds(180);
};

/// `FAULT[:STRENGTH]`, or several joined by `+`, and where they strike: numbers of servers or clients with
/// commas, a list for each fault, joined by `+`; or one list for all of them. `none` strikes nowhere. A fault
/// of a switch needs no number. For example `disk-slow:mild` at `2,6`; `link-rate+cpu-quota` at `4+7`.
[[nodiscard]] Result<std::vector<FaultPlace>> parse_faults(std::string_view faults, std::string_view where);

/// `disk-hog-s4`, `disk-slow-mild-s2-s6`, `link-rate-s4+cpu-quota-s7`, `none`: the strength only where it is
/// not the usual one.
[[nodiscard]] std::string name_of(const std::vector<FaultPlace>& faults, const Layout& layout);
/// The same after the workload: `ddw-disk-hog-s4`.
[[nodiscard]] std::string name_of(const RunSpec& run, const Layout& layout);

/// Whether a fault can be made on this file system: some need files on the servers' disks, or the page cache.
[[nodiscard]] bool is_possible(FaultKind kind, const Layout& layout);

/// Checks that faults are possible, that servers and clients exist, that fewer than half of the servers are
/// sick, that no two faults of a family are on one host, and that they end before the workload does.
[[nodiscard]] Status check(const RunSpec& run, const Layout& layout);

/// The servers that are sick in a run, from 1, in order, each once.
[[nodiscard]] std::vector<std::size_t> faulty_servers(const std::vector<FaultPlace>& faults,
                                                      const Layout& layout);

}  // namespace laggard::lab::bench
