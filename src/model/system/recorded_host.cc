#include "model/system/recorded_host.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/text.h"

namespace laggard {

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

/// The disk that a partition's name begins with: sda of sda1, nvme0n1 of nvme0n1p2; empty when the name does
/// not look like a partition's. Whether it is one is decided by that disk's presence.
std::string_view parent_by_name(std::string_view device) {
  const std::size_t last = device.find_last_not_of("0123456789");
  if (last == std::string_view::npos || last + 1 == device.size()) return {};
  const std::string_view stem = device.substr(0, last + 1);
  const bool after_digit =
      stem.size() > 1 && stem.back() == 'p' && stem[stem.size() - 2] >= '0' && stem[stem.size() - 2] <= '9';
  return after_digit ? stem.substr(0, stem.size() - 1) : stem;
}

/// Recorders name the device on top in a path's `top`, and the paths of a device on top in its `paths`.
void set_covered_apart(RecordedHost& host) {
  std::set<std::string_view> names;
  for (const DeviceInfo* disk : host.disks) names.insert(disk->device);
  std::set<std::string_view> below;
  for (const DeviceInfo* disk : host.disks) {
    for (const std::string_view path : words(fact(*disk, "paths"))) {
      if (path != disk->device) below.insert(path);
    }
  }
  const auto covered = [&](const DeviceInfo* disk) {
    const std::string_view top = fact(*disk, "top");
    if (top != disk->device && names.contains(top)) return true;
    const std::string_view whole = fact(*disk, "partition-of");
    if (names.contains(whole)) return true;
    return below.contains(disk->device) || names.contains(parent_by_name(disk->device));
  };
  for (const DeviceInfo* disk : host.disks) {
    if (covered(disk)) host.covered.push_back(disk);
  }
  std::erase_if(host.disks, covered);
}

void sort_by_device(std::vector<const DeviceInfo*>& devices) {
  std::sort(devices.begin(), devices.end(),
            [](const DeviceInfo* a, const DeviceInfo* b) { return natural_less(a->device, b->device); });
}

}  // namespace

std::vector<RecordedHost> recorded_hosts(const Inventory& inventory) {
  std::map<std::string_view, RecordedHost, bool (*)(std::string_view, std::string_view)> by_name(
      natural_less);
  for (const DeviceInfo& device : inventory.devices) {
    RecordedHost& host = by_name[device.host];
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
    }
  }
  std::vector<RecordedHost> hosts;
  hosts.reserve(by_name.size());
  for (auto& [name, host] : by_name) {
    host.name = name;
    sort_by_device(host.disks);
    sort_by_device(host.nets);
    set_covered_apart(host);
    hosts.push_back(std::move(host));
  }
  return hosts;
}

std::string_view fact(const DeviceInfo& device, std::string_view key) {
  for (const auto& [name, value] : device.facts) {
    if (name == key) return value;
  }
  return {};
}

std::vector<std::string_view> aliases(const DeviceInfo& device) {
  constexpr std::array<std::string_view, 6> kNamingFacts{"by-id", "wwn", "wwid", "dm-name", "name", "alias"};
  std::vector<std::string_view> out;
  for (const auto& [key, value] : device.facts) {
    if (std::find(kNamingFacts.begin(), kNamingFacts.end(), key) == kNamingFacts.end()) continue;
    for (const std::string_view word : words(value)) out.push_back(word);
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

}  // namespace laggard
