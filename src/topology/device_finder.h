#pragma once

#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "topology/recorded_host.h"

namespace laggard::topology {

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
