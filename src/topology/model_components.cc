#include "topology/model_components.h"

#include <cstdint>

#include "topology/group_builder.h"

namespace laggard::topology {

PartKind server_kind(const Host& host) {
  return host.role == HostRole::kMetadataServer ? PartKind::kMetadataServer : PartKind::kServer;
}

void ModelComponents::find_series(Component& component) const {
  const auto found = finder_.find(component.host, component.kind, component.device);
  // More than one: a device, identified by its id, that came back under another kernel name.
  for (const DeviceInfo* device : found) {
    component.series.push_back({device->host, device->kind, device->device});
    if (!component.rotational) component.rotational = rotational(*device);
  }
  if (!found.empty()) component.device = found.front()->device;
}

void ModelComponents::add_to_drawers(PartId part, const std::vector<DrawerId>& drawers) {
  for (const DrawerId id : drawers) {
    const Drawer& drawer = topology_.drawers[id.index()];
    parts_.connect(part, EdgeKind::kMemberOf, parts_.add({PartKind::kDrawer, drawer.name, drawer.called}));
  }
}

PartId ModelComponents::part_of(const Attachment& attachment) {
  const Lun& lun = topology_.luns[attachment.lun.index()];
  const Host& server = host(attachment.server);
  const PartId own = parts_.add({PartKind::kAttachment, attachment.name});
  const PartId of_lun = parts_.add({PartKind::kLun, lun.name});
  parts_.connect(own, EdgeKind::kRunsThrough, of_lun);
  parts_.connect(own, EdgeKind::kRunsThrough, parts_.add({server_kind(server), server.name}));
  if (attachment.controller) {
    parts_.connect(own, EdgeKind::kRunsThrough, controller_part(*attachment.controller));
  }
  add_to_drawers(of_lun, lun.drawers);
  if (lun.array) {
    parts_.connect(of_lun, EdgeKind::kMemberOf,
                   parts_.add({PartKind::kArray, topology_.arrays[lun.array->index()].name}));
  }
  if (lun.owner) parts_.connect(of_lun, EdgeKind::kOwnedBy, controller_part(*lun.owner));
  return own;
}

PartId ModelComponents::controller_part(ControllerId id) {
  const Controller& controller = topology_.controllers[id.index()];
  const Array& array = topology_.arrays[controller.array.index()];
  const PartId own = parts_.add({PartKind::kController, controller.name});
  parts_.connect(own, EdgeKind::kMemberOf, parts_.add({PartKind::kArray, array.name}));
  for (const ControllerId other : array.controllers) {
    if (other == id) continue;
    const PartId twin = parts_.add({PartKind::kController, topology_.controllers[other.index()].name});
    parts_.connect(own, EdgeKind::kPairsWith, twin);
  }
  return own;
}

Component ModelComponents::of_attachment(const Attachment& attachment) {
  const Host& server = host(attachment.server);
  Component component;
  component.name = attachment.name;
  component.host = server.name;
  component.kind = DeviceKind::kDisk;
  component.device = attachment.device;
  component.attachment = AttachmentId{static_cast<std::uint32_t>(&attachment - topology_.attachments.data())};
  component.priority = attachment.priority;
  component.part = part_of(attachment);
  find_series(component);
  return component;
}

PartId ModelComponents::part_of(const Disk& disk) {
  const Host& server = host(disk.host);
  const PartId own = part_of_server(parts_, {PartKind::kDisk, server.name + "/" + disk.device},
                                    {server_kind(server), server.name});
  add_to_drawers(own, disk.drawers);
  return own;
}

Component ModelComponents::of_disk(const Disk& disk) {
  const Host& server = host(disk.host);
  Component component;
  component.name = server.name + "/" + disk.device;
  component.host = server.name;
  component.kind = DeviceKind::kDisk;
  component.device = disk.device;
  component.part = part_of(disk);
  find_series(component);
  return component;
}

Component ModelComponents::of_port(const Host& host, const std::string& interface,
                                   const std::string& network) {
  Component component;
  component.name = host.name + "/" + interface;
  component.host = host.name;
  component.kind = DeviceKind::kNet;
  component.device = interface;
  component.part = part_of_server(parts_, {PartKind::kLink, component.name}, {server_kind(host), host.name});
  if (!network.empty()) {
    parts_.connect(component.part, EdgeKind::kRoutesOver, parts_.add({PartKind::kNetwork, network}));
  }
  find_series(component);
  return component;
}

Component ModelComponents::of_device(const Host& host, const std::string& device) {
  Component component;
  component.name = host.name + "/" + device;
  component.host = host.name;
  component.kind = DeviceKind::kDisk;
  component.device = device;
  component.part = part_of_server(parts_, {PartKind::kDisk, component.name}, {server_kind(host), host.name});
  find_series(component);
  if (!component.series.empty()) return component;
  Component port = of_port(host, device, "");
  return port.series.empty() ? component : port;
}

}  // namespace laggard::topology
