#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "topology/groups.h"
#include "topology/recorded_host.h"

namespace laggard::topology {

/// Collects a Grouping and keeps its promises: unique names, groups large enough, nothing dropped silently.
class GroupBuilder {
 public:
  explicit GroupBuilder(const GroupingOptions& options) : options_(options) {}

  [[nodiscard]] const GroupingOptions& options() const { return options_; }

  /// Adds a component and lets the resolver find its series. A component that is also in another group is
  /// there already, and its id is returned.
  ComponentId add(Component component);

  /// Adds a group, or notes why its members cannot be compared: too few, or none of them recorded.
  /// \return the group's id when it was added.
  std::optional<GroupId> add_group(PeerGroup group);

  /// Adds the components and a group with them as its members.
  std::optional<GroupId> add_group(std::string name, GroupKind kind, std::vector<Component> members);

  void cannot_compare(std::string sentence) { grouping_.not_comparable.push_back(std::move(sentence)); }
  void note(std::string sentence) { grouping_.notes.push_back(std::move(sentence)); }

  [[nodiscard]] Grouping& grouping() { return grouping_; }
  [[nodiscard]] PartGraph& parts() { return grouping_.parts; }
  [[nodiscard]] SeriesResolver& resolver() { return grouping_.resolver; }
  [[nodiscard]] Grouping take() { return std::move(grouping_); }

 private:
  GroupingOptions options_;
  Grouping grouping_;
  std::unordered_map<std::string, ComponentId> by_name_;
};

/// `fs[1-3]/sdb`, cut after about 120 characters.
[[nodiscard]] std::string fold_for_message(std::span<const std::string> names);

/// `1 member`, `2 members`.
[[nodiscard]] std::string counted(std::size_t n, std::string_view noun);

/// A host with its devices that take part in peer groups.
struct ServerDevices {
  std::string host;
  std::string set;  ///< The set that the system file names; may be empty.
  DiskPeers peers = DiskPeers::kAuto;
  std::vector<Component> devices;  ///< In order of rank.
};

/// Groups the disks of each set of servers by rank, by host or all together, see DiskPeers
/// (device_groups.cc).
void group_disks(std::vector<ServerDevices> servers, GroupBuilder& builder);

/// Groups the interfaces of each set of servers by rank.
void group_interfaces(std::vector<ServerDevices> servers, GroupBuilder& builder);

/// The devices to compare on each host: those under load, and those that are idle while their namesakes on at
/// least half of the hosts are under load, since a disk or link that gets no work is a symptom. A host
/// without a device under load has none.
[[nodiscard]] std::vector<std::vector<const DeviceInfo*>> devices_in_use(
    std::span<const std::vector<const DeviceInfo*>> devices, double min_activity);

/// Adds a part that runs through its server. \return the part's id.
PartId part_of_server(PartGraph& parts, Part part, Part server);

/// \param server  the kind of server that its host is.
[[nodiscard]] Component disk_component(PartGraph& parts, const DeviceInfo& device,
                                       PartKind server = PartKind::kServer);
[[nodiscard]] Component interface_component(PartGraph& parts, const DeviceInfo& device,
                                            PartKind server = PartKind::kServer);

/// A server as a machine, with its daemons.
struct ServerMachine {
  const RecordedHost* recorded = nullptr;
  PartKind kind = PartKind::kServer;
  std::string set;  ///< As ServerDevices.
};

/// Groups the servers of each set as machines, and their daemons by name (machine_groups.cc). What is wrong
/// with either is wrong with the server, which is the part that they are.
void group_machines(std::span<const ServerMachine> servers, GroupBuilder& builder);

/// Adds the sockets' components and their groups `tcp-from-servers` and `tcp-from-clients`
/// (socket_groups.cc). The resolver must know the hosts and addresses already.
/// \param sets  the set of each server, by the server's name; servers without a set may be missing.
void group_sockets(std::span<const RecordedHost> hosts,
                   const std::unordered_map<std::string, std::string>& sets, GroupBuilder& builder);

/// Connects the grouping's links with a system file's switches, routers and load balancers
/// (network_parts.cc).
void connect_networks(const Topology& topology, Grouping& grouping);

/// What requests pass and nobody compares: the metadata servers, the sets of these and of LUNs, and the
/// routes of clients (network_parts.cc).
void describe_paths(const Topology& topology, Grouping& grouping);

/// Groups the components that a system file names (model_groups.cc).
[[nodiscard]] Result<Grouping> group_by_model(const std::vector<RecordedHost>& hosts,
                                              const SystemModel& model, const GroupingOptions& options);

/// Teaches the resolver the addresses in the recording: those in recorders' facts and the sockets' local
/// ends.
void learn_addresses(std::span<const RecordedHost> hosts, GroupBuilder& builder);

}  // namespace laggard::topology
