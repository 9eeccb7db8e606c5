#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lab/sim/storage_array.h"

namespace laggard::lab::scale {

inline constexpr std::size_t kMostLuns = 128;    ///< Of an array.
inline constexpr std::size_t kMostServers = 16;  ///< Of an array.
using LunMask = std::bitset<kMostLuns>;
using ServerMask = std::bitset<kMostServers>;

/// LUNs that went into service together: only these are peers of each other (T §5.2.1).
struct LunSet {
  std::string name;
  std::size_t luns = 0;       ///< Per array.
  double read_weight = 1;     ///< Share of the file system's reads, relative to an ordinary LUN.
  double write_weight = 1;    ///< LUNs added later are emptier, so they get fewer reads and more writes.
  std::size_t pool = 0;       ///< Sets of one pool serve the same file system and the same jobs.
  bool double_peers = false;  ///< See system.md.
};

/// Disks of many LUNs in one shelf.
struct DrawerSpec {
  std::string suffix;  ///< ddn12-G has suffix G.
  std::size_t first_lun = 0;
  std::size_t last_lun = 0;  ///< Inclusive.
  std::size_t disk = 0;      ///< Which one of each of these LUNs' groups it holds.
};

/// How a site is connected. Each array has its own servers_per_array servers, the first half of them on its
/// controller `a`, the others on `b`; its n-th LUN is reached first through its n-th server, then through the
/// following ones, cyclically (T §5.2: 12.48.49, 15.37.78 and most secondaries of Table 5.3 agree with that).
struct SiteSpec {
  std::string name;
  std::size_t arrays = 0;
  std::size_t first_array = 1;  ///< Number in the name of the first.
  std::size_t servers_per_array = 0;
  std::vector<LunSet> sets;
  std::vector<DrawerSpec> drawers;
  bool array_in_names = true;  ///< 12.48.49, else 48.49.
  ArrayGeometry storage;       ///< Of each array; its LUNs are those of `sets`.
  /// Seconds after which a failed disk is put back; 0: as an incident draws it.
  std::int64_t disk_back_after = 0;

  [[nodiscard]] std::size_t luns_per_array() const;
  [[nodiscard]] std::size_t servers() const { return arrays * servers_per_array; }
  [[nodiscard]] std::size_t attachments() const { return arrays * luns_per_array() * servers_per_array; }
  [[nodiscard]] std::size_t set_of(std::size_t lun) const;

  /// Position within the array of the server that LUN `lun` is reached through at `priority` (0: primary).
  [[nodiscard]] std::size_t server_at(std::size_t lun, std::size_t priority) const {
    return (lun + priority) % servers_per_array;
  }
  [[nodiscard]] std::size_t priority_of(std::size_t lun, std::size_t server) const {
    return (server + servers_per_array - lun % servers_per_array) % servers_per_array;
  }
  /// The controller of the coupled pair, 0 or 1, that a server is attached to, and the one that owns a LUN.
  [[nodiscard]] std::size_t controller_of_server(std::size_t server) const {
    return server < servers_per_array / 2 ? 0 : 1;
  }
  [[nodiscard]] static std::size_t owner_of(std::size_t lun) { return lun % 2 == 0 ? 1 : 0; }

  [[nodiscard]] LunMask all_luns() const;
  [[nodiscard]] LunMask luns_of_owner(std::size_t controller) const;
  [[nodiscard]] ServerMask servers_of(std::size_t controller) const;

  [[nodiscard]] std::string array_name(std::size_t array) const;
  [[nodiscard]] std::string controller_name(std::size_t array, std::size_t controller) const;
  [[nodiscard]] std::string server_name(std::size_t array, std::size_t server) const;
  [[nodiscard]] std::string lun_name(std::size_t array, std::size_t lun) const;
  [[nodiscard]] std::string drawer_name(std::size_t array, std::size_t drawer) const;
  [[nodiscard]] std::string attachment_name(std::size_t array, std::size_t lun, std::size_t server) const;
};

/// Intrepid (T §5.2): 128 servers, 16 arrays of 72 LUNs, 9,216 attachments. The drawers have as many LUNs as
/// T Table 5.5 saw jitter: 60 on G, 54 on A, 11 on D.
[[nodiscard]] SiteSpec intrepid();

/// The laboratory of T §6.3: 16 servers, eight IBM DS4300 with four LUNs of five disks (RAID-5) each.
[[nodiscard]] SiteSpec disk_failure_lab();

/// Surveyor (T §6.2.3): four servers, one array of eight LUNs, four for each of two file systems.
[[nodiscard]] SiteSpec surveyor();

/// The site as a system file (docs/formats/system.md).
[[nodiscard]] std::string system_toml(const SiteSpec& site);

}  // namespace laggard::lab::scale
