#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "base/text.h"
#include "topology/group_builder.h"
#include "topology/model_components.h"
#include "topology/recorded_host.h"

namespace laggard::topology {

namespace {

using Party = SeriesResolver::Party;
using NaturalOrder = bool (*)(std::string_view, std::string_view);

/// Metadata servers do different work from data servers and are peers only of each other.
std::string peer_set(const Host& host) {
  if (host.role != HostRole::kMetadataServer) return host.set;
  return host.set.empty() ? "metadata" : host.set + " metadata";
}

/// Makes the groups of one recording with a system file.
class ModelGrouper {
 public:
  ModelGrouper(const std::vector<RecordedHost>& hosts, const SystemModel& model,
               const GroupingOptions& options)
      : hosts_(hosts),
        model_(model),
        topology_(model.topology),
        builder_(options),
        finder_(hosts),
        components_(model.topology, finder_, builder_.parts()) {}

  Result<Grouping> run();
  [[nodiscard]] Grouping parts_alone() {
    index_model();
    assign_roles();
    add_unrecorded_parts();
    connect_networks(topology_, builder_.grouping());
    describe_paths(topology_, builder_.grouping());
    return builder_.take();
  }

 private:
  void index_model();
  void assign_roles();
  void assign_recorded_roles();
  void group_attachments();
  void group_attachments_by_server(const std::vector<GroupId>& priority_groups);
  void group_local_disks();
  void group_networks();
  void group_recorded_interfaces();
  void group_servers_as_machines();
  void index_members();
  [[nodiscard]] std::optional<Component> member_component(const std::string& name);
  void group_named();
  void add_unrecorded_parts();
  void name_unrecorded_servers();
  void name_unused_disks();

  [[nodiscard]] const Host& host(HostId id) const { return topology_.hosts[id.index()]; }
  [[nodiscard]] const RecordedHost* recorded(const Host& host) const { return finder_.host(host.name); }
  [[nodiscard]] bool serves(const Host& host) const { return host.role != HostRole::kClient; }
  /// Whether the file lists the server's storage; otherwise the recording tells.
  [[nodiscard]] bool lists_storage(HostId id) const {
    return !host(id).disks.empty() || has_attachments_[id.index()];
  }

