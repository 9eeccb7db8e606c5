#include "cmd/grouped_devices.h"

#include <algorithm>

#include "topology/groups.h"
#include "topology/recorded_host.h"

namespace laggard::cmd {

namespace {

/// Whether the groups take the device for one that is used.
bool is_loaded(const DeviceInfo& device) {
  return device.kind != DeviceKind::kDisk ||
         topology::under_load(device, topology::GroupingOptions{}.min_activity);
}

Duration recorded_of(const Inventory& inventory) {
  if (inventory.devices.empty()) return {};
  return std::ranges::max(inventory.devices, {}, &DeviceInfo::last).last -
         std::ranges::min(inventory.devices, {}, &DeviceInfo::first).first;
}

}  // namespace

void GroupedDevices::set(const Inventory& inventory) {
  devices_.clear();
  idle_.clear();
  grouped_from_ = recorded_of(inventory);
  for (const DeviceInfo& device : inventory.devices) {
    if (device.kind != DeviceKind::kTcp) devices_.emplace(device.host, device.kind, device.device);
    if (!is_loaded(device)) idle_.emplace(device.host, device.kind, device.device);
  }
}

bool GroupedDevices::serves(const std::string& host) const {
  const auto from = devices_.lower_bound({host, DeviceKind::kDisk, ""});
  const auto is_of_host = [&](const DeviceKey& key) {
    return std::get<0>(key) == host && std::get<1>(key) == DeviceKind::kDisk;
  };
  return std::any_of(from, std::find_if_not(from, devices_.end(), is_of_host),
                     [&](const DeviceKey& key) { return !idle_.contains(key); });
}

bool GroupedDevices::has_news(const Inventory& inventory) const {
  const bool doubled = recorded_of(inventory) >= 2 * grouped_from_;
  return std::ranges::any_of(inventory.devices, [&](const DeviceInfo& device) {
    const DeviceKey key{device.host, device.kind, device.device};
    if (device.kind == DeviceKind::kTcp) return false;
    if (!devices_.contains(key)) return true;
    return idle_.contains(key) && is_loaded(device) && (doubled || !serves(device.host));
  });
}

bool GroupedDevices::are_news(const std::set<SeriesKey>& of_events) {
  bool news = false;
  for (const SeriesKey& key : of_events) {
    const DeviceKey device{key.host, key.kind, key.device};
    news = (!devices_.contains(device) && regrouped_for_.insert(device).second) || news;
  }
  return news;
}

}  // namespace laggard::cmd
