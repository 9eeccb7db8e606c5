#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/series_source.h"

namespace laggard::topology {

/// The devices of one host in an inventory that can be components. Points into the inventory.
struct RecordedHost {
  std::string name;
  std::vector<const DeviceInfo*> disks;  ///< Without partitions and paths below another recorded device, ...
  std::vector<const DeviceInfo*> covered;  ///< ... which are here, with the links of bonds.
  std::vector<const DeviceInfo*> nets;     ///< Without loopback.
  std::vector<const DeviceInfo*> sockets;
  std::vector<const DeviceInfo*> machine;  ///< The host itself, at most one.
  std::vector<const DeviceInfo*> daemons;
};

/// Hosts and their devices in the natural order of their names.
[[nodiscard]] std::vector<RecordedHost> recorded_hosts(const Inventory& inventory);

[[nodiscard]] std::string_view fact(const DeviceInfo& device, std::string_view key);

/// Names that a system file may use for a device besides its own: by-id links, WWN, multipath name, serial.
[[nodiscard]] std::vector<std::string_view> aliases(const DeviceInfo& device);

[[nodiscard]] bool under_load(const DeviceInfo& device, double min_activity);

/// Whether it is a rotating disk, where the kernel says so.
[[nodiscard]] std::optional<bool> rotational(const DeviceInfo& device);

/// Names the class of disks that it can be compared with on one host: `md`, `dm`, `loop` or plain disks,
/// flash or rotating.
[[nodiscard]] std::string disk_class(std::string_view device, std::optional<bool> rotates);

/// Finds recorded devices by their names and aliases. Points into the hosts that it was made from.
class DeviceFinder {
 public:
  explicit DeviceFinder(std::span<const RecordedHost> hosts);

  [[nodiscard]] const RecordedHost* host(std::string_view name) const;

  /// More than one when a device came back under another kernel name with the same id; in natural order.
  [[nodiscard]] std::vector<const DeviceInfo*> find(std::string_view host, DeviceKind kind,
                                                    std::string_view name) const;

 private:
  struct Entry {
    const RecordedHost* host = nullptr;
    std::unordered_multimap<std::string_view, const DeviceInfo*> devices;
  };
  std::unordered_map<std::string_view, Entry> hosts_;
};

}  // namespace laggard::topology
