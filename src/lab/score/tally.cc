#include "lab/score/tally.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "stats/quantile.h"

namespace laggard::lab {

namespace {

constexpr std::array<PaperTable, 4> kTables{{
    {2,
     FileSystem::kPvfs,
     10,
     10,
     {{{"none", 0, 0, 0, 0},
       {"disk-hog", 100, 0, 100, 0},
       {"disk-busy", 90, 2, 90, 2},
       {"write-network-hog", 92, 0, 84, 8},
       {"read-network-hog", 100, 0, 100, 0},
       {"receive-pktloss", 42, 0, 42, 0},
       {"send-pktloss", 40, 0, 40, 0},
       {"aggregate", 77.3, 0.3, 76.0, 1.4}}},
     96.3,
     94.6},
    {3,
     FileSystem::kPvfs,
     6,
     12,
     {{{"none", 0, 2, 0, 2},
       {"disk-hog", 100, 0, 100, 0},
       {"disk-busy", 100, 0, 100, 0},
       {"write-network-hog", 42, 2, 0, 44},
       {"read-network-hog", 0, 2, 0, 2},
       {"receive-pktloss", 54, 6, 54, 6},
       {"send-pktloss", 40, 2, 40, 2},
       {"aggregate", 56.0, 2.0, 49.0, 8.0}}},
     67.2,
     58.8},
    {4,
     FileSystem::kLustre,
     10,
     10,
     {{{"none", 0, 0, 0, 0},
       {"disk-hog", 82, 0, 82, 0},
       {"disk-busy", 88, 2, 68, 22},
       {"write-network-hog", 98, 2, 96, 4},
       {"read-network-hog", 98, 2, 94, 6},
       {"receive-pktloss", 38, 4, 36, 6},
       {"send-pktloss", 40, 0, 38, 2},
       {"aggregate", 74.0, 1.4, 69.0, 5.7}}},
     92.5,
     86.3},
    {5,
     FileSystem::kLustre,
     6,
     12,
     {{{"none", 0, 6, 0, 6},
       {"disk-hog", 100, 0, 100, 0},
       {"disk-busy", 76, 8, 38, 46},
       {"write-network-hog", 86, 14, 86, 14},
       {"read-network-hog", 92, 8, 92, 8},
       {"receive-pktloss", 40, 2, 40, 2},
       {"send-pktloss", 38, 8, 38, 8},
       {"aggregate", 72.0, 6.6, 65.7, 12.0}}},
     90.0,
     82.1},
}};

double poisson_cdf(std::size_t k, double mean) {
  double term = std::exp(-mean);
  double sum = term;
  for (std::size_t i = 1; i <= k; ++i) sum += term *= mean / static_cast<double>(i);
  return sum;
}

/// The mean under which `k` or fewer have this probability.
double mean_with(std::size_t k, double probability) {
  double low = 0;
  double high = static_cast<double>(k) * 2 + 20;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (poisson_cdf(k, middle) > probability ? low : high) = middle;
  }
  return low;
}

}  // namespace

const PaperRow& PaperTable::row(std::string_view fault) const {
  const auto* const found =
      std::find_if(rows.begin(), rows.end(), [&](const PaperRow& row) { return row.fault == fault; });
  LAGGARD_CHECK(found != rows.end());
  return *found;
}

std::span<const PaperTable> paper_tables() { return kTables; }

const PaperTable* paper_table(std::string_view file_system, std::size_t clients, std::size_t servers) {
  for (const PaperTable& table : kTables) {
    if (to_name(table.file_system) == file_system && table.clients == clients && table.servers == servers) {
      return &table;
    }
  }
  return nullptr;
}

bool observable(std::string_view fault, std::string_view workload) {
  if (fault == "none") return false;
  if (fault == "receive-pktloss") return workload == "ddw" || workload == "iozonew";
  if (fault == "send-pktloss") return workload == "ddr" || workload == "iozoner";
  return true;
}

