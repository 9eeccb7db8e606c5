#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "lab/bench/bench.h"
#include "lab/bench/event_recorders.h"
#include "lab/bench/run_spec.h"

namespace laggard::lab::bench {

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
  std::vector<Witness> witnesses = {};  ///< What is recorded beside metrics.
};

/// Builds a bench, runs one experiment on it, and takes it down. Writes into `out` the recording (metrics/,
/// and events/ where system calls are recorded, profiles/ where samples are, calls/), sysstat's files
/// (s1.sa), system.toml, and last truth.json, which marks the run as complete; until then a folder that the
/// run created holds a file `unfinished`.
[[nodiscard]] Status run_once(const Session& session, const RunSpec& run, const std::filesystem::path& out);

}  // namespace laggard::lab::bench
