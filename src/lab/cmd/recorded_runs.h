#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "base/error.h"
#include "lab/cluster/truth.h"
#include "lab/cmd/results.h"

namespace laggard::lab {

/// A recorded run and what was wrong in it.
struct Recorded {
  std::filesystem::path folder;
  Truth truth;
};

/// Runs by cluster (file system, clients, servers), in the order of their times.
using Clusters = std::map<std::tuple<std::string, std::size_t, std::size_t>, std::vector<Recorded>>;

/// All runs at and below the folders: those with a truth file.
[[nodiscard]] Result<Clusters> find_runs(const std::vector<std::filesystem::path>& folders);

/// Judges the runs of one cluster by the paper's method and ours, trained on the fault-free ddr, ddw and
/// postmark runs among them.
[[nodiscard]] Result<ClusterResults> score_cluster(const std::vector<Recorded>& runs, std::size_t threads);

}  // namespace laggard::lab
