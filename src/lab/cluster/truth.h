#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/time.h"
#include "lab/cluster/scenario.h"

namespace laggard::lab {

/// The ground truth of a recorded run: the file beside a recording that scoring compares a diagnosis with.
/// Simulated runs and those of the bench share its form; what a bench does not know stays empty.
struct Truth {
  std::string workload;
  std::string fault = "none";
  std::string faulty_server;  ///< Host; empty without a fault.
  std::optional<WallTime> fault_start;
  std::optional<WallTime> fault_stop;
  WallTime start{};
  WallTime stop{};
  std::string file_system;
  std::size_t clients = 0;
  std::size_t servers = 0;
  std::uint64_t hardware_seed = 0;
  std::uint64_t seed = 0;

  [[nodiscard]] bool sick() const { return fault != "none"; }
};

[[nodiscard]] Truth truth_of(const ClusterSpec& cluster, const RunSpec& run);

/// JSON: workload, fault, faulty_server, fault_start, fault_stop, workload_start, workload_stop (Unix
/// seconds; null without a fault), and beyond those the cluster and the seeds.
[[nodiscard]] std::string to_json(const Truth& truth);

/// Requires `fault` and, unless it is `none`, faulty_server, fault_start and fault_stop; everything else may
/// be missing, and unknown members are skipped. \param path  for messages.
[[nodiscard]] Result<Truth> parse_truth(std::string_view json, const std::filesystem::path& path);

/// The servers and clients of a simulated cluster as a system file (docs/formats/system.md).
[[nodiscard]] std::string system_toml(const ClusterSpec& cluster);

}  // namespace laggard::lab
