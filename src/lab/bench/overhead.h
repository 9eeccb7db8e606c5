#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/bench/run.h"
#include "lab/bench/throughput.h"

namespace laggard::lab::bench {

/// What recording costs a workload: the experiment behind F Table 6, in blocks. On one bench, under one
/// continuous workload, recorders run and are frozen (SIGSTOP) in turn, in the order off on, on off, off on,
/// …: drift over minutes affects both alike, and each pair of neighbours is one comparison. They are frozen
/// rather than stopped, because a recorder starts once in weeks, not once in a block; but recorders of
/// witnesses (`Session::witnesses`), which then run in place of the others, are started and stopped, because
/// the kernel's part of them goes on while they are frozen. A block begins when they have settled.
struct OverheadSpec {
  Workload workload = Workload::kDdWrite;
  std::size_t pairs = 20;  ///< Valid pairs to take; at most twice as many are tried.
  Duration block = std::chrono::seconds(15);
  /// Of the recorders. What costs 1 % at one sample a second costs 10 % at ten, which stands out from the
  /// noise of a workload.
  Duration interval = std::chrono::seconds(1);
};

/// One block: how fast the workload was.
struct Block {
  bool recorded = false;
  double bytes_per_second = 0;  ///< Through the servers' ports, both ways.
  /// Fraction of processor time that the hypervisor gave to other virtual machines, 0 to 1.
  double stolen = 0;
};

/// A pair is invalid when more than this was stolen in either of its blocks.
inline constexpr double kMostStolen = 0.1;

struct Pairs {
  std::vector<Block> blocks;      ///< Two for each pair, invalid pairs included.
  std::optional<Error> ended_by;  ///< The error that ended it early.
};

/// Has `block` measure, off on, on off, off on, …, until `wanted` pairs are valid or twice as many were
/// tried. An error of a block ends it, and half a pair is dropped.
[[nodiscard]] Pairs take_pairs(std::size_t wanted, const std::function<Result<Block>(bool recorded)>& block);

struct Overhead {
  Workload workload = Workload::kDdWrite;
  Pairs measured;
  /// Processor time of one host's recorder, milliseconds per second.
  double recorder_ms_per_second = 0;
  std::vector<Witness> witnesses = {};  ///< What was recorded; none: metrics.
};

/// Increase in the time that a workload takes for the same work, in percent, and its standard error.
struct Increase {
  double percent = 0;
  double standard_error = 0;
  std::size_t pairs = 0;  ///< Valid ones.
};

/// With off_i and on_i the rates of the n valid pairs: r = Σ off / Σ on is the ratio of times for the same
/// work, percent = 100 (r - 1), and its error that of a ratio estimator, 100 sqrt(Σ (off_i - r on_i)² / (n (n
/// - 1))) / mean(on). A mean of the pairs' ratios would be biased upwards by every block that stalled.
/// Requires an even number of blocks, each pair with one of either kind. All 0 when nothing was done while
/// recording; the error is 0 for fewer than two pairs.
[[nodiscard]] Increase increase(std::span<const Block> blocks);

/// Builds a bench, measures one workload, and takes the bench down. The recording stays in `out`/WORKLOAD.
/// After the first pair, an interruption or a program that ends early keeps the pairs so far: see
/// `Pairs::ended_by`.
[[nodiscard]] Result<Overhead> measure_overhead(const Session& session, const OverheadSpec& spec,
                                                const std::filesystem::path& out);

/// All that was measured, and the figures, as JSON.
[[nodiscard]] std::string to_json(const Overhead& overhead);

}  // namespace laggard::lab::bench
