#include "topology/device_finder.h"

#include <algorithm>

#include "base/text.h"

namespace laggard::topology {

DeviceFinder::DeviceFinder(std::span<const RecordedHost> hosts) {
  for (const RecordedHost& host : hosts) {
    Entry& entry = hosts_[host.name];
    entry.host = &host;
    for (const auto* list : {&host.disks, &host.covered, &host.nets}) {
      for (const DeviceInfo* device : *list) {
        entry.devices.emplace(device->device, device);
        for (const std::string_view alias : aliases(*device)) {
          if (alias != device->device) entry.devices.emplace(alias, device);
        }
      }
    }
  }
}

const RecordedHost* DeviceFinder::host(std::string_view name) const {
  const auto found = hosts_.find(name);
  return found == hosts_.end() ? nullptr : found->second.host;
}

std::vector<const DeviceInfo*> DeviceFinder::find(std::string_view host, DeviceKind kind,
                                                  std::string_view name) const {
  std::vector<const DeviceInfo*> found;
  const auto entry = hosts_.find(host);
  if (entry == hosts_.end()) return found;
  const auto [begin, end] = entry->second.devices.equal_range(name);
  for (auto device = begin; device != end; ++device) {
    if (device->second->kind == kind) found.push_back(device->second);
  }
  std::sort(found.begin(), found.end(),
            [](const DeviceInfo* a, const DeviceInfo* b) { return natural_less(a->device, b->device); });
  return found;
}

}  // namespace laggard::topology
