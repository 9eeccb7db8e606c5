#include "lab/cmd/results.h"

#include <algorithm>

#include "stats/quantile.h"

namespace laggard::lab {

namespace {

std::optional<double> persistence_gap(const std::vector<CampaignRun>& runs, std::size_t method) {
  std::vector<double> gaps;
  for (const CampaignRun& run : runs) {
    if (!run.outcomes[method].itp) continue;
    int own = 0;
    int others = 0;
    for (const auto& [server, persistence] : run.judgements[method].persistence) {
      int& kind = server == run.truth.faulty_server ? own : others;
      kind = std::max(kind, persistence);
    }
    gaps.push_back(own - others);
  }
  if (gaps.empty()) return std::nullopt;
  std::sort(gaps.begin(), gaps.end());
  return stats::quantile_of_sorted(gaps, 0.5);
}

}  // namespace

ClusterResults summarize(const std::vector<CampaignRun>& runs, const std::vector<MethodSpec>& methods) {
  ClusterResults results;
  results.runs = runs.size();
  if (!runs.empty()) {
    results.file_system = runs.front().truth.file_system;
    results.clients = runs.front().truth.clients;
    results.servers = runs.front().truth.servers;
  }
  results.paper = paper_table(results.file_system, results.clients, results.servers);
  for (std::size_t m = 0; m < methods.size(); ++m) {
    results.methods.push_back({methods[m].name, tally(scored(runs, m)), persistence_gap(runs, m)});
  }
  return results;
}

}  // namespace laggard::lab
