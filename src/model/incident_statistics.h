#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/incident.h"

/// What the incidents of months come to (K §VII).
namespace laggard {

/// How long some incidents lasted, from their first anomalous window to their last; one that goes on counts
/// with what it has lasted so far.
struct IncidentDurations {
  std::string name;
  std::size_t incidents = 0;
  std::size_t confirmed = 0;
  std::size_t open = 0;
  std::vector<double> sorted_s{};  ///< Seconds, ascending: one for each.
};

/// A part that was sick more than once.
struct Relapses {
  Part part;
  std::vector<std::string> causes{};  ///< Each once, in the order of their first.
  WallTime last;                      ///< When its last incident began.
  IncidentDurations durations;
};

/// By how much what was sick differed from its peers in a metric: level over the peers' median, the worst of
/// each incident.
struct Excess {
  std::string metric;
  std::vector<double> sorted;  ///< Ascending: one for each incident that has it.
};

/// Of many latencies their number, sum and distribution.
struct LatencyTally {
  static constexpr std::size_t kBins = 64;
  std::uint64_t count = 0;
  double sum_ms = 0;
  std::array<std::uint64_t, kBins> bins{};  ///< Bin b: from 2^(b/2) up to 2^((b+1)/2) microseconds.
};

/// Times of probes of one operation while something on their way was sick, and of all others.
struct ProbeTimes {
  struct Times {
    LatencyTally done;
    std::uint64_t failed = 0;  ///< Timed out or refused: they have no time.
  };
  std::string operation;
  Times sick;
  Times well;
};

/// Latency per request of disks while their host had so much to do (K Figs. 7 and 9), one for each cell of
/// the comparison's grid.
struct LoadLatency {
  double from = 0;  ///< Processes that ran or waited for storage, and ...
  double to = 0;    ///< ... fewer than this.
  LatencyTally latency{};
  std::uint64_t slow = 0;  ///< Cells in which requests took a second or more.
};

/// A time in which a job asked a metadata target for much.
struct HeavyStretch {
  std::string host;
  std::string target;
  std::string job;
  WallTime from;
  WallTime to;
  std::uint64_t requests = 0;
};

/// Heavy metadata work of jobs (K Fig. 8).
struct HeavyWork {
  double from_per_second = 0;  ///< Work is heavy from so many requests a second on.
  std::size_t jobs = 0;        ///< Those that were recorded, at each target.
  std::vector<HeavyStretch> stretches{};
};

struct IncidentStatistics {
  WallTime from;
  WallTime to;
  IncidentDurations all{};
  std::size_t accounted_for = 0;            ///< Explained or withdrawn: not among them.
  std::vector<IncidentDurations> causes{};  ///< Most incidents first, as are the following.
  std::vector<IncidentDurations> modes{};
  std::vector<IncidentDurations> kinds{};  ///< Of parts.
  std::vector<Relapses> relapses{};
  std::vector<Excess> excess{};
  std::vector<ProbeTimes> probes{};       ///< By operation; empty where none were recorded.
  std::vector<LoadLatency> under_load{};  ///< By load; empty where hosts were not recorded.
  HeavyWork heavy_work{};
};

}  // namespace laggard
