#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lab/score/outcome.h"

namespace laggard::lab {

/// A span of probabilities.
struct Interval {
  double low = 0;
  double high = 1;
  [[nodiscard]] bool holds(double p) const { return p >= low && p <= high; }
};

/// P(X <= k) for X ~ Binomial(n, p), summed term by term. Requires k <= n.
[[nodiscard]] double binomial_cdf(std::size_t k, std::size_t n, double p);

/// Clopper and Pearson's exact interval: all p under which neither "k or fewer" nor "k or more" of n is rarer
/// than (1 - confidence) / 2. k = 0 and k = n give the one-sided ends 0 and 1. n = 0: [0, 1]. Requires k <=
/// n.
[[nodiscard]] Interval clopper_pearson(std::size_t k, std::size_t n, double confidence = 0.95);

/// Fisher's exact test of two samples, two-sided: how likely tables with these margins are that are not
/// likelier than k of n beside l of m, when both come of one probability. 1 where n or m is 0. Requires k <=
/// n, l <= m.
[[nodiscard]] double fisher_exact(std::size_t k, std::size_t n, std::size_t l, std::size_t m);

/// Successes among experiments.
struct Proportion {
  std::size_t hits = 0;
  std::size_t runs = 0;

  void add(bool hit) {
    hits += hit ? 1U : 0U;
    ++runs;
  }
  void add(const Proportion& other) {
    hits += other.hits;
    runs += other.runs;
  }
  /// 0 without runs.
  [[nodiscard]] double percent() const {
    return runs == 0 ? 0 : 100.0 * static_cast<double>(hits) / static_cast<double>(runs);
  }
  [[nodiscard]] Interval interval() const { return clopper_pearson(hits, runs); }
};

/// One row of a table of results.
struct Rates {
  Proportion itp;
  Proportion ifp;
  Proportion dtp;
  Proportion dfp;
  std::vector<double> latencies_s;  ///< Of the runs whose faulty server was indicted.

  void add(const Outcome& outcome);
  /// Those of another cluster.
  void add(const Rates& other);
  /// Only the false positives: what the control adds to an aggregate (F's aggregates: ITP and DTP average the
  /// six faults, IFP and DFP seven rows).
  void add_control(const Outcome& outcome);
  [[nodiscard]] std::optional<double> median_latency_s() const;
};

/// A scored experiment.
struct ScoredRun {
  Truth truth;
  Outcome outcome;
};

/// Everything F's tables 2 to 5 hold, and the same by workload.
struct Tally {
  struct Row {
    std::string name;
    Rates rates;
  };
  std::vector<Row> faults;     ///< In F's order, those that occurred; `none` first.
  std::vector<Row> workloads;  ///< The six faults with each workload.
  Rates aggregate;
  Rates observable;  ///< Over the pairs in which the fault can be observed; the control as above.
};

[[nodiscard]] Tally tally(std::span<const ScoredRun> runs);

/// How one figure of ours stands to the paper's.
struct CellCheck {
  std::string row;
  std::string figure;  ///< ITP, IFP, DTP or DFP
  double ours = 0;     ///< Per cent
  double paper = 0;
  Interval around_paper;  ///< 95 % interval around the paper's figure, from its own number of experiments.
  double p = 1;           ///< Of Fisher's exact test that both samples come of one probability.
  [[nodiscard]] bool inside() const { return around_paper.holds(ours / 100); }
  /// The interval asks whether ours could be the probability behind the paper's sample; but ours is a sample,
  /// too. At 5 %.
  [[nodiscard]] bool told_apart() const { return p < 0.05; }
};

/// All cells of the paper's table of this cluster that our tally has, the aggregate's too.
struct PaperTable;
[[nodiscard]] std::vector<CellCheck> check_cells(const Tally& tally, const PaperTable& table);

}  // namespace laggard::lab
