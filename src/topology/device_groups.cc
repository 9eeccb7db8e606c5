#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "base/text.h"
#include "topology/align.h"
#include "topology/group_builder.h"

namespace laggard::topology {

namespace {

using NaturalOrder = bool (*)(std::string_view, std::string_view);

/// Servers by set, sets in natural order; those without a device are left out.
std::map<std::string, std::vector<ServerDevices>, NaturalOrder> by_set(std::vector<ServerDevices> servers) {
  std::map<std::string, std::vector<ServerDevices>, NaturalOrder> sets(natural_less);
  for (ServerDevices& server : servers) {
    if (!server.devices.empty()) sets[server.set].push_back(std::move(server));
  }
  return sets;
}

std::string in_set(const std::string& set, std::string_view noun) {
  return set.empty() ? std::string(noun) : set + " " + std::string(noun);
}

/// Takes the mode of the servers' own entry, the caller's wish above it.
DiskPeers mode_of(std::span<const ServerDevices> servers, DiskPeers wish) {
  constexpr std::size_t kEnough = 3;
  if (wish == DiskPeers::kAuto) wish = servers.front().peers;
  if (wish != DiskPeers::kAuto) return wish;
  const bool any_with_peers = std::any_of(
      servers.begin(), servers.end(), [](const auto& server) { return server.devices.size() >= kEnough; });
  const bool one_host = servers.size() == 1;
  return one_host || (servers.size() < kEnough && any_with_peers) ? DiskPeers::kHost : DiskPeers::kRank;
}

/// One sentence per host for devices that only it has, instead of one per device.
void name_lone_devices(std::string_view noun, const std::map<std::string, std::vector<std::string>>& lone,
                       GroupBuilder& builder) {
  for (const auto& [host, names] : lone) {
    builder.cannot_compare(fmt::format("{} of {}: {} ({}) under load with no counterpart on the other hosts",
                                       noun, host, counted(names.size(), "device"), fold_for_message(names)));
  }
}

void group_by_rank(std::vector<ServerDevices> servers, std::string_view noun, GroupKind kind,
                   GroupBuilder& builder) {
  std::vector<std::vector<std::string_view>> names(servers.size());
  for (std::size_t h = 0; h < servers.size(); ++h) {
    for (const Component& device : servers[h].devices) names[h].push_back(device.device);
  }
  const std::vector<Counterparts> parts = align_by_rank(names);
  // The labels look into the components' names, which are moved out below.
  std::map<std::string, std::vector<std::string>> lone;
  for (const Counterparts& part : parts) {
    std::vector<Component> members;
    members.reserve(part.places.size());
    for (const Place& place : part.places) {
      members.push_back(std::move(servers[place.host].devices[place.device]));
    }
    if (members.size() == 1 && servers.size() > 1) {
      lone[members.front().host].push_back(members.front().name);
      continue;
    }
    const bool same_name = !part.label.starts_with("rank ");
    const std::string name = parts.size() == 1 && !same_name ? std::string(noun)
                             : same_name                     ? fmt::format("{} {}", noun, part.label)
                                                             : fmt::format("{}, {}", noun, part.label);
    builder.add_group(name, kind, std::move(members));
  }
  name_lone_devices(noun, lone, builder);
}

/// Disks of one class: flash beside rotating disks, or an md array beside a plain disk, are no peers.
void group_pooled(std::vector<Component> disks, const std::string& set, const std::string& where,
                  GroupBuilder& builder) {
  std::map<std::string, std::vector<Component>> classes;
  for (Component& disk : disks) classes[disk_class(disk.device, disk.rotational)].push_back(std::move(disk));
  for (auto& [name, members] : classes) {
    builder.add_group(fmt::format("{} of {}", in_set(set, name), where), GroupKind::kDisks,
                      std::move(members));
  }
}

}  // namespace

void group_disks(std::vector<ServerDevices> servers, GroupBuilder& builder) {
  for (auto& [set, members] : by_set(std::move(servers))) {
    const DiskPeers mode = mode_of(members, builder.options().peers);
    if (mode == DiskPeers::kRank || mode == DiskPeers::kAuto) {
      group_by_rank(std::move(members), in_set(set, "disks"), GroupKind::kDisks, builder);
      continue;
    }
    std::vector<Component> pool;
    for (ServerDevices& server : members) {
      if (mode == DiskPeers::kHost) {
        group_pooled(std::move(server.devices), set, server.host, builder);
      } else {
        std::move(server.devices.begin(), server.devices.end(), std::back_inserter(pool));
      }
    }
    if (mode == DiskPeers::kAll) group_pooled(std::move(pool), set, "all servers", builder);
  }
}

void group_interfaces(std::vector<ServerDevices> servers, GroupBuilder& builder) {
  for (auto& [set, members] : by_set(std::move(servers))) {
    group_by_rank(std::move(members), in_set(set, "interfaces"), GroupKind::kInterfaces, builder);
  }
}

}  // namespace laggard::topology
