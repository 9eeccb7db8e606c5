#include "topology/recorded_host.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "base/text.h"

namespace laggard::topology {

namespace {

constexpr std::string_view kBlanks = " ,;\t";

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t start = text.find_first_not_of(kBlanks);
    if (start == std::string_view::npos) break;
    text.remove_prefix(start);
    const std::size_t end = std::min(text.find_first_of(kBlanks), text.size());
    out.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return out;
}

/// The disk that a partition's name begins with: sda for sda1, nvme0n1 for nvme0n1p2; empty when the name
/// does not look like a partition's. It is a partition if that disk is recorded too.
std::string_view parent_by_name(std::string_view device) {
  const std::size_t last = device.find_last_not_of("0123456789");
  if (last == std::string_view::npos || last + 1 == device.size()) return {};
  const std::string_view stem = device.substr(0, last + 1);
  const bool after_digit =
      stem.size() > 1 && stem.back() == 'p' && stem[stem.size() - 2] >= '0' && stem[stem.size() - 2] <= '9';
  return after_digit ? stem.substr(0, stem.size() - 1) : stem;
}

/// Whether it is no block device but a file system's own statistics of an OST or a pool on the host's
/// devices.
bool is_view(const DeviceInfo& device) { return !fact(device, "view").empty(); }

/// Moves the devices below another recorded one from `devices` to `covered`. Recorders name the device on top
/// of a path or partition in its `top`, and the paths below a device in its `paths`. Views are not peers of
/// the devices that they lie on; where those are recorded too, only a system file makes views components.
void set_covered_apart(std::vector<const DeviceInfo*>& devices, std::vector<const DeviceInfo*>& covered) {
  std::unordered_set<std::string_view> names;
  names.reserve(devices.size());
  bool all_views = true;
  for (const DeviceInfo* device : devices) {
    names.insert(device->device);
    all_views = all_views && is_view(*device);
  }
  std::unordered_set<std::string_view> below;
  for (const DeviceInfo* device : devices) {
    for (const std::string_view path : words(fact(*device, "paths"))) {
      if (path != device->device) below.insert(path);
    }
  }
  const auto is_covered = [&](const DeviceInfo* device) {
    for (const std::string_view top : words(fact(*device, "top"))) {
      if (top != device->device && names.contains(top)) return true;
    }
    if (below.contains(device->device) || (is_view(*device) && !all_views)) return true;
    return device->kind == DeviceKind::kDisk && names.contains(parent_by_name(device->device));
  };
  const auto first = std::stable_partition(devices.begin(), devices.end(),
                                           [&](const DeviceInfo* device) { return !is_covered(device); });
  covered.insert(covered.end(), first, devices.end());
  devices.erase(first, devices.end());
}

void sort_by_device(std::vector<const DeviceInfo*>& devices) {
  const auto less = [](const DeviceInfo* a, const DeviceInfo* b) {
    return natural_less(a->device, b->device);
  };
  // Inventories are sorted already, and checking that is much cheaper than sorting.
  if (!std::is_sorted(devices.begin(), devices.end(), less)) std::sort(devices.begin(), devices.end(), less);
}

}  // namespace

std::vector<RecordedHost> recorded_hosts(const Inventory& inventory) {
  std::unordered_map<std::string_view, std::size_t> index;
  std::vector<RecordedHost> hosts;
  for (const DeviceInfo& device : inventory.devices) {
    // The devices of a host are mostly consecutive.
    const bool same = !hosts.empty() && hosts.back().name == device.host;
    if (!same && index.try_emplace(device.host, hosts.size()).second) hosts.emplace_back().name = device.host;
    RecordedHost& host = same ? hosts.back() : hosts[index.at(device.host)];
    switch (device.kind) {
      case DeviceKind::kDisk:
        host.disks.push_back(&device);
        break;
      case DeviceKind::kNet:
        if (device.device != "lo") host.nets.push_back(&device);
        break;
      case DeviceKind::kTcp:
        host.sockets.push_back(&device);
        break;
      case DeviceKind::kHost:
        host.machine.push_back(&device);
        break;
      case DeviceKind::kDaemon:
        host.daemons.push_back(&device);
        break;
      case DeviceKind::kJob:
        break;  // Runs on clients.
    }
  }
  for (RecordedHost& host : hosts) {
    sort_by_device(host.disks);
    sort_by_device(host.nets);
    set_covered_apart(host.disks, host.covered);
    set_covered_apart(host.nets, host.covered);
  }
  std::sort(hosts.begin(), hosts.end(),
            [](const RecordedHost& a, const RecordedHost& b) { return natural_less(a.name, b.name); });
  return hosts;
}

std::string_view fact(const DeviceInfo& device, std::string_view key) {
  for (const auto& [name, value] : device.facts) {
    if (name == key) return value;
  }
  return {};
}

std::vector<std::string_view> aliases(const DeviceInfo& device) {
  constexpr std::array<std::string_view, 5> kWholeFacts{"wwn", "wwid", "dm-name", "serial", "alias"};
  std::vector<std::string_view> out;
  for (const auto& [key, value] : device.facts) {
    if (key == "by-id") {
      for (const std::string_view link : words(value)) out.push_back(link);
    } else if (!value.empty() &&
               std::find(kWholeFacts.begin(), kWholeFacts.end(), key) != kWholeFacts.end()) {
      out.emplace_back(value);
    }
  }
  return out;
}

bool under_load(const DeviceInfo& device, double min_activity) {
  return device.active_samples > 0 &&
         static_cast<double>(device.active_samples) >= min_activity * static_cast<double>(device.samples);
}

std::optional<bool> rotational(const DeviceInfo& device) {
  const std::string_view value = fact(device, "rotational");
  if (value == "0") return false;
  if (value == "1") return true;
  return std::nullopt;
}

std::string disk_class(std::string_view device, std::optional<bool> rotates) {
  constexpr std::array<std::string_view, 4> kFamilies{"md", "dm-", "loop", "nvme"};
  std::string family;
  for (const std::string_view name : kFamilies) {
    if (device.starts_with(name)) family = name.substr(0, name.find('-'));
  }
  if (family == "nvme") return "flash disks";
  const std::string_view noun = rotates == false ? "flash disks" : "disks";
  return family.empty() ? std::string(noun) : family + " " + std::string(noun);
}

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
