#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/id.h"
#include "model/counter.h"
#include "model/incident.h"
#include "model/series_source.h"
#include "model/system/resolver.h"
#include "model/system/topology.h"

namespace laggard {

using GroupId = Id<struct GroupTag>;

/// A thing that can be sick and is compared with its peers.
struct Component {
  std::string name;  ///< `fs3/sdb`, `fs3/eth0`, `fs3/tcp-out`, or the attachment's name.
  std::string host;  ///< The server that it is a part of, even where clients observe it (`tcp-in`).
  DeviceKind kind = DeviceKind::kDisk;
  std::string device;  ///< As recorded, else as the system file names it; empty for sockets.
  /// What it runs through and what may be to blame for it, nearest first: disk or attachment, LUN, server,
  /// controller, array, drawers; link, server, network.
  std::vector<Blame> parts;
  std::optional<AttachmentId> attachment;  ///< Into SystemModel::topology.
  /// Of an attachment that is one of several to its LUN: 0 for the primary. The others are not expected to
  /// serve while one before them does (T §5.2.2).
  std::optional<std::uint32_t> priority;
  std::optional<bool> rotational;  ///< Of disks, where the recorder found out.
  std::vector<SeriesKey> series;   ///< The recorded series that belong to it; empty: it never showed.
};

/// The part of this kind that the component runs through, the nearest of several; null when there is none.
[[nodiscard]] const Blame* part_of(const Component& component, BlameKind kind);

enum class GroupKind : std::uint8_t {
  kDisks,           ///< Block devices: one series each.
  kInterfaces,      ///< Network interfaces of the servers: one series each.
  kTcpFromServers,  ///< Per server its own sockets towards clients: what it sends. Many series each.
  kTcpFromClients,  ///< Per server the clients' sockets towards it: what it receives. Many series each.
};
[[nodiscard]] std::string_view to_name(GroupKind kind);

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

/// Who is compared with whom, and what cannot be compared.
struct Grouping {
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
};

struct GroupingOptions {
  DiskPeers peers = DiskPeers::kAuto;
  /// A device is under load when it was active in at least this fraction of its samples.
  double min_activity = 0.05;
  std::size_t min_members = 3;
  /// Components that are compared with nobody; empty: none.
  std::function<bool(const Component&)> left_out = nullptr;
};

/// Derives the peer groups of a recording.
///
/// With a system file (`model` not null): attachments by (upgrade set) x (priority), local disks, interfaces
/// and sockets of the servers that it names; named groups as they stand. What the file names on a recorded
/// host is a member even when the recording never shows it: absence is a symptom.
///
/// Without: every host with a storage device under load is a server, the others are clients. Disks and
/// interfaces are peers of the same-ranked ones of the other servers, sockets as GroupKind says.
///
/// Devices below multipath, dm or md and partitions are left out in favour of the device on top. Groups below
/// `min_members` are named in `not_comparable`. Fails when the recording and the file have no host in common.
[[nodiscard]] Result<Grouping> make_groups(const Inventory& inventory, const SystemModel* model,
                                           const GroupingOptions& options = {});

}  // namespace laggard
