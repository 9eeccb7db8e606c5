#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/bench/run.h"

namespace laggard::lab::bench {

/// What recording costs a workload: the experiment behind F Table 6, in blocks. On one bench, under one
/// workload that never pauses, recorders run and do not run in turn, in the order off on, on off, off on, …:
/// what drifts in the course of minutes hits both alike, and each pair of neighbours is one comparison.
struct OverheadSpec {
  Workload workload = Workload::kDdWrite;
  std::size_t pairs = 10;
  Duration block = std::chrono::seconds(20);
};

/// One block: how fast the workload went.
struct Block {
  bool recorded = false;
  double bytes_per_second = 0;  ///< Through the servers' ports, both ways.
};

struct Overhead {
  Workload workload = Workload::kDdWrite;
  std::vector<Block> blocks;
  /// Processor time of one host's recorder, milliseconds per second.
  double recorder_ms_per_second = 0;
};

/// Increase in the time that a workload takes for the same work, in percent, and its standard error.
struct Increase {
  double percent = 0;
  double standard_error = 0;
};

/// For every pair of neighbouring blocks x = 100 (off / on - 1), off and on being their rates; mean of x and
/// s / sqrt(n), s the sample deviation. Requires an even number of blocks, each pair with one of either kind.
/// A pair whose recorded block did nothing at all is left out; fewer than two pairs have no error (0).
[[nodiscard]] Increase increase(std::span<const Block> blocks);

/// Bytes through the servers' ports of the bridge: the sum of all columns `bytes` of /proc/net/dev's lines
/// `p-s1:`, `p-s2:` …
[[nodiscard]] std::uint64_t port_bytes(std::string_view net_dev);

/// Builds a bench, measures one workload, takes the bench down. The recording stays in `out`/WORKLOAD.
[[nodiscard]] Result<Overhead> measure_overhead(const Session& session, const OverheadSpec& spec,
                                                const std::filesystem::path& out);

/// All that was measured, and the figures, as JSON.
[[nodiscard]] std::string to_json(const Overhead& overhead);

}  // namespace laggard::lab::bench
