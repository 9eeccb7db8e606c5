#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "lab/cluster/scenario.h"

namespace laggard::lab {

/// The ground truth of a recorded run: the file beside a recording that scoring compares a diagnosis with.
/// Simulated runs and those of the bench share its form; what a bench does not know stays empty.
struct Truth {
  /// One of several faults at the same time.
  struct Part {
    std::string fault;
    std::vector<std::string> hosts;  ///< Servers or clients; those of a sick switch.
  };

  std::string workload;
  std::string fault = "none";  ///< Of several the names, joined by `+`.
  std::string faulty_server;   ///< Host, of several the first; empty without a faulty server.
  std::vector<Part> parts;     ///< All faults; one, made of the two above, in files that do not list them.
  std::string strength;        ///< mild, medium, strong, of several joined by `+`; empty: not said.
  /// The share of its throughput that the file system lost while the fault lasted; nothing: not measured.
  std::optional<double> lost;
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
  /// The fault of a host; null for a healthy one.
  [[nodiscard]] const Part* part_of(std::string_view host) const;
  /// All hosts that are sick, each once.
  [[nodiscard]] std::set<std::string> faulty_hosts() const;
};

/// The hosts that the fault of a run makes sick; those of the second switch when it is the switch.
[[nodiscard]] std::vector<std::string> faulty_hosts(const ClusterSpec& cluster, const RunSpec& run);

[[nodiscard]] Truth truth_of(const ClusterSpec& cluster, const RunSpec& run);

/// JSON: workload, fault, faulty_server, fault_start, fault_stop, workload_start, workload_stop (Unix
/// seconds; null without a fault), strength, faulty_servers, faults (each with fault, strength, servers,
/// clients), and beyond those the cluster and the seeds.
[[nodiscard]] std::string to_json(const Truth& truth);

/// Requires `fault` and, unless it is `none`, a sick host (faulty_server, or one in faults), fault_start and
/// fault_stop; everything else may be missing, and unknown members are skipped. Of
/// `throughput` the larger of lost_median and lost_mean counts: stalls do not show in medians. \param path
/// for messages.
[[nodiscard]] Result<Truth> parse_truth(std::string_view json, const std::filesystem::path& path);

/// The servers and clients of a simulated cluster as a system file (docs/formats/system.md).
[[nodiscard]] std::string system_toml(const ClusterSpec& cluster);

}  // namespace laggard::lab
