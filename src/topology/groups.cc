#include "topology/groups.h"

#include <fmt/format.h>

#include <algorithm>

#include "topology/group_builder.h"
#include "topology/recorded_host.h"

namespace laggard::topology {

namespace {

using Party = SeriesResolver::Party;

/// The disks (or interfaces) in use on each of the hosts.
std::vector<std::vector<const DeviceInfo*>> in_use(std::span<const RecordedHost> hosts, DeviceKind kind,
                                                   const GroupingOptions& options) {
  std::vector<std::vector<const DeviceInfo*>> all;
  all.reserve(hosts.size());
  for (const RecordedHost& host : hosts) all.push_back(kind == DeviceKind::kDisk ? host.disks : host.nets);
  return devices_in_use(all, options.min_activity);
}

/// Whether any host has a device in use.
bool any_in_use(const std::vector<std::vector<const DeviceInfo*>>& devices) {
  return std::any_of(devices.begin(), devices.end(), [](const auto& of_host) { return !of_host.empty(); });
}

/// Lustre's own statistics of an MDT. It is not a peer of OSTs: its requests are operations on names.
bool is_metadata_view(const DeviceInfo& device) { return fact(device, "view") == "mdt"; }

std::vector<ServerDevices> as_components(std::span<const RecordedHost> hosts,
                                         const std::vector<std::vector<const DeviceInfo*>>& devices,
                                         Component (*component)(PartGraph&, const DeviceInfo&, PartKind),
                                         GroupBuilder& builder) {
  std::vector<ServerDevices> out(hosts.size());
  for (std::size_t h = 0; h < hosts.size(); ++h) {
    out[h].host = hosts[h].name;
    ServerDevices metadata;
    metadata.host = hosts[h].name;
    metadata.set = "MDT";
    for (const DeviceInfo* device : devices[h]) {
      (is_metadata_view(*device) ? metadata : out[h])
          .devices.push_back(component(builder.parts(), *device, PartKind::kServer));
    }
    if (!metadata.devices.empty()) out.push_back(std::move(metadata));
  }
  return out;
}

/// Notes why no host is a server by its disks. Every host with a loaded interface is then taken for one, or,
/// where there is none, every host with a daemon: a recording of these alone still has peers.
void explain_no_servers(std::span<const RecordedHost> hosts, bool by_network, GroupBuilder& builder) {
  std::size_t disks = 0;
  for (const RecordedHost& host : hosts) disks += host.disks.size();
  if (disks > 0) {
    builder.cannot_compare(
        fmt::format("disks: none of {} on {} was under load (active in {:g} % of its samples)",
                    counted(disks, "storage device"), counted(hosts.size(), "host"),
                    100 * builder.options().min_activity));
  }
  builder.note(
      fmt::format("no host has a storage device under load, so every host with {} is taken for a server",
                  by_network ? "network traffic" : "a recorded daemon"));
}

void note_views(std::span<const RecordedHost> hosts, GroupBuilder& builder) {
  std::size_t views = 0;
  for (const RecordedHost& host : hosts) {
    views += static_cast<std::size_t>(std::ranges::count_if(
        host.covered, [](const DeviceInfo* device) { return !fact(*device, "view").empty(); }));
  }
  if (views == 0) return;
  builder.note(fmt::format(
      "{} of Lustre or ZFS stand beside the disks that they lie on and are not compared; a system "
      "file that names them does (laggard system import lustre)",
      counted(views, "target")));
}

/// Derives roles, addresses and groups from the recording alone (docs/methods/peer.md).
Grouping group_by_observation(const std::vector<RecordedHost>& hosts, const GroupingOptions& options) {
  GroupBuilder builder(options);
  const auto disks = in_use(hosts, DeviceKind::kDisk, options);
  const auto nets = in_use(hosts, DeviceKind::kNet, options);
  const bool storage = any_in_use(disks);
  const bool by_network = !storage && any_in_use(nets);
  const auto has_daemon = [](const RecordedHost& host) { return !host.daemons.empty(); };
  const bool by_daemon = !storage && !by_network && std::ranges::any_of(hosts, has_daemon);
  if (!storage) explain_no_servers(hosts, !by_daemon, builder);
  const auto& decisive = storage ? disks : nets;
  std::vector<RecordedHost> servers;
  for (std::size_t h = 0; h < hosts.size(); ++h) {
    const bool server = by_daemon ? has_daemon(hosts[h]) : !decisive[h].empty();
    builder.resolver().add_host(hosts[h].name, server ? Party::kServer : Party::kClient);
    (server ? builder.grouping().servers : builder.grouping().clients).push_back(hosts[h].name);
    if (server) servers.push_back(hosts[h]);
  }
  learn_addresses(hosts, builder);
  note_views(hosts, builder);
  group_disks(as_components(hosts, disks, disk_component, builder), builder);
  // Interfaces of servers only: those of clients differ as much as their users' work.
  group_interfaces(
      as_components(servers, in_use(servers, DeviceKind::kNet, options), interface_component, builder),
      builder);
  group_sockets(hosts, {}, builder);
  std::vector<ServerMachine> machines;
  machines.reserve(servers.size());
  for (const RecordedHost& server : servers) machines.push_back({.recorded = &server, .set = {}});
  group_machines(machines, builder);
  return builder.take();
}

}  // namespace

Result<Grouping> make_groups(const Inventory& inventory, const SystemModel* model,
                             const GroupingOptions& options) {
  const std::vector<RecordedHost> hosts = recorded_hosts(inventory);
  if (hosts.empty()) return fail(ErrorCode::kBadInput, "", "the recording holds no device of any host");
  if (model == nullptr) return group_by_observation(hosts, options);
  return group_by_model(hosts, *model, options);
}

}  // namespace laggard::topology
