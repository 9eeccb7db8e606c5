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
constexpr std::array<GroupKindSpec, kGroupKinds> kKinds{{
    {GroupKind::kDisks, "disks", DeviceKind::kDisk},
    {GroupKind::kInterfaces, "interfaces", DeviceKind::kNet},
    {GroupKind::kTcpFromServers, "tcp-from-servers", DeviceKind::kTcp},
    {GroupKind::kTcpFromClients, "tcp-from-clients", DeviceKind::kTcp},
    {GroupKind::kHosts, "hosts", DeviceKind::kHost},
    {GroupKind::kDaemons, "daemons", DeviceKind::kDaemon},
}};

const GroupKindSpec& row_of(GroupKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

}  // namespace

bool Grouping::runs_through(const Component& component, const Part& part) const {
  const std::optional<PartId> id = parts.find(part.kind, part.name);
  if (!id) return false;
  const std::vector<PartId> needed = parts.needs(component.part);
  return std::ranges::find(needed, *id) != needed.end();
}

const Part* Grouping::owner_of(const Component& component) const {
  for (const PartId needed : parts.needs(component.part)) {
    if (parts[needed].kind != PartKind::kLun) continue;
    for (const PartGraph::Edge& edge : parts.edges_of(needed)) {
      if (edge.kind == EdgeKind::kOwnedBy) return &parts[edge.to];
    }
  }
  return nullptr;
}

std::map<PartId, std::vector<Part>> Grouping::servers_of_luns() const {
  std::map<PartId, std::vector<Part>> reached;
  for (std::uint32_t p = 0; p < parts.size(); ++p) {
    if (parts[PartId{p}].kind != PartKind::kAttachment) continue;
    const Part* const server = parts.nearest(PartId{p}, PartKind::kServer);
    if (server == nullptr) continue;
    for (const PartGraph::Edge& edge : parts.edges_of(PartId{p})) {
      const bool is_lun = edge.kind == EdgeKind::kRunsThrough && parts[edge.to].kind == PartKind::kLun;
      if (!is_lun) continue;
      std::vector<Part>& of_lun = reached[edge.to];
      if (std::ranges::find(of_lun, *server) == of_lun.end()) of_lun.push_back(*server);
    }
  }
  return reached;
}

std::vector<std::string> Grouping::hosts_of(const Part& part) const {
  constexpr std::array kHosts{PartKind::kServer, PartKind::kClient, PartKind::kMetadataServer};
  const std::optional<PartId> known = parts.find(part.kind, part.name);
  if (!known || std::ranges::find(kHosts, part.kind) != kHosts.end()) return {part.name};
  for (const PartKind kind : kHosts) {
    if (const Part* host = parts.nearest(*known, kind)) return {host->name};
  }
  if (part.kind != PartKind::kLun) return {part.name};
  const auto luns = servers_of_luns();
  const auto reaching = luns.find(*known);
  if (reaching == luns.end()) return {part.name};
  std::vector<std::string> names;
  for (const Part& server : reaching->second) names.push_back(server.name);
  return names;
}

Part Grouping::host_part(std::string_view host) const {
  for (const PartKind kind : {PartKind::kServer, PartKind::kMetadataServer, PartKind::kClient}) {
    if (const auto id = parts.find(kind, std::string(host))) return parts[*id];
  }
  return {PartKind::kClient, std::string(host)};
}

std::optional<Part> Grouping::part_called(std::string_view host, std::string_view name) const {
  if (name.empty() || name == host) return host_part(host);
  for (const std::string& full : {std::string(host) + "/" + std::string(name), std::string(name)}) {
    for (std::size_t k = 0; k < part_kinds().size(); ++k) {
      const PartKind kind(static_cast<std::uint8_t>(k));
      if (const auto id = parts.find(kind, full)) return parts[*id];
    }
  }
  return std::nullopt;
}

std::string_view to_name(GroupKind kind) { return row_of(kind).name; }

DeviceKind device_kind(GroupKind kind) { return row_of(kind).devices; }

}  // namespace laggard
