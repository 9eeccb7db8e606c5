#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>

#include "base/text.h"
#include "topology/group_builder.h"

namespace laggard::topology {

namespace {

using NaturalOrder = bool (*)(std::string_view, std::string_view);

/// One device of one host, by position.
struct Place {
  std::uint32_t host = 0;
  std::uint32_t device = 0;
  bool operator==(const Place&) const = default;
};

/// Devices of different hosts that correspond to each other.
struct Counterparts {
  std::string label;  ///< The device name when it is the same on all hosts, else `rank 2`, counted from 1.
  std::vector<Place> places;  ///< By host.
};

bool all_equal_in_number(std::span<const std::vector<std::string_view>> names) {
  return std::all_of(names.begin(), names.end(),
                     [&](const auto& of_host) { return of_host.size() == names.front().size(); });
}

/// Names that at least half of the hosts have, and at least two.
std::map<std::string_view, Counterparts, NaturalOrder> common_names(
    std::span<const std::vector<std::string_view>> names) {
  std::map<std::string_view, Counterparts, NaturalOrder> common(natural_less);
  for (std::uint32_t h = 0; h < names.size(); ++h) {
    for (std::uint32_t d = 0; d < names[h].size(); ++d) {
      auto& places = common[names[h][d]].places;
      // When a host has a name twice, only the first counts here; the other is ranked with the rest.
      if (places.empty() || places.back().host != h) places.push_back({h, d});
    }
  }
  std::erase_if(common, [&](const auto& entry) {
    const std::size_t hosts = entry.second.places.size();
    return hosts < 2 || 2 * hosts < names.size();
  });
  return common;
}

/// Labels devices of one rank by their name, where they all have the same one.
void label_by_name(Counterparts& counterparts, std::span<const std::vector<std::string_view>> names) {
  const Place first = counterparts.places.front();
  const std::string_view name = names[first.host][first.device];
  const bool same = std::all_of(counterparts.places.begin(), counterparts.places.end(),
                                [&](const Place& p) { return names[p.host][p.device] == name; });
  if (same && counterparts.places.size() > 1) counterparts.label = name;
}

/// Which device of a host corresponds to which devices of the others. Every device is returned exactly once.
///
/// Where all hosts have equally many devices, they correspond by rank. Otherwise rank would pair a data disk
/// with a neighbour's system disk as soon as one of them is idle, so names that at least half of the hosts
/// have are matched first, and only the rest is matched by rank.
/// \param names  per host the names of its devices, in order of rank.
std::vector<Counterparts> align_by_rank(std::span<const std::vector<std::string_view>> names) {
  std::vector<Counterparts> out;
  if (names.empty()) return out;
  std::vector<std::vector<bool>> taken(names.size());
  for (std::size_t h = 0; h < names.size(); ++h) taken[h].resize(names[h].size());
  if (!all_equal_in_number(names)) {
    for (auto& [name, counterparts] : common_names(names)) {
      for (const Place& place : counterparts.places) taken[place.host][place.device] = true;
      counterparts.label = name;
      out.push_back(std::move(counterparts));
    }
  }
  const std::size_t named = out.size();
  for (std::uint32_t h = 0; h < names.size(); ++h) {
    std::size_t rank = 0;
    for (std::uint32_t d = 0; d < names[h].size(); ++d) {
      if (taken[h][d]) continue;
      if (out.size() <= named + rank) out.push_back({fmt::format("rank {}", rank + 1), {}});
      out[named + rank++].places.push_back({h, d});
    }
  }
  for (Counterparts& counterparts : out) label_by_name(counterparts, names);
  return out;
}

/// Servers by set, in natural order of the sets; servers without a device are left out.
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

/// The caller's wish wins over the servers' entry in the system file; without either, the layout decides.
DiskPeers mode_of(std::span<const ServerDevices> servers, DiskPeers wish) {
  constexpr std::size_t kEnough = 3;
  if (wish == DiskPeers::kAuto) wish = servers.front().peers;
  if (wish != DiskPeers::kAuto) return wish;
  const bool any_with_peers = std::any_of(
      servers.begin(), servers.end(), [](const auto& server) { return server.devices.size() >= kEnough; });
  const bool one_host = servers.size() == 1;
  return one_host || (servers.size() < kEnough && any_with_peers) ? DiskPeers::kHost : DiskPeers::kRank;
}

/// Reports devices that only one host has, in one sentence per host instead of one per device.
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
  // Labels are copies: the components' names are moved out below.
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

/// Groups disks by class: flash and rotating disks, or an md array and a plain disk, are not peers.
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
