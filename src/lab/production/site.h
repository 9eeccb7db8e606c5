#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/parts.h"

namespace laggard::lab::production {

/// Who probes: Kaleidoscope's classes of clients (K §IV-A).
enum class ClientKind : std::uint8_t { kLogin, kService, kImportExport };

/// What differs between sites and is known to nobody who judges: drawn from a seed.
struct SiteParameters {
  double disk_load = 0.08;        ///< Mean share of its time that a disk works for applications.
  double server_load = 0.05;      ///< The same of servers, routers and metadata servers.
  double load_spread = 0.4;       ///< Of the logarithm of a part's mean load about that.
  double wander_spread = 0.3;     ///< Of the logarithm of the load of one part in time.
  double wander_minutes = 10;     ///< Memory of that.
  double bursts_per_hour = 0.02;  ///< Of a disk: moments at which a job leaves seconds of work.
  double burst_seconds = 1.5;     ///< Mean of that work.
  double slow_share =
      0.003;              ///< Of probes that are slow for nobody's sake: a disk's recovery, a resent packet.
  double latency_ms = 8;  ///< Median of what a probe takes where nothing waits.
  double requests = 400;  ///< Median of what a disk that works all the time does in a second.
  double idle_jobs = 0.03;      ///< Share of hosts that do something of no importance besides: a backup.
  double noise_errors = 0.06;   ///< Errors that a host logs in an hour, for nobody's sake.
  double noise_warnings = 0.3;  ///< The same of warnings.
  double silent = 0.01;         ///< Share of what is broken that no log tells of.
  double launch_seconds = 0.7;  ///< Mean delay of a client's round (K §VI-C: 98.4 % within 3 s, all in 10 s).
};

/// Storage built as Blue Waters' (K §II-A): 210 pairs of data servers with 432 targets on three file systems,
/// six metadata servers, 582 routers in groups of four (the last has two), and clients of three classes. Six
/// of the pairs have two targets a server, all others one. A group of routers serves whole pairs, or the
/// metadata servers of one file system, and only service nodes need it. Twelve targets after each other are
/// in one rack, whose switch they are reached over.
///
/// K does not say which servers have several OSDs, how groups of LNETs and servers belong together, nor what
/// a rack holds; these are ours.
class Site {
 public:
  static constexpr std::size_t kPairs = 210;
  static constexpr std::size_t kWidePairs = 6;
  static constexpr std::size_t kServers = 2 * kPairs;
  static constexpr std::size_t kTargets = kServers + 2 * kWidePairs;
  static constexpr std::size_t kMetadataServers = 6;
  static constexpr std::size_t kFileSystems = 3;
  static constexpr std::size_t kRouters = 582;
  static constexpr std::size_t kGroupSize = 4;
  static constexpr std::size_t kGroups = (kRouters + kGroupSize - 1) / kGroupSize;
  static constexpr std::size_t kTargetsPerRack = 12;
  static constexpr std::size_t kRacks = kTargets / kTargetsPerRack;
  static constexpr std::size_t kLogins = 4;
  static constexpr std::size_t kServiceNodes = 64;
  static constexpr std::size_t kImportNodes = 25;

  /// \param silent  instead of the site's own SiteParameters::silent.
  explicit Site(std::uint64_t seed, std::optional<double> silent = {});

  [[nodiscard]] const SiteParameters& parameters() const { return parameters_; }

  /// The server that serves a target unless it has been failed over, and the other one of a pair.
  [[nodiscard]] static std::size_t server_of(std::size_t target);
  [[nodiscard]] static std::size_t partner_of(std::size_t server) { return server ^ 1U; }
  [[nodiscard]] static std::vector<std::size_t> targets_of(std::size_t server);
  [[nodiscard]] static std::size_t file_system_of(std::size_t target);
  [[nodiscard]] static std::size_t rack_of(std::size_t target) { return target / kTargetsPerRack; }
  /// Of routers, over which service nodes reach a server or a metadata server.
  [[nodiscard]] static std::size_t group_of_server(std::size_t server) { return server / 2 % kGroups; }
  [[nodiscard]] static std::size_t group_of_metadata(std::size_t metadata) {
    return kGroups - kFileSystems + metadata / 2;
  }
  [[nodiscard]] static std::pair<std::size_t, std::size_t> routers_of(std::size_t group);  ///< [first, last)

  [[nodiscard]] static Part target(std::size_t target);
  [[nodiscard]] static Part server(std::size_t server);
  [[nodiscard]] static Part metadata_server(std::size_t metadata);
  [[nodiscard]] static Part router(std::size_t router);
  [[nodiscard]] static Part rack(std::size_t rack);
  [[nodiscard]] static Part client(ClientKind kind, std::size_t client);

  /// The parts that probes cannot tell from this one, by what they pass: a server with one target and that,
  /// the two of a pair while both fail, the routers of a group, the only monitor of its class and what only
  /// it passes are different.
  [[nodiscard]] static std::vector<Part> alike(const Part& part);

  /// As laggard reads it (docs/formats/system.md).
  [[nodiscard]] static std::string system_toml();

 private:
  SiteParameters parameters_;
};

[[nodiscard]] const char* file_system_name(std::size_t file_system);

}  // namespace laggard::lab::production
