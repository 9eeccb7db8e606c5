#pragma once

#include <cstddef>
#include <functional>

#include "base/error.h"
#include "model/grouping.h"

namespace laggard::topology {

struct GroupingOptions {
  DiskPeers peers = DiskPeers::kAuto;
  /// A device is under load when it was active in at least this fraction of its samples.
  double min_activity = 0.05;
  std::size_t min_members = 3;
  /// Components to be left out of all groups; none when empty.
  std::function<bool(const Grouping&, const Component&)> left_out = nullptr;
};

/// Derives the peer groups of a recording.
///
/// With a system file (`model` not null): attachments by upgrade set and priority; local disks, interfaces
/// and sockets of the servers that it names; its named groups as they stand. A device that the file names on
/// a recorded host is a member even when the recording never shows it: absence is a symptom.
///
/// Without a file, every host with a storage device under load is a server, the others are clients. Disks and
/// interfaces are peers of those of the same rank on the other servers, sockets as GroupKind says.
///
/// Partitions and devices below multipath, dm or md are left out in favour of the device on top. Groups of
/// fewer than `min_members` are named in `not_comparable`. Fails when the recording and the file have no host
/// in common.
[[nodiscard]] Result<Grouping> make_groups(const Inventory& inventory, const SystemModel* model,
                                           const GroupingOptions& options = {});

/// What a system file tells of a recording that holds events only: its parts and how they are reached, and
/// nothing to compare.
[[nodiscard]] Grouping parts_alone(const SystemModel& model);

}  // namespace laggard::topology
