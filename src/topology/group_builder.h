#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "topology/groups.h"
#include "topology/recorded_host.h"

namespace laggard::topology {

/// Collects a Grouping and holds its promises: unique names, groups large enough, nothing dropped silently.
class GroupBuilder {
 public:
  explicit GroupBuilder(const GroupingOptions& options) : options_(options) {}

  [[nodiscard]] const GroupingOptions& options() const { return options_; }

  /// Adds a component and lets the resolver find its series. A component of that name is there already when
  /// it is also in another group.
  ComponentId add(Component component);

  /// Adds a group, or says why its members cannot be compared: too few, or none of them recorded. Returns the
  /// group's id when it was added.
  std::optional<GroupId> add_group(PeerGroup group);

  /// Adds the components and a group of them.
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

/// `fs[1-3]/sdb`, at most a line of it.
[[nodiscard]] std::string fold_for_message(std::span<const std::string> names);

/// `1 member`, `2 members`.
[[nodiscard]] std::string counted(std::size_t n, std::string_view noun);

/// A host that takes part in peer groups, with the devices that do.
struct ServerDevices {
  std::string host;
  std::string set;  ///< Of the system file.
  DiskPeers peers = DiskPeers::kAuto;
  std::vector<Component> devices;  ///< In order of rank.
};

/// Groups of disks by rank, host or all (see DiskPeers), each set of servers for itself.
void group_disks(std::vector<ServerDevices> servers, GroupBuilder& builder);

/// Groups of interfaces by rank, each set of servers for itself.
void group_interfaces(std::vector<ServerDevices> servers, GroupBuilder& builder);

/// The devices that count on each host: those under load and those that lie idle while their namesakes on at
/// least half of the hosts are under load, since a disk or link that gets no work is a symptom. Hosts without
/// a device under load get none.
[[nodiscard]] std::vector<std::vector<const DeviceInfo*>> devices_in_use(
    std::span<const std::vector<const DeviceInfo*>> devices, double min_activity);

/// Adds a part that runs through its server. \return the part.
PartId part_of_server(PartGraph& parts, Part part, Part server);

/// \param server  what kind of server its host is.
[[nodiscard]] Component disk_component(PartGraph& parts, const DeviceInfo& device,
                                       PartKind server = PartKind::kServer);
[[nodiscard]] Component interface_component(PartGraph& parts, const DeviceInfo& device,
                                            PartKind server = PartKind::kServer);

/// Components and groups `tcp-from-servers` and `tcp-from-clients`. The resolver knows hosts and addresses.
/// \param sets  of each server, by name; servers without one may be missing.
void group_sockets(std::span<const RecordedHost> hosts,
                   const std::unordered_map<std::string, std::string>& sets, GroupBuilder& builder);

/// Connects the links of the grouping with the switches, routers and load balancers of a system file.
void connect_networks(const Topology& topology, Grouping& grouping);

/// Groups of what a system file names (model_groups.cc).
[[nodiscard]] Result<Grouping> group_by_model(const std::vector<RecordedHost>& hosts,
                                              const SystemModel& model, const GroupingOptions& options);

/// Teaches the resolver the addresses that the recording shows: of recorders' facts and local ends.
void learn_addresses(std::span<const RecordedHost> hosts, GroupBuilder& builder);

}  // namespace laggard::topology
