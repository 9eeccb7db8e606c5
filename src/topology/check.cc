#include "topology/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "topology/group_builder.h"
#include "topology/recorded_host.h"

namespace laggard::topology {

namespace {

/// Collects devices, each once.
class InventoryOf {
 public:
  void add(const std::string& host, DeviceKind kind, const std::string& device) {
    if (!added_.insert({host, kind, device}).second) return;
    DeviceInfo info;
    info.host = host;
    info.kind = kind;
    info.device = device;
    info.samples = 1;
    info.active_samples = 1;
    inventory_.devices.push_back(std::move(info));
  }
  [[nodiscard]] bool has(const std::string& host, DeviceKind kind, const std::string& device) const {
    return added_.contains({host, kind, device});
  }
  [[nodiscard]] Inventory take() { return std::move(inventory_); }

 private:
  Inventory inventory_;
  std::set<SeriesKey> added_;
};

/// A member of a named group about which the file says nothing else is taken for a disk.
void add_named_members(const Topology& topology, InventoryOf& inventory) {
  std::set<std::string_view> attachments;
  for (const Attachment& attachment : topology.attachments) attachments.insert(attachment.name);
  for (const NamedGroup& group : topology.groups) {
    for (const std::string& member : group.members) {
      const std::size_t slash = member.find('/');
      if (attachments.contains(member) || slash == std::string::npos) continue;
      const std::string host = member.substr(0, slash);
      const std::string device = member.substr(slash + 1);
      if (!inventory.has(host, DeviceKind::kNet, device)) inventory.add(host, DeviceKind::kDisk, device);
    }
  }
}

}  // namespace

Inventory as_if_recorded(const SystemModel& model) {
  const Topology& topology = model.topology;
  const auto name = [&](HostId host) -> const std::string& { return topology.hosts[host.index()].name; };
  InventoryOf inventory;
  for (const Disk& disk : topology.disks) inventory.add(name(disk.host), DeviceKind::kDisk, disk.device);
  for (const Attachment& attachment : topology.attachments) {
    inventory.add(name(attachment.server), DeviceKind::kDisk, attachment.device);
  }
  for (const Network& network : topology.networks) {
    for (const Network::Port& port : network.ports) {
      inventory.add(name(port.host), DeviceKind::kNet, port.interface);
    }
  }
  add_named_members(topology, inventory);
  return inventory.take();
}

namespace {

/// Collects one disagreement per line and kind, with all the names that it concerns.
class DifferenceList {
 public:
  explicit DifferenceList(const std::string& path) : path_(path) {}

  void add(std::uint32_t line, const std::string& what, std::string name) {
    by_line_[{line, what}].push_back(std::move(name));
  }

  [[nodiscard]] std::vector<Error> take() const {
    std::vector<Error> out;
    for (const auto& [key, names] : by_line_) {
      const auto& [line, what] = key;
      std::string where = line == 0 ? path_ : fmt::format("{}:{}", path_, line);
      out.push_back(
          {ErrorCode::kBadInput, std::move(where), fmt::format("{}: {}", what, fold_for_message(names))});
    }
    return out;
  }

 private:
  std::string path_;
  std::map<std::pair<std::uint32_t, std::string>, std::vector<std::string>> by_line_;
};

void compare_devices(const Topology& topology, const DeviceFinder& finder, DifferenceList& list) {
  const auto look = [&](HostId id, DeviceKind kind, const std::string& device, std::uint32_t line) {
    const std::string& host = topology.hosts[id.index()].name;
    if (finder.host(host) == nullptr || !finder.find(host, kind, device).empty()) return;
    const std::string what = kind == DeviceKind::kNet ? "interfaces that the recording does not have"
                                                      : "devices that the recording does not have";
    list.add(line, what, host + "/" + device);
  };
  for (const Disk& disk : topology.disks) look(disk.host, DeviceKind::kDisk, disk.device, disk.line);
  for (const Attachment& attachment : topology.attachments) {
    look(attachment.server, DeviceKind::kDisk, attachment.device, topology.luns[attachment.lun.index()].line);
  }
  for (const Network& network : topology.networks) {
    for (const Network::Port& port : network.ports) {
      look(port.host, DeviceKind::kNet, port.interface, network.line);
    }
  }
}

/// Disks under load that the file does not list on servers whose storage it lists.
void compare_load(const SystemModel& model, const std::vector<RecordedHost>& hosts,
                  const DeviceFinder& finder, const GroupingOptions& options, DifferenceList& list) {
  const Topology& topology = model.topology;
  std::map<std::string_view, std::uint32_t> lines;
  std::set<const DeviceInfo*> named;
  const auto name_it = [&](HostId id, const std::string& device, std::uint32_t line) {
    const std::string& host = topology.hosts[id.index()].name;
    lines.try_emplace(host, line);
    const auto found = finder.find(host, DeviceKind::kDisk, device);
    named.insert(found.begin(), found.end());
  };
  for (const Disk& disk : topology.disks) name_it(disk.host, disk.device, disk.line);
  for (const Attachment& attachment : topology.attachments) {
    name_it(attachment.server, attachment.device, topology.luns[attachment.lun.index()].line);
  }
  for (const NamedGroup& group : topology.groups) {
    for (const std::string& member : group.members) {
      const std::size_t slash = std::min(member.find('/'), member.size() - 1);
      const std::string_view name = member;
      const auto found = finder.find(name.substr(0, slash), DeviceKind::kDisk, name.substr(slash + 1));
      named.insert(found.begin(), found.end());
    }
  }
  for (const RecordedHost& host : hosts) {
    const auto line = lines.find(host.name);
    if (line == lines.end()) continue;
    for (const DeviceInfo* disk : host.disks) {
      if (named.contains(disk) || !under_load(*disk, options.min_activity)) continue;
      list.add(line->second, "recorded under load, but not named for this server",
               host.name + "/" + disk->device);
    }
  }
}

}  // namespace

std::vector<Error> differences(const SystemModel& model, const Inventory& inventory,
                               const GroupingOptions& options) {
  const std::vector<RecordedHost> hosts = recorded_hosts(inventory);
  const DeviceFinder finder(hosts);
  DifferenceList list(model.path);
  std::set<std::string_view> named;
  bool lists_clients = false;
  for (const Host& host : model.topology.hosts) {
    named.insert(host.name);
    lists_clients = lists_clients || host.role == HostRole::kClient;
    const std::string what = host.role == HostRole::kClient ? "clients that the recording does not have"
                                                            : "servers that the recording does not have";
    if (finder.host(host.name) == nullptr) list.add(host.line, what, host.name);
  }
  for (const RecordedHost& host : hosts) {
    if (lists_clients && !named.contains(host.name))
      list.add(0, "recorded hosts that the file does not name", host.name);
  }
  compare_devices(model.topology, finder, list);
  compare_load(model, hosts, finder, options, list);
  return list.take();
}

}  // namespace laggard::topology
