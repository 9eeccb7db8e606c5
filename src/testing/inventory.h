#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/series_source.h"

/// What a source holds, for tests of those who look at nothing else.

namespace laggard::testing_support {

inline DeviceInfo device_info(std::string host, std::string device, WallTime first, WallTime last) {
  DeviceInfo info;
  info.host = std::move(host);
  info.device = std::move(device);
  info.first = first;
  info.last = last;
  return info;
}

inline Inventory inventory_of(std::vector<DeviceInfo> devices) {
  Inventory inventory;
  inventory.devices = std::move(devices);
  return inventory;
}

}  // namespace laggard::testing_support
