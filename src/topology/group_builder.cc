#include "topology/group_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/node_set.h"
#include "base/text.h"

namespace laggard::topology {

std::string counted(std::size_t n, std::string_view noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

std::string fold_for_message(std::span<const std::string> names) {
  constexpr std::size_t kLine = 120;
  std::string folded = fold_node_set(names);
  if (folded.size() <= kLine) return folded;
  const std::size_t cut = folded.rfind(',', kLine);
  folded.resize(cut == std::string::npos ? kLine : cut);
  return folded + ",…";
}

ComponentId GroupBuilder::add(Component component) {
  const ComponentId next{static_cast<std::uint32_t>(grouping_.components.size())};
  const auto [entry, added] = by_name_.try_emplace(component.name, next);
  if (!added) return entry->second;
  for (const SeriesKey& key : component.series) {
    if (key.kind != DeviceKind::kTcp) grouping_.resolver.add_device(key, next);
  }
  // A device that has not been seen may still appear later in the stream.
  if (component.series.empty() && component.kind != DeviceKind::kTcp) {
    grouping_.resolver.add_device({component.host, component.kind, component.device}, next);
  }
  grouping_.components.push_back(std::move(component));
  return next;
}

std::optional<GroupId> GroupBuilder::add_group(PeerGroup group) {
  if (options_.left_out) {
    std::erase_if(group.members, [&](ComponentId id) { return options_.left_out(grouping_, grouping_[id]); });
  }
  if (group.members.empty()) return std::nullopt;
  const bool recorded = std::any_of(group.members.begin(), group.members.end(),
                                    [&](ComponentId id) { return !grouping_[id].series.empty(); });
  if (recorded && group.members.size() >= options_.min_members) {
    const GroupId id{static_cast<std::uint32_t>(grouping_.groups.size())};
    grouping_.groups.push_back(std::move(group));
    return id;
  }
  std::vector<std::string> names;
  for (const ComponentId member : group.members) names.push_back(grouping_[member].name);
  const std::string folded = fold_for_message(names);
  if (group.members.size() < options_.min_members) {
    cannot_compare(fmt::format("{}: only {} ({}), at least {} are needed to tell which one is odd",
                               group.name, counted(names.size(), "member"), folded, options_.min_members));
  } else {
    cannot_compare(fmt::format("{}: none of its {} ({}) is in the recording", group.name,
                               counted(names.size(), "member"), folded));
  }
  return std::nullopt;
}

std::optional<GroupId> GroupBuilder::add_group(std::string name, GroupKind kind,
                                               std::vector<Component> members) {
  PeerGroup group{
      .name = std::move(name), .kind = kind, .members = {}, .double_with = {}, .second_only = false};
  group.members.reserve(members.size());
  for (Component& member : members) group.members.push_back(add(std::move(member)));
  std::sort(group.members.begin(), group.members.end(),
            [&](ComponentId a, ComponentId b) { return natural_less(grouping_[a].name, grouping_[b].name); });
  return add_group(std::move(group));
}

PartId part_of_server(PartGraph& parts, Part part, Part server) {
  const PartId own = parts.add(std::move(part));
  parts.connect(own, EdgeKind::kRunsThrough, parts.add(std::move(server)));
  return own;
}

Component disk_component(PartGraph& parts, const DeviceInfo& device, PartKind server) {
  Component component;
  component.name = device.host + "/" + device.device;
  component.host = device.host;
  component.kind = DeviceKind::kDisk;
  component.device = device.device;
  component.part = part_of_server(parts, {PartKind::kDisk, component.name}, {server, device.host});
  component.rotational = rotational(device);
  component.series = {{device.host, DeviceKind::kDisk, device.device}};
  return component;
}

Component interface_component(PartGraph& parts, const DeviceInfo& device, PartKind server) {
  Component component;
  component.name = device.host + "/" + device.device;
  component.host = device.host;
  component.kind = DeviceKind::kNet;
  component.device = device.device;
  component.part = part_of_server(parts, {PartKind::kLink, component.name}, {server, device.host});
  component.series = {{device.host, DeviceKind::kNet, device.device}};
  return component;
}

std::vector<std::vector<const DeviceInfo*>> devices_in_use(
    std::span<const std::vector<const DeviceInfo*>> devices, double min_activity) {
  std::unordered_map<std::string_view, std::size_t> loaded_on;
  std::size_t hosts_in_use = 0;
  std::vector<bool> in_use(devices.size());
  for (std::size_t h = 0; h < devices.size(); ++h) {
    for (const DeviceInfo* device : devices[h]) {
      if (!under_load(*device, min_activity)) continue;
      in_use[h] = true;
      ++loaded_on[device->device];
    }
    if (in_use[h]) ++hosts_in_use;
  }
  std::vector<std::vector<const DeviceInfo*>> out(devices.size());
  for (std::size_t h = 0; h < devices.size(); ++h) {
    if (!in_use[h]) continue;
    for (const DeviceInfo* device : devices[h]) {
      const auto namesakes = loaded_on.find(device->device);
      const bool expected =
          namesakes != loaded_on.end() && namesakes->second >= 2 && 2 * namesakes->second >= hosts_in_use;
      if (expected || under_load(*device, min_activity)) out[h].push_back(device);
    }
  }
  return out;
}

}  // namespace laggard::topology
