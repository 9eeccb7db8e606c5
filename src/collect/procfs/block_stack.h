#pragma once

#include <map>
#include <string>
#include <vector>

namespace laggard::collect {

/// A whole block device and what is built on it: multipath, dm, md, bcache.
struct BlockNode {
  std::string name;
  std::vector<std::string> holders;  ///< Devices on it or on one of its partitions; no duplicates.
  bool used_directly = false;        ///< Something beside its holders uses it: a partition that nobody holds.
  std::vector<std::string> partitions;
};

/// For each device of a stack that is *not* to be analysed itself, the devices that are analysed in its place
/// (docs/methods/peer.md: once, at the top). Devices that stand for themselves are left out.
///
/// A device T stands for all that is below it when everything below it is used through T alone: a multipath
/// device for its paths, an md array for its disks, the one LV of a disk for that disk. Where several devices
/// share a lower one (LVs of one disk; a disk with a partition mounted beside its LV), the lower one is the
/// component, and those that are slices of it are named as its evidence: all that happens to them happens
/// there. Holders that are not among `nodes` count for nothing.
[[nodiscard]] std::map<std::string, std::vector<std::string>> stand_ins(const std::vector<BlockNode>& nodes);

}  // namespace laggard::collect
