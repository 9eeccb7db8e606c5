#pragma once

#include <filesystem>

#include "base/error.h"
#include "lab/cluster/scenario.h"
#include "lab/cluster/truth.h"

namespace laggard::lab {

/// Names of the files beside a simulated recording's samples.
inline constexpr const char* kTruthFile = "truth.json";
inline constexpr const char* kSystemFile = "system.toml";

/// Refuses a folder that is not empty: samples of two runs must not mix.
[[nodiscard]] Status check_new_folder(const std::filesystem::path& folder);

/// Simulates one run into a new folder: samples, system file and truth.
[[nodiscard]] Status simulate_into(const ClusterSpec& cluster, const RunSpec& run,
                                   const std::filesystem::path& folder);

/// The truth of a recorded run, as far as scoring needs it. `kNotFound` when the folder has no truth file.
[[nodiscard]] Result<Truth> read_truth(const std::filesystem::path& folder);

}  // namespace laggard::lab
