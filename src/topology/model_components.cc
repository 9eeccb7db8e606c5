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

PartId ModelComponents::part_of(const Disk& disk) {
  const Host& server = host(disk.host);
  const PartId own = part_of_server(parts_, {PartKind::kDisk, server.name + "/" + disk.device},
                                    {server_kind(server), server.name});
  add_to_drawers(own, disk.drawers);
  return own;
}

Component ModelComponents::of(PartId part, const Host& host, DeviceKind kind,
                              const std::string& device) const {
  Component component;
  component.name = parts_[part].name;
  component.host = host.name;
  component.kind = kind;
  component.device = device;
  component.part = part;
  find_series(component);
  return component;
}

Component ModelComponents::of_attachment(const Attachment& attachment) {
  Component component =
      of(part_of(attachment), host(attachment.server), DeviceKind::kDisk, attachment.device);
  component.attachment = AttachmentId{static_cast<std::uint32_t>(&attachment - topology_.attachments.data())};
  component.priority = attachment.priority;
  return component;
}

Component ModelComponents::of_disk(const Disk& disk) {
  return of(part_of(disk), host(disk.host), DeviceKind::kDisk, disk.device);
}

Component ModelComponents::of_port(const Host& host, const std::string& interface,
                                   const std::string& network) {
  const PartId own =
      part_of_server(parts_, {PartKind::kLink, host.name + "/" + interface}, {server_kind(host), host.name});
  if (!network.empty()) {
    parts_.connect(own, EdgeKind::kRoutesOver, parts_.add({PartKind::kNetwork, network}));
  }
  return of(own, host, DeviceKind::kNet, interface);
}

Component ModelComponents::of_device(const Host& host, const std::string& device) {
  const PartId own =
      part_of_server(parts_, {PartKind::kDisk, host.name + "/" + device}, {server_kind(host), host.name});
  Component disk = of(own, host, DeviceKind::kDisk, device);
  if (!disk.series.empty()) return disk;
  Component port = of_port(host, device, "");
  return port.series.empty() ? disk : port;
}

}  // namespace laggard::topology
