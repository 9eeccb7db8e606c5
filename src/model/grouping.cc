#include "model/grouping.h"

#include <algorithm>
#include <array>

namespace laggard {

namespace {

struct GroupKindSpec {
  GroupKind kind;
  std::string_view name;
  DeviceKind devices;
};

/// In the order of GroupKind.
constexpr std::array<GroupKindSpec, 4> kGroupKinds{{
    {GroupKind::kDisks, "disks", DeviceKind::kDisk},
    {GroupKind::kInterfaces, "interfaces", DeviceKind::kNet},
    {GroupKind::kTcpFromServers, "tcp-from-servers", DeviceKind::kTcp},
    {GroupKind::kTcpFromClients, "tcp-from-clients", DeviceKind::kTcp},
}};

const GroupKindSpec& row_of(GroupKind kind) { return kGroupKinds[static_cast<std::size_t>(kind)]; }

}  // namespace

bool Grouping::runs_through(const Component& component, const Part& part) const {
  const std::optional<PartId> id = parts.find(part.kind, part.name);
  if (!id) return false;
  const std::vector<PartId> needed = parts.needs(component.part);
  return std::ranges::find(needed, *id) != needed.end();
}

std::string_view to_name(GroupKind kind) { return row_of(kind).name; }

DeviceKind device_kind(GroupKind kind) { return row_of(kind).devices; }

}  // namespace laggard
