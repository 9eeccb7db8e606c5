#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/bench/run.h"

namespace laggard::lab::bench {

/// What recording costs a workload: the experiment behind F Table 6, in blocks. On one bench, under one
/// workload that never pauses, recorders run and are frozen (SIGSTOP) in turn, in the order off on, on off,
/// off on, …: what drifts in the course of minutes hits both alike, and each pair of neighbours is one
/// comparison. Frozen rather than ended, because a recorder starts once in weeks, not once in a block.
struct OverheadSpec {
  Workload workload = Workload::kDdWrite;
  std::size_t pairs = 20;  ///< That count; at most twice as many are tried.
  Duration block = std::chrono::seconds(15);
  /// Of the recorders. What costs 1 % at one sample a second costs 10 % at ten: a dose at which a cost stands
  /// out of the noise of a workload.
  Duration interval = std::chrono::seconds(1);
};

/// One block: how fast the workload went.
struct Block {
  bool recorded = false;
  double bytes_per_second = 0;  ///< Through the servers' ports, both ways.
  /// Part of the processors that the host of this virtual machine gave to others, 0 to 1.
  double stolen = 0;
};

/// A pair says nothing of recorders when more than this was stolen in either of its blocks.
inline constexpr double kMostStolen = 0.1;

struct Pairs {
  std::vector<Block> blocks;      ///< Pairs that do not count, too; two blocks each.
  std::optional<Error> ended_by;  ///< What ended it early.
};

/// Lets `block` measure, off on, on off, off on, …, until `wanted` pairs count or twice as many were tried.
/// An error of a block ends it; what is half a pair then is left out.
[[nodiscard]] Pairs take_pairs(std::size_t wanted, const std::function<Result<Block>(bool recorded)>& block);

struct Overhead {
  Workload workload = Workload::kDdWrite;
  Pairs measured;
  /// Processor time of one host's recorder, milliseconds per second.
  double recorder_ms_per_second = 0;
};

/// Increase in the time that a workload takes for the same work, in percent, and its standard error.
struct Increase {
  double percent = 0;
  double standard_error = 0;
  std::size_t pairs = 0;  ///< That count.
};

/// With off_i and on_i the rates of pair i of n that count: r = Σ off / Σ on is the ratio of times for the
/// same work, percent = 100 (r - 1), and its error that of a ratio estimator, 100 sqrt(Σ (off_i - r on_i)² /
/// (n (n - 1))) / mean(on). A mean of the pairs' own ratios would be drawn upwards by every block that
/// stalled. Requires an even number of blocks, each pair with one of either kind. Nothing done while
/// recording: no figure (all 0); fewer than two pairs have no error (0).
[[nodiscard]] Increase increase(std::span<const Block> blocks);

/// Bytes through the servers' ports of the bridge: the sum of all columns `bytes` of /proc/net/dev's lines
/// `p-s1:`, `p-s2:` …
[[nodiscard]] std::uint64_t port_bytes(std::string_view net_dev);

/// Builds a bench, measures one workload, takes the bench down. The recording stays in `out`/WORKLOAD. An
/// interruption, or a program that ends early, after the first pair loses no pair: see `Pairs::ended_by`.
[[nodiscard]] Result<Overhead> measure_overhead(const Session& session, const OverheadSpec& spec,
                                                const std::filesystem::path& out);

/// All that was measured, and the figures, as JSON.
[[nodiscard]] std::string to_json(const Overhead& overhead);

}  // namespace laggard::lab::bench