namespace {

/// The natural logarithm of the binomial coefficient n over k.
double log_ways(std::size_t k, std::size_t n) {
  const auto trials = static_cast<double>(n);
  const auto x = static_cast<double>(k);
  return std::lgamma(trials + 1) - std::lgamma(x + 1) - std::lgamma(trials - x + 1);
}

}  // namespace

double binomial_cdf(std::size_t k, std::size_t n, double p) {
  LAGGARD_CHECK(k <= n);
  if (p <= 0 || k == n) return 1;
  if (p >= 1) return 0;
  const auto trials = static_cast<double>(n);
  double sum = 0;
  for (std::size_t i = 0; i <= k; ++i) {
    const auto x = static_cast<double>(i);
    sum += std::exp(log_ways(i, n) + x * std::log(p) + (trials - x) * std::log1p(-p));
  }
  return std::min(1.0, sum);
}

namespace {

/// The p in [0, 1] at which a falling function of it passes `value`.
template <typename Falling>
double solve(const Falling& f, double value) {
  double low = 0;
  double high = 1;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (f(middle) > value ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

Interval clopper_pearson(std::size_t k, std::size_t n, double confidence) {
  LAGGARD_CHECK(k <= n);
  if (n == 0) return {};
  const double tail = (1 - confidence) / 2;
  Interval interval;
  // P(X >= k) = 1 - P(X <= k-1) rises with p.
  if (k > 0) interval.low = solve([&](double p) { return binomial_cdf(k - 1, n, p); }, 1 - tail);
  if (k < n) interval.high = solve([&](double p) { return binomial_cdf(k, n, p); }, tail);
  return interval;
}

Interval poisson_interval(std::size_t count) {
  constexpr double kTail = 0.025;
  return {count == 0 ? 0 : mean_with(count - 1, 1 - kTail), mean_with(count, kTail)};
}

double fisher_exact(std::size_t k, std::size_t n, std::size_t l, std::size_t m) {
  LAGGARD_CHECK(k <= n && l <= m);
  const std::size_t both = k + l;
  const auto log_likelihood = [&](std::size_t x) {
    return log_ways(x, n) + log_ways(both - x, m) - log_ways(both, n + m);
  };
  // Equally likely tables may differ by rounding.
  const double limit = log_likelihood(k) + 1e-9;
  double sum = 0;
  for (std::size_t x = both > m ? both - m : 0; x <= std::min(n, both); ++x) {
    const double log_p = log_likelihood(x);
    if (log_p <= limit) sum += std::exp(log_p);
  }
  return std::min(1.0, sum);
}

void Rates::add(const Outcome& outcome) {
  itp.add(outcome.itp);
  dtp.add(outcome.dtp);
  if (outcome.latency) cause_ok.add(outcome.cause_ok);
  if (outcome.latency) latencies_s.push_back(to_seconds(*outcome.latency));
  add_control(outcome);
}

void Rates::add(const Rates& other) {
  itp.add(other.itp);
  ifp.add(other.ifp);
  dtp.add(other.dtp);
  dfp.add(other.dfp);
  cause_ok.add(other.cause_ok);
  latencies_s.insert(latencies_s.end(), other.latencies_s.begin(), other.latencies_s.end());
}

void Rates::add_control(const Outcome& outcome) {
  ifp.add(outcome.ifp);
  dfp.add(outcome.dfp);
}

std::optional<double> Rates::median_latency_s() const {
  if (latencies_s.empty()) return std::nullopt;
  std::vector<double> sorted = latencies_s;
  std::sort(sorted.begin(), sorted.end());
  return stats::quantile_of_sorted(sorted, 0.5);
}

namespace {

Rates& row_of(std::vector<Tally::Row>& rows, std::string_view name) {
  return std::find_if(rows.begin(), rows.end(), [&](const Tally::Row& row) { return row.name == name; })
      ->rates;
}

/// Rows for all names that occur, known ones first and in their order.
void make_rows(std::vector<Tally::Row>& rows, const std::vector<std::string_view>& known,
               const std::vector<std::string_view>& seen) {
  std::vector<std::string_view> names;
  for (const std::string_view name : known) {
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) names.push_back(name);
  }
  for (const std::string_view name : seen) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  for (const std::string_view name : names) rows.push_back({std::string(name), {}});
}

}  // namespace

namespace {

/// A third is what an operator notices.
std::string_view cost_of(double lost) {
  if (lost >= 1.0 / 3) return "a third or more";
  return lost >= 0.1 ? "a tenth to a third" : "less than a tenth";
}

/// The rows of runs whose truth says how hard the fault struck, and what it cost.
void add_by_size(std::span<const ScoredRun> runs, Tally& result) {
  std::vector<std::string_view> strengths;
  std::vector<std::string_view> costs;
  for (const ScoredRun& run : runs) {
    if (!run.truth.sick()) continue;
    if (!run.truth.strength.empty()) strengths.push_back(run.truth.strength);
    if (run.truth.lost) costs.push_back(cost_of(*run.truth.lost));
  }
  make_rows(result.strengths, {"mild", "medium", "strong"}, strengths);
  make_rows(result.costs, {"a third or more", "a tenth to a third", "less than a tenth"}, costs);
  for (const ScoredRun& run : runs) {
    if (!run.truth.sick()) continue;
    if (!run.truth.strength.empty()) row_of(result.strengths, run.truth.strength).add(run.outcome);
    if (run.truth.lost) row_of(result.costs, cost_of(*run.truth.lost)).add(run.outcome);
  }
}

}  // namespace

Tally tally(std::span<const ScoredRun> runs) {
  std::vector<std::string_view> known_faults;
  for (const FaultRow& fault : fault_catalogue()) known_faults.push_back(fault.name);
  std::vector<std::string_view> known_workloads;
  for (std::size_t i = 0; i < kWorkloads; ++i) known_workloads.push_back(to_name(static_cast<Workload>(i)));
  std::vector<std::string_view> faults;
  std::vector<std::string_view> workloads;
  for (const ScoredRun& run : runs) {
    faults.push_back(run.truth.fault);
    workloads.push_back(run.truth.workload);
  }
  Tally result;
  add_by_size(runs, result);
  make_rows(result.faults, known_faults, faults);
  make_rows(result.workloads, known_workloads, workloads);
  for (const ScoredRun& run : runs) {
    row_of(result.faults, run.truth.fault).add(run.outcome);
    Rates& workload = row_of(result.workloads, run.truth.workload);
    if (run.truth.sick()) {
      workload.add(run.outcome);
      result.aggregate.add(run.outcome);
      if (observable(run.truth.fault, run.truth.workload)) result.observable.add(run.outcome);
    } else {
      workload.add_control(run.outcome);
      result.aggregate.add_control(run.outcome);
      result.observable.add_control(run.outcome);
    }
  }
  return result;
}

std::vector<CellCheck> check_cells(const Tally& tally, const PaperTable& table) {
  std::vector<CellCheck> cells;
  const auto check = [&](const std::string& name, const Rates& rates) {
    const PaperRow& paper = table.row(name);
    const bool aggregate = name == "aggregate";
    const std::size_t runs = kPaperRuns * kPaperWorkloads * (aggregate ? kPaperFaults - 1 : 1);
    const std::size_t all_runs = kPaperRuns * kPaperWorkloads * (aggregate ? kPaperFaults : 1);
    const auto add = [&](const char* figure, const Proportion& ours, double percent, std::size_t n) {
      const auto hits = static_cast<std::size_t>(std::llround(percent / 100 * static_cast<double>(n)));
      cells.push_back({name, figure, ours.percent(), percent, clopper_pearson(hits, n),
                       fisher_exact(ours.hits, ours.runs, hits, n)});
    };
    add("ITP", rates.itp, paper.itp, runs);
    add("IFP", rates.ifp, paper.ifp, all_runs);
    add("DTP", rates.dtp, paper.dtp, runs);
    add("DFP", rates.dfp, paper.dfp, all_runs);
  };
  for (const Tally::Row& row : tally.faults) check(row.name, row.rates);
  check("aggregate", tally.aggregate);
  return cells;
}

}  // namespace laggard::lab
