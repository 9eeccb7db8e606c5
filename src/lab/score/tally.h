#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/cluster/scenario.h"
#include "lab/score/outcome.h"

namespace laggard::lab {

/// One row of a table of results, in per cent.
struct PaperRow {
  std::string_view fault;  ///< `none`, disk-hog, …, or `aggregate`.
  double itp = 0;
  double ifp = 0;
  double dtp = 0;
  double dfp = 0;
};

/// The results that Kasick et al., FAST 2010, report for their algorithm on one cluster: 10 experiments for
/// each of 5 workloads, so 50 behind each fault's row, 300 behind the aggregate's ITP and DTP, and 350 behind
/// its IFP and DFP, which include the control.
struct PaperTable {
  int number = 0;
  FileSystem file_system = FileSystem::kPvfs;
  std::size_t clients = 0;
  std::size_t servers = 0;
  std::array<PaperRow, 8> rows;
  /// §11: without the pairs in which packet loss cannot be observed.
  double observable_itp = 0;
  double observable_dtp = 0;

  [[nodiscard]] const PaperRow& row(std::string_view fault) const;
};

/// Tables 2 to 5.
[[nodiscard]] std::span<const PaperTable> paper_tables();
/// The table of such a cluster; null when the paper has none.
[[nodiscard]] const PaperTable* paper_table(std::string_view file_system, std::size_t clients,
                                            std::size_t servers);

inline constexpr std::size_t kPaperRuns = 10;  ///< Of each fault with each workload.

/// Whether a fault can show under a workload (docs/methods/peer.md): packet loss shows only where data flows
/// in its direction.
[[nodiscard]] bool observable(std::string_view fault, std::string_view workload);

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

/// Exact 95 % interval of the mean of a Poisson variable of which `count` was seen (Garwood 1936).
[[nodiscard]] Interval poisson_interval(std::size_t count);

/// Fisher's exact test, two-sided, of k hits in n against l in m: the probability, if both samples have the
/// same hit rate, of all tables with these margins that are at most as likely as this one. 1 where n or m is
/// 0. Requires k <= n and l <= m.
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
  Proportion cause_ok;              ///< Of the runs in which a faulty host was indicted.
  std::vector<double> latencies_s;  ///< Of the runs whose faulty server was indicted.

  void add(const Outcome& outcome);
  /// Adds those of another cluster.
  void add(const Rates& other);
  /// Adds only the false positives, which is what the control contributes to an aggregate (in F's aggregates
  /// ITP and DTP average the six faults, IFP and DFP seven rows).
  void add_control(const Outcome& outcome);
  [[nodiscard]] std::optional<double> median_latency_s() const;
};

/// A scored experiment.
struct ScoredRun {
  Truth truth;
  Outcome outcome;
};

/// The contents of F's tables 2 to 5, and the same by workload.
struct Tally {
  struct Row {
    std::string name;
    Rates rates;
  };
  std::vector<Row> faults;     ///< In F's order, those that occurred; `none` first.
  std::vector<Row> workloads;  ///< All faults under each workload.
  Rates aggregate;
  Rates observable;  ///< Over the pairs in which the fault can be observed; the control as above.
  /// By how hard the fault struck, and by what it cost the file system: only of truths that say so.
  std::vector<Row> strengths;
  std::vector<Row> costs;
};

[[nodiscard]] Tally tally(std::span<const ScoredRun> runs);

/// One of our figures compared with the paper's.
struct CellCheck {
  std::string row;
  std::string figure;  ///< ITP, IFP, DTP or DFP
  double ours = 0;     ///< Per cent
  double paper = 0;
  Interval around_paper;  ///< 95 % interval around the paper's figure, from its own number of experiments.
  double p = 1;           ///< Of Fisher's exact test that both samples have the same hit rate.
  [[nodiscard]] bool inside() const { return around_paper.holds(ours / 100); }
  /// Whether both samples differ significantly, at 5 %. The interval alone treats ours as the true
  /// probability although it is a sample, too.
  [[nodiscard]] bool told_apart() const { return p < 0.05; }
};

/// All cells of the paper's table of this cluster that our tally has, the aggregate's too.
[[nodiscard]] std::vector<CellCheck> check_cells(const Tally& tally, const PaperTable& table);

}  // namespace laggard::lab
