#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "topology/group_builder.h"

namespace laggard::topology {

namespace {

Component machine_component(PartGraph& parts, const DeviceInfo& device, PartKind server) {
  Component component;
  component.name = device.host + "/" + device.device;
  component.host = device.host;
  component.kind = device.kind;
  component.device = device.device;
  component.part = parts.add({server, device.host});
  component.series = {{device.host, device.kind, device.device}};
  return component;
}

}  // namespace

void group_machines(std::span<const ServerMachine> servers, GroupBuilder& builder) {
  using ByName = std::map<std::string, std::vector<Component>, bool (*)(std::string_view, std::string_view)>;
  ByName machines(natural_less);
  ByName daemons(natural_less);
  for (const ServerMachine& server : servers) {
    const std::string prefix = server.set.empty() ? "" : server.set + " ";
    for (const DeviceInfo* device : server.recorded->machine) {
      machines[prefix + "hosts"].push_back(machine_component(builder.parts(), *device, server.kind));
    }
    // Never by rank: two daemons of different names do different work.
    for (const DeviceInfo* device : server.recorded->daemons) {
      daemons[prefix + "daemons " + device->device].push_back(
          machine_component(builder.parts(), *device, server.kind));
    }
  }
  for (auto& [name, members] : machines) builder.add_group(name, GroupKind::kHosts, std::move(members));
  for (auto& [name, members] : daemons) builder.add_group(name, GroupKind::kDaemons, std::move(members));
}

}  // namespace laggard::topology
