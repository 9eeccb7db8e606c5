#pragma once

#include <string>
#include <vector>

#include "model/grouping.h"
#include "model/topology.h"
#include "topology/recorded_host.h"

namespace laggard::topology {

[[nodiscard]] PartKind server_kind(const Host& host);

/// Makes the components that a system file describes, each with its recorded series and with the parts that
/// it runs through, which come into the part graph.
class ModelComponents {
 public:
  /// All of them must outlive this.
  ModelComponents(const Topology& topology, const DeviceFinder& finder, PartGraph& parts)
      : topology_(topology), finder_(finder), parts_(parts) {}

  [[nodiscard]] Component of_attachment(const Attachment& attachment);
  [[nodiscard]] Component of_disk(const Disk& disk);
  /// \param network  empty: none that the file names.
  [[nodiscard]] Component of_port(const Host& host, const std::string& interface, const std::string& network);
  /// Of a device about which the file says nothing else: a disk, unless it is recorded as an interface.
  [[nodiscard]] Component of_device(const Host& host, const std::string& device);

  /// Adds the attachment with everything that it runs through: its LUN, the LUN's array and drawers, its
  /// server and the controller that the server is cabled to.
  PartId part_of(const Attachment& attachment);
  /// Adds the disk with its server and drawers.
  PartId part_of(const Disk& disk);

 private:
  void add_to_drawers(PartId part, const std::vector<DrawerId>& drawers);
  [[nodiscard]] PartId controller_part(ControllerId id);
  /// Of a part that is in the graph: named as it, with its recorded series.
  [[nodiscard]] Component of(PartId part, const Host& host, DeviceKind kind, const std::string& device) const;
  void find_series(Component& component) const;
  [[nodiscard]] const Host& host(HostId id) const { return topology_.hosts[id.index()]; }

  const Topology& topology_;
  const DeviceFinder& finder_;
  PartGraph& parts_;
};

}  // namespace laggard::topology
