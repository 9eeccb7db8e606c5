#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "lab/cluster/scenario.h"
#include "lab/cmd/method.h"
#include "lab/score/tally.h"

namespace laggard::lab {

/// F's experiment: every fault under every workload, several times, on one cluster.
struct CampaignSpec {
  ClusterSpec cluster;
  std::size_t iterations = 10;
  std::size_t training_iterations = 10;  ///< Fault-free, of each of `training_workloads` (F §10.1).
  std::uint64_t first_seed = 1;
  std::uint64_t seed_step = 1;  ///< 2: even or odd seeds only.
  std::vector<Workload> workloads;
  std::vector<FaultKind> faults;
  std::vector<Workload> training_workloads{Workload::kDdRead, Workload::kDdWrite, Workload::kPostmark};
};

/// 5 workloads and 7 faults, as F has them.
[[nodiscard]] CampaignSpec whole_campaign(const ClusterSpec& cluster);

/// The judgements of all methods on one run, compared with its truth.
struct CampaignRun {
  Truth truth;
  std::vector<Judgement> judgements;  ///< Per method.
  std::vector<Outcome> outcomes;
};

/// Simulates and judges all runs on `threads` threads. The result depends on nothing but the specs.
/// \param progress  called from any thread with the number of runs done and in all, training included.
[[nodiscard]] Result<std::vector<CampaignRun>> run_campaign(
    const CampaignSpec& campaign, const std::vector<MethodSpec>& methods, std::size_t threads,
    const std::function<void(std::size_t done, std::size_t all)>& progress);

/// The outcomes of all runs by method number `method`.
[[nodiscard]] std::vector<ScoredRun> scored(const std::vector<CampaignRun>& runs, std::size_t method);

}  // namespace laggard::lab
