#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collect/procfs/proc_tables.h"
#include "collect/record/sampler.h"
#include "model/background_work.h"

namespace laggard::collect {

/// A whole block device and what is built on it: multipath, dm, md, bcache.
struct BlockNode {
  std::string name;
  std::vector<std::string> holders;  ///< Devices on it or on one of its partitions; no duplicates.
  bool used_directly = false;        ///< Used other than through its holders: a partition without a holder.
  std::vector<std::string> partitions;
};

/// For each device of a stack that is *not* to be analysed itself, the devices that are analysed in its place
/// (docs/methods/peer.md: once, at the top). Devices that stand for themselves are left out.
///
/// A device T stands for all that is below it when everything below it is used through T alone: a multipath
/// device for its paths, an md array for its disks, the one LV of a disk for that disk. Where several devices
/// share a lower one (LVs of one disk; a disk with a partition mounted beside its LV), the lower one is the
/// component, and the slices of it are its evidence: whatever happens to them happens there. Holders that are
/// not among `nodes` are ignored.
[[nodiscard]] std::map<std::string, std::vector<std::string>> stand_ins(const std::vector<BlockNode>& nodes);

enum class BlockClass : std::uint8_t {
  kDisk,       ///< Disks, multipath, dm, md, loop devices with a file, and everything else.
  kPartition,  ///< A part of another device of the list.
  kVolatile,   ///< RAM disks, zram, optical and floppy drives: no file system that we diagnose is on them.
  kNoMedium,   ///< A loop device without a file.
};

/// How many paths of a multipath device can be used at this moment, and how many cannot.
struct PathStates {
  std::uint64_t up = 0;
  std::uint64_t down = 0;
};

/// What /sys/block and /dev/disk/by-id below `root` tell about block devices. Reads anew on every call.
class BlockDevices {
 public:
  BlockDevices(std::filesystem::path root, Notices& notices);

  [[nodiscard]] BlockClass classify(std::string_view name) const;

  /// Its device-mapper name (`mpatha`, `vg-lv`); empty for other devices.
  [[nodiscard]] std::string mapper_name(std::string_view name) const;

  /// The background work of an md array at this moment; nothing for other devices and for arrays without
  /// redundancy.
  [[nodiscard]] std::optional<SyncAction> sync_action(std::string_view name) const;

  /// The states of what a whole device runs over; nothing when it is no multipath device. Of
  /// dm-multipath a path is up while its SCSI device is `running`; of native NVMe multipath while the
  /// controller is `live` and the namespace's ANA state is (non-)optimized. A path without a state counts as
  /// up. What multipathd alone has found out about a path is not seen.
  [[nodiscard]] std::optional<PathStates> path_states(std::string_view name) const;

  /// by-id, wwn, model, vendor, serial, size, rotational, dm-name, raid-level, backing, as far as known.
  [[nodiscard]] Facts facts(std::string_view name, const std::map<std::string, std::string>& by_id) const;

  /// Device name to the most descriptive of its links in /dev/disk/by-id.
  [[nodiscard]] std::map<std::string, std::string> by_id() const;

  /// Whole devices below /sys/block with their holders.
  [[nodiscard]] std::vector<BlockNode> nodes() const;

 private:
  [[nodiscard]] std::filesystem::path sys(std::string_view name) const;
  [[nodiscard]] std::string attribute(const std::filesystem::path& path) const;

  std::filesystem::path root_;
  Notices* notices_;
};

}  // namespace laggard::collect
