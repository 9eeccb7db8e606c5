// System files are written by people and by other programs; whatever they hold, reading them ends in mistakes
// or in a model whose ids are sound and whose peer groups can be made.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "topology/groups.h"
#include "topology/system_file.h"

namespace {

/// A recording of every host, disk and port that the model names.
laggard::Inventory everything_in(const laggard::Topology& topology) {
  laggard::Inventory inventory;
  const auto add = [&](laggard::HostId host, laggard::DeviceKind kind, const std::string& device) {
    LAGGARD_CHECK(host.index() < topology.hosts.size());
    laggard::DeviceInfo info;
    info.host = topology.hosts[host.index()].name;
    info.kind = kind;
    info.device = device;
    info.samples = 10;
    info.active_samples = 10;
    inventory.devices.push_back(info);
  };
  for (const auto& disk : topology.disks) add(disk.host, laggard::DeviceKind::kDisk, disk.device);
  for (const auto& attachment : topology.attachments) {
    LAGGARD_CHECK(attachment.lun.index() < topology.luns.size());
    LAGGARD_CHECK(!attachment.controller || attachment.controller->index() < topology.controllers.size());
    add(attachment.server, laggard::DeviceKind::kDisk, attachment.device);
  }
  for (const auto& network : topology.networks) {
    for (const auto& port : network.ports) add(port.host, laggard::DeviceKind::kNet, port.interface);
  }
  return inventory;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMaxNames = 2000;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const laggard::topology::SystemReading reading =
      laggard::topology::read_system(text, "system.toml", kMaxNames);
  const laggard::Inventory inventory = everything_in(reading.model.topology);
  if (inventory.devices.empty()) return 0;
  const auto grouping = laggard::topology::make_groups(inventory, &reading.model);
  LAGGARD_CHECK(grouping.has_value());
  for (const auto& group : grouping->groups) {
    LAGGARD_CHECK(group.members.size() >= 3);
    for (const auto member : group.members) LAGGARD_CHECK(member.index() < grouping->components.size());
  }
  return 0;
}
