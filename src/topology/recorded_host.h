#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/series_source.h"

namespace laggard::topology {

/// The devices of one host in an inventory, as far as they can be components. Points into the inventory.
struct RecordedHost {
  std::string name;
  std::vector<const DeviceInfo*> disks;    ///< Without partitions and paths below another recorded device.
  std::vector<const DeviceInfo*> covered;  ///< Those partitions, paths and links of bonds.
  std::vector<const DeviceInfo*> nets;     ///< Without loopback.
  std::vector<const DeviceInfo*> sockets;
};

/// Natural order of names, devices likewise.
[[nodiscard]] std::vector<RecordedHost> recorded_hosts(const Inventory& inventory);

[[nodiscard]] std::string_view fact(const DeviceInfo& device, std::string_view key);

/// Names that a system file may use for a device besides its own: by-id links, WWN, multipath name, serial.
[[nodiscard]] std::vector<std::string_view> aliases(const DeviceInfo& device);

[[nodiscard]] bool under_load(const DeviceInfo& device, double min_activity);

/// Whether the kernel says that it rotates.
[[nodiscard]] std::optional<bool> rotational(const DeviceInfo& device);

/// A word for disks that can be compared on one host: `md`, `dm`, `loop` or a plain disk, flash or rotating.
[[nodiscard]] std::string disk_class(std::string_view device, std::optional<bool> rotates);

/// Finds recorded devices by their names and aliases. Points into the hosts that it was made of.
class DeviceFinder {
 public:
  explicit DeviceFinder(std::span<const RecordedHost> hosts);

  [[nodiscard]] const RecordedHost* host(std::string_view name) const;

  /// Several where a device came back under another kernel name but with the same id; natural order.
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
