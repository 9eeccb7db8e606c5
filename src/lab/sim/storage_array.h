#pragma once

#include <cstdint>
#include <deque>
#include <set>
#include <vector>

#include "lab/sim/raid.h"

namespace laggard::lab {

/// A storage array: LUNs, each a RAID group, behind a pair of controllers with write-back caches.
struct ArrayGeometry {
  std::size_t luns = 4;
  std::size_t controllers = 2;
  RaidGeometry group;
  SimTime command = std::chrono::microseconds(100);  ///< A controller's time for a request ...
  double memory_bytes_per_second = 400e6;            ///< ... and for what passes its memory ...
  double loop_bytes_per_second = 200e6;              ///< ... and the loop to its disks.
  std::int64_t cache_bytes = 64 << 20;               ///< Of unwritten data per LUN.
  SimTime written_after =
      std::chrono::seconds(1);  ///< What is so old is written when the disks have nothing else to do.
  std::int64_t longest_write = 1 << 20;  ///< Neighbours in the cache are written together, up to so much.
};

/// What a file server asks of a LUN at once: `requests` of equal size, one behind the other.
struct ArrayAccess {
  SimTime at{};
  std::size_t lun = 0;
  std::size_t controller = 0;  ///< Through which it comes.
  bool write = false;
  bool cached = false;  ///< Small, and of what a controller's memory holds.
  std::int64_t position = 0;
  std::int64_t bytes = 0;
  std::uint32_t requests = 1;
  SimTime retry{};  ///< Of a read: the place is bad, and a disk tries it again for so long.
};

/// Requests wait in queues for the controller, for the loop to the disks and for the disks themselves, each
/// served in the order of arrival. A write is done when it is in the cache, which writes it out when the
/// disks are idle, or beyond half of its size at once; beyond all of it writers wait. What rebuilds and
/// copies move takes its turn in the same queues, so that they slow other LUNs of the same controller as well
/// (T §6.3).
///
/// Accesses must come in the order of their times.
class StorageArray {
 public:
  StorageArray(const ArrayGeometry& geometry, const Random& random);

  /// When the first and the last of its requests are answered.
  Served serve(const ArrayAccess& access);

  [[nodiscard]] RaidGroup& group(std::size_t lun) { return luns_[lun].group; }
  /// Begins to rebuild the failed disk of a LUN, or to copy a spare of it back.
  void rebuild(std::size_t lun, SimTime now);
  void copy_back(std::size_t lun, std::size_t disk, SimTime now);
  /// The controller whose loop and cache a LUN uses; the first ones of the array's by turns until it is set.
  void set_owner(std::size_t lun, std::size_t controller) { luns_[lun].owner = controller; }

 private:
  struct Run {
    std::int64_t position = 0;
    std::int64_t bytes = 0;
    SimTime since{};
  };
  struct BeingWritten {
    SimTime done{};
    std::int64_t bytes = 0;
  };
  struct Lun {
    RaidGroup group;
    std::size_t owner = 0;
    std::deque<Run> unwritten;
    std::deque<BeingWritten> being_written;
    std::int64_t unwritten_bytes = 0;  ///< In `unwritten` ...
    std::int64_t cached_bytes = 0;     ///< ... and in both.
  };
  struct Controller {
    SimTime memory_free{};
    SimTime loop_free{};
  };

  /// Rebuilds and copies up to `now`, on LUNs that nobody reads, too.
  void advance(SimTime now);
  SimTime pass_memory(std::size_t controller, SimTime now, std::uint32_t requests, std::int64_t bytes);
  SimTime pass_loop(std::size_t controller, SimTime now, std::int64_t bytes);
  SimTime wait_for_room(Lun& lun, SimTime now, std::int64_t bytes);
  static void forget_written(Lun& lun, SimTime now);
  void keep(Lun& lun, const Run& run) const;
  /// The oldest unwritten run goes to the disks.
  void write_oldest(Lun& lun, SimTime now);
  void write_when_idle(Lun& lun, SimTime now);

  ArrayGeometry geometry_;
  std::vector<Lun> luns_;
  std::vector<Controller> controllers_;
  std::set<std::size_t> copying_;  ///< LUNs with a rebuild or copy.
};

}  // namespace laggard::lab
