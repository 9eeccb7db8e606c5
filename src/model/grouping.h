#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "model/counter.h"
#include "model/parts.h"
#include "model/resolver.h"
#include "model/series_source.h"
#include "model/topology.h"

namespace laggard {

using GroupId = Id<struct GroupTag>;

/// A thing that can be sick and is compared with its peers.
struct Component {
  std::string name;  ///< `fs3/sdb`, `fs3/eth0`, `fs3/tcp-out`, `fs3/host`, or the attachment's name.
  std::string host;  ///< The server that it is a part of, even where clients observe it (`tcp-in`).
  DeviceKind kind = DeviceKind::kDisk;
  std::string device;  ///< As recorded, else as the system file names it; empty for sockets.
  PartId part;         ///< In Grouping::parts: disk, attachment, link, or of machines and daemons the server.
  std::optional<AttachmentId> attachment;  ///< Into SystemModel::topology.
  /// Of an attachment that is one of several to its LUN: 0 for the primary. The others are not expected to
  /// serve while one before them does (T §5.2.2).
  std::optional<std::uint32_t> priority;
  std::optional<bool> rotational;  ///< Of disks, where the recorder found out.
  std::vector<SeriesKey> series;   ///< The recorded series that belong to it; empty: it never showed.
};

enum class GroupKind : std::uint8_t {
  kDisks,           ///< Block devices: one series each.
  kInterfaces,      ///< Network interfaces of the servers: one series each.
  kTcpFromServers,  ///< Per server its own sockets towards clients: what it sends. Many series each.
  kTcpFromClients,  ///< Per server the clients' sockets towards it: what it receives. Many series each.
  kHosts,           ///< The servers as machines: one series each.
  kDaemons,         ///< A daemon of each server: one series each.
};
inline constexpr std::size_t kGroupKinds = 6;
[[nodiscard]] std::string_view to_name(GroupKind kind);
[[nodiscard]] DeviceKind device_kind(GroupKind kind);  ///< Of the series that belong to the members.

/// Components that are expected to behave alike; at least GroupingOptions::min_members.
struct PeerGroup {
  std::string name;  ///< Unique: `disks`, `disks sdb`, `old LUNs, priority 1`, `tcp-from-clients`, …
  GroupKind kind = GroupKind::kDisks;
  std::vector<ComponentId> members;  ///< Natural order of names.
  /// Double peer groups (T §6.2.3): empty, or for each member the group in which it must be anomalous too.
  /// Nothing where that group is too small: then this group decides alone.
  std::vector<std::optional<GroupId>> double_with;
  /// Exists only as the second of double peer groups: to be compared, but not to accuse anyone.
  bool second_only = false;
};

/// How clients reach servers where that is not direct: over one of these routers.
struct ClientRoute {
  std::vector<std::string> clients;  ///< Sorted; empty: all.
  std::vector<std::string> servers;  ///< Sorted.
  std::vector<Part> over;
};

/// Who is compared with whom, and what cannot be compared.
struct Grouping {
  PartGraph parts;  ///< What components are and run through, and so may be to blame for them.
  std::vector<ClientRoute> routes;
  /// The set that the system file puts LUNs and metadata servers in, by name: names of a file system's LUNs
  /// are kept by the metadata servers of the same set.
  std::map<std::string, std::string> sets;
  std::vector<Component> components;
  std::vector<PeerGroup> groups;
  std::vector<std::string> servers;  ///< Natural order, those of the recording.
  std::vector<std::string> clients;
  std::vector<std::string> not_comparable;  ///< One sentence each: which group, how many members.
  std::vector<std::string> notes;           ///< One sentence each: what was assumed or left out, and why.
  /// Maps recorded series to components, those of connections that first appear later in the stream too.
  SeriesResolver resolver;

  [[nodiscard]] const Component& operator[](ComponentId id) const { return components[id.index()]; }
  [[nodiscard]] const PeerGroup& operator[](GroupId id) const { return groups[id.index()]; }
  /// The nearest part of this kind that the component is or runs through; null when there is none.
  [[nodiscard]] const Part* part_of(const Component& component, PartKind kind) const {
    return parts.nearest(component.part, kind);
  }
  /// The controller that owns the component's LUN; null where that is not known.
  [[nodiscard]] const Part* owner_of(const Component& component) const;
  /// Whether the component is the part or runs through it.
  [[nodiscard]] bool runs_through(const Component& component, const Part& part) const;

  /// Which part is meant by a name that a host uses: the host itself where the name is empty or its own, a
  /// component of it (`sdb` or `fs3/sdb`), else any part that is called so, the nearest kind of `parts.cc`
  /// first. Nothing when there is none.
  [[nodiscard]] std::optional<Part> part_called(std::string_view host, std::string_view name) const;
  /// The servers that reach each LUN, in the order of its attachments; one pass over all parts.
  [[nodiscard]] std::map<PartId, std::vector<Part>> servers_of_luns() const;
  /// The machines whose logs and load tell of a part, by name, the one that serves it first: itself, the
  /// nearest host that it needs, of a LUN the servers that reach it, in their order; else it goes by its own
  /// name, as a switch does. Never empty.
  [[nodiscard]] std::vector<std::string> hosts_of(const Part& part) const;
  /// The host as a part: what the graph has of that name, else a client.
  [[nodiscard]] Part host_part(std::string_view host) const;
};

}  // namespace laggard