  const std::vector<RecordedHost>& hosts_;
  const SystemModel& model_;
  const Topology& topology_;
  GroupBuilder builder_;
  DeviceFinder finder_;
  ModelComponents components_;
  std::vector<bool> has_attachments_;  ///< By host.
  std::unordered_map<std::string, std::string> sets_;
  std::unordered_set<std::string_view> in_named_group_;
  // What the members of named groups are; filled only when there are such groups.
  std::unordered_map<std::string_view, const Attachment*> attachments_;
  std::unordered_map<std::string, const Disk*> disks_;  ///< By host/device.
  std::unordered_map<std::string_view, const Host*> hosts_by_name_;
};

void ModelGrouper::index_model() {
  has_attachments_.resize(topology_.hosts.size());
  for (const Attachment& attachment : topology_.attachments)
    has_attachments_[attachment.server.index()] = true;
  for (const NamedGroup& group : topology_.groups) {
    in_named_group_.insert(group.members.begin(), group.members.end());
  }
}

void ModelGrouper::assign_roles() {
  SeriesResolver& resolver = builder_.resolver();
  for (const Host& host : topology_.hosts) {
    const std::uint32_t index = resolver.add_host(host.name, serves(host) ? Party::kServer : Party::kClient);
    for (const std::string& address : host.addresses) resolver.add_address(canonical_address(address), index);
    if (host.role == HostRole::kClient && !host.addresses.empty()) resolver.count_unknown_as_clients(false);
    if (serves(host)) sets_.emplace(host.name, peer_set(host));
  }
  assign_recorded_roles();
  learn_addresses(hosts_, builder_);
}

void ModelGrouper::assign_recorded_roles() {
  SeriesResolver& resolver = builder_.resolver();
  const bool lists_clients = resolver.has_clients();
  std::vector<std::string> unnamed;
  std::unordered_map<std::string_view, HostRole> roles;
  for (const Host& host : topology_.hosts) roles.emplace(host.name, host.role);
  for (const RecordedHost& recorded : hosts_) {
    const auto role = roles.find(recorded.name);
    if (role == roles.end() && lists_clients) {
      unnamed.push_back(recorded.name);
      continue;
    }
    if (role == roles.end()) resolver.add_host(recorded.name, Party::kClient);
    const bool client = role == roles.end() || role->second == HostRole::kClient;
    (client ? builder_.grouping().clients : builder_.grouping().servers).push_back(recorded.name);
  }
  if (unnamed.empty()) return;
  builder_.note(fmt::format("recorded, but {} does not name {}: left out: {}", model_.path,
                            unnamed.size() == 1 ? "it" : "them", fold_for_message(unnamed)));
}

void ModelGrouper::group_attachments() {
  std::map<std::pair<std::string, std::uint32_t>, std::vector<Component>> by_priority;
  bool prioritised = false;
  for (const Attachment& attachment : topology_.attachments) {
    prioritised = prioritised || attachment.priority > 0;
    if (recorded(host(attachment.server)) == nullptr || in_named_group_.contains(attachment.name)) continue;
    const Lun& lun = topology_.luns[attachment.lun.index()];
    by_priority[{lun.set, attachment.priority}].push_back(components_.of_attachment(attachment));
  }
  std::vector<GroupId> added;
  for (auto& [key, members] : by_priority) {
    const auto& [set, priority] = key;
    std::string name = set.empty() ? "LUNs" : set + " LUNs";
    if (prioritised) name += fmt::format(", priority {}", priority + 1);
    const auto id = builder_.add_group(std::move(name), GroupKind::kDisks, std::move(members));
    if (id) added.push_back(*id);
  }
  group_attachments_by_server(added);
}

void ModelGrouper::group_attachments_by_server(const std::vector<GroupId>& priority_groups) {
  Grouping& grouping = builder_.grouping();
  const auto lun_of = [&](ComponentId id) -> const Lun& {
    const AttachmentId attachment = *grouping[id].attachment;
    return topology_.luns[topology_.attachments[attachment.index()].lun.index()];
  };
  const bool wanted = std::any_of(topology_.luns.begin(), topology_.luns.end(),
                                  [](const Lun& lun) { return lun.double_with_server; });
  if (!wanted) return;
  std::map<std::pair<std::string, std::string>, std::vector<ComponentId>> by_server;
  for (const GroupId id : priority_groups) {
    for (const ComponentId member : grouping[id].members) {
      by_server[{lun_of(member).set, grouping[member].host}].push_back(member);
    }
  }
  std::map<std::pair<std::string, std::string>, GroupId> ids;
  for (auto& [key, members] : by_server) {
    const auto& [set, server] = key;
    const std::string name = fmt::format("{}LUNs of {}", set.empty() ? "" : set + " ", server);
    const auto id = builder_.add_group({.name = name,
                                        .kind = GroupKind::kDisks,
                                        .members = std::move(members),
                                        .double_with = {},
                                        .second_only = true});
    if (id) ids.emplace(key, *id);
  }
  for (const GroupId id : priority_groups) {
    PeerGroup& group = grouping.groups[id.index()];
    for (const ComponentId member : group.members) {
      const auto second = ids.find({lun_of(member).set, grouping[member].host});
      const bool both = lun_of(member).double_with_server && second != ids.end();
      group.double_with.push_back(both ? std::optional(second->second) : std::nullopt);
    }
  }
}

void ModelGrouper::group_local_disks() {
  std::vector<const Host*> unlisted;
  std::vector<std::vector<const DeviceInfo*>> unlisted_disks;
  std::vector<ServerDevices> servers;
  for (std::uint32_t h = 0; h < topology_.hosts.size(); ++h) {
    const Host& server = topology_.hosts[h];
    const RecordedHost* const found = recorded(server);
    if (!serves(server) || found == nullptr) continue;
    if (!lists_storage(HostId{h})) {
      unlisted.push_back(&server);
      unlisted_disks.push_back(found->disks);
      continue;
    }
    ServerDevices& entry = servers.emplace_back(
        ServerDevices{.host = server.name, .set = peer_set(server), .peers = server.peers, .devices = {}});
    for (const DiskId id : server.disks) {
      Component component = components_.of_disk(topology_.disks[id.index()]);
      if (!in_named_group_.contains(component.name)) entry.devices.push_back(std::move(component));
    }
  }
  const auto used = devices_in_use(unlisted_disks, builder_.options().min_activity);
  for (std::size_t h = 0; h < unlisted.size(); ++h) {
    ServerDevices& entry = servers.emplace_back(ServerDevices{.host = unlisted[h]->name,
                                                              .set = peer_set(*unlisted[h]),
                                                              .peers = unlisted[h]->peers,
                                                              .devices = {}});
    for (const DeviceInfo* disk : used[h]) {
      Component component = disk_component(builder_.parts(), *disk, server_kind(*unlisted[h]));
      if (!in_named_group_.contains(component.name)) entry.devices.push_back(std::move(component));
    }
  }
  group_disks(std::move(servers), builder_);
}

void ModelGrouper::group_networks() {
  for (const Network& network : topology_.networks) {
    std::map<std::string, std::vector<Component>, NaturalOrder> by_set(natural_less);
    for (const Network::Port& port : network.ports) {
      const Host& owner = host(port.host);
      if (!serves(owner) || recorded(owner) == nullptr) continue;
      Component component = components_.of_port(owner, port.interface, network.name);
      if (!in_named_group_.contains(component.name)) by_set[peer_set(owner)].push_back(std::move(component));
    }
    for (auto& [set, members] : by_set) {
      builder_.add_group(fmt::format("{}network {}", set.empty() ? "" : set + " ", network.name),
                         GroupKind::kInterfaces, std::move(members));
    }
  }
}

void ModelGrouper::group_recorded_interfaces() {
  std::vector<const Host*> owners;
  std::vector<std::vector<const DeviceInfo*>> nets;
  for (const Host& server : topology_.hosts) {
    const RecordedHost* const found = recorded(server);
    if (!serves(server) || found == nullptr) continue;
    owners.push_back(&server);
    nets.push_back(found->nets);
  }
  const auto used = devices_in_use(nets, builder_.options().min_activity);
  std::vector<ServerDevices> servers;
  for (std::size_t h = 0; h < owners.size(); ++h) {
    ServerDevices& entry = servers.emplace_back(ServerDevices{
        .host = owners[h]->name, .set = peer_set(*owners[h]), .peers = DiskPeers::kRank, .devices = {}});
    for (const DeviceInfo* net : used[h]) {
      Component component = components_.of_port(*owners[h], net->device, "");
      if (!in_named_group_.contains(component.name)) entry.devices.push_back(std::move(component));
    }
  }
  group_interfaces(std::move(servers), builder_);
}

void ModelGrouper::group_servers_as_machines() {
  std::vector<ServerMachine> machines;
  for (const Host& server : topology_.hosts) {
    const RecordedHost* const found = recorded(server);
    if (serves(server) && found != nullptr)
      machines.push_back({found, server_kind(server), peer_set(server)});
  }
  group_machines(machines, builder_);
}

void ModelGrouper::index_members() {
  for (const Attachment& attachment : topology_.attachments)
    attachments_.emplace(attachment.name, &attachment);
  for (const Disk& disk : topology_.disks) disks_.emplace(host(disk.host).name + "/" + disk.device, &disk);
  for (const Host& host : topology_.hosts) hosts_by_name_.emplace(host.name, &host);
}

/// A member of a named group; nothing when its host is not recorded.
std::optional<Component> ModelGrouper::member_component(const std::string& name) {
  if (const auto found = attachments_.find(name); found != attachments_.end()) {
    if (recorded(host(found->second->server)) == nullptr) return std::nullopt;
    return components_.of_attachment(*found->second);
  }
  const std::string_view owner = std::string_view(name).substr(0, name.find('/'));
  const auto host = hosts_by_name_.find(owner);
  if (host == hosts_by_name_.end() || recorded(*host->second) == nullptr) return std::nullopt;
  if (const auto disk = disks_.find(name); disk != disks_.end()) return components_.of_disk(*disk->second);
  if (owner.size() + 1 >= name.size()) return std::nullopt;
  return components_.of_device(*host->second, name.substr(owner.size() + 1));
}

void ModelGrouper::group_named() {
  if (topology_.groups.empty()) return;
  index_members();
  for (const NamedGroup& group : topology_.groups) {
    std::vector<Component> members;
    for (const std::string& name : group.members) {
      if (auto member = member_component(name)) members.push_back(std::move(*member));
    }
    if (members.empty()) {
      builder_.cannot_compare(fmt::format("{}: none of its {} is on a recorded host", group.name,
                                          counted(group.members.size(), "member")));
      continue;
    }
    const bool ports = std::all_of(members.begin(), members.end(),
                                   [](const Component& member) { return member.kind == DeviceKind::kNet; });
    builder_.add_group(group.name, ports ? GroupKind::kInterfaces : GroupKind::kDisks, std::move(members));
  }
}

/// Storage of servers that are not recorded is compared with nothing, but may be passed by others' requests.
void ModelGrouper::add_unrecorded_parts() {
  for (const Attachment& attachment : topology_.attachments) {
    if (recorded(host(attachment.server)) == nullptr) components_.part_of(attachment);
  }
  for (const Disk& disk : topology_.disks) {
    if (recorded(host(disk.host)) == nullptr) components_.part_of(disk);
  }
}

void ModelGrouper::name_unrecorded_servers() {
  std::vector<std::string> missing;
  for (const Host& server : topology_.hosts) {
    if (serves(server) && recorded(server) == nullptr) missing.push_back(server.name);
  }
  if (missing.empty()) return;
  builder_.cannot_compare(fmt::format("{} of {} ({}) {} not in the recording",
                                      counted(missing.size(), "server"), model_.path,
                                      fold_for_message(missing), missing.size() == 1 ? "is" : "are"));
}

void ModelGrouper::name_unused_disks() {
  std::vector<std::string> unused;
  for (std::uint32_t h = 0; h < topology_.hosts.size(); ++h) {
    const Host& server = topology_.hosts[h];
    const RecordedHost* const found = recorded(server);
    if (!serves(server) || found == nullptr || !lists_storage(HostId{h})) continue;
    for (const DeviceInfo* disk : found->disks) {
      if (!under_load(*disk, builder_.options().min_activity)) continue;
      const bool used = builder_.resolver().find(server.name, DeviceKind::kDisk, disk->device).has_value();
      if (!used) unused.push_back(server.name + "/" + disk->device);
    }
  }
  if (unused.empty()) return;
  builder_.note(fmt::format("{} under load that {} does not name: {}",
                            counted(unused.size(), "storage device"), model_.path, fold_for_message(unused)));
}

Result<Grouping> ModelGrouper::run() {
  index_model();
  const bool meets = std::any_of(topology_.hosts.begin(), topology_.hosts.end(),
                                 [&](const Host& host) { return recorded(host) != nullptr; });
  if (!meets) {
    std::vector<std::string> names;
    for (const RecordedHost& host : hosts_) names.push_back(host.name);
    return fail(ErrorCode::kBadInput, model_.path,
                fmt::format("names none of the recorded hosts, which are {}", fold_for_message(names)));
  }
  assign_roles();
  group_named();
  group_attachments();
  group_local_disks();
  if (topology_.networks.empty()) {
    group_recorded_interfaces();
  } else {
    group_networks();
  }
  group_sockets(hosts_, sets_, builder_);
  group_servers_as_machines();
  connect_networks(topology_, builder_.grouping());
  add_unrecorded_parts();
  describe_paths(topology_, builder_.grouping());
  name_unrecorded_servers();
  name_unused_disks();
  return builder_.take();
}

}  // namespace

Grouping parts_alone(const SystemModel& model) {
  const std::vector<RecordedHost> none;
  return ModelGrouper(none, model, {}).parts_alone();
}

Result<Grouping> group_by_model(const std::vector<RecordedHost>& hosts, const SystemModel& model,
                                const GroupingOptions& options) {
  return ModelGrouper(hosts, model, options).run();
}

}  // namespace laggard::topology
