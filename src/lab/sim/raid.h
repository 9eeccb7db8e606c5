#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lab/sim/disk.h"
#include "lab/sim/event_queue.h"
#include "lab/sim/random.h"

namespace laggard::lab {

/// Disks that a controller joins to one LUN: strips of a stripe lie on its data disks, the parity of a stripe
/// on `parity` further ones, and from stripe to stripe all move on by one disk (RAID-5 with one, RAID-6 with
/// two).
struct RaidGeometry {
  std::size_t disks = 5;  ///< With those that hold parity.
  std::size_t parity = 1;
  std::int64_t strip_bytes = 64 << 10;
  DiskGeometry disk;
  /// A rebuild or copy reads, or reads and writes, so much of each disk at a time ...
  std::int64_t copy_piece_bytes = 512 << 10;
  /// ... and rests so long after each piece, so that clients get their turn.
  SimTime copy_rest = std::chrono::milliseconds(5);

  [[nodiscard]] std::size_t data_disks() const { return disks - parity; }
};

/// What is wrong with one disk of a group.
struct DiskAilment {
  double slower = 1;   ///< Every access takes so many times as long.
  double retried = 0;  ///< This fraction of accesses meets an error that is retried (T §5.7.2) ...
  SimTime retry{};     ///< ... and takes that much longer, on average (exponential).
};

/// Bytes of the LUN.
struct RaidAccess {
  std::int64_t at = 0;
  std::int64_t bytes = 0;
  SimTime retry{};  ///< The place is bad: the first disk that holds some of it takes that much longer.
};

/// When an access is served: its first strip, and all of it.
struct Served {
  SimTime first{};
  SimTime last{};
};

/// The disks of one LUN, each with a queue that it serves in the order of arrival. An access occupies all
/// disks that hold a part of it, and is done when the last of them is:
///
///     start(d) = max(arrival, free(d));  free(d) = start(d) + slower(d) (seek + rotation + transfer) + retry
///
/// where seek and rotation fall away when it begins where the disk's last one ended. That recursion
/// (Lindley's) needs no events, but the calls must come in the order of their times.
///
/// What the loss of a disk does follows from where strips lie (T §6.3): a strip that was on it is read from
/// the others of its stripe; a rebuild reads those and writes the disk in its place, from the first stripe to
/// the last; copying back reads one disk, the spare, and writes its replacement.
class RaidGroup {
 public:
  RaidGroup(const RaidGeometry& geometry, Random random);

  /// Requires bytes > 0.
  Served read(SimTime now, const RaidAccess& access);
  /// What passes the controller's memory to compute those strips of a read that are lost: each of the strips
  /// that one is the sum of, and the sum.
  [[nodiscard]] std::int64_t computed_bytes(const RaidAccess& access) const;
  /// Data and parity. Of stripes that are not written whole these are read first (read-modify-write).
  Served write(SimTime now, const RaidAccess& access);

  /// From now on that disk has nothing of what it held.
  void fail(std::size_t disk);
  /// From `now` on the contents of the failed disk are computed from the others and written to a spare, or to
  /// a new disk, in its place.
  void rebuild(SimTime now);
  /// From `now` on the contents of a disk, which is a spare, are copied to the one whose place it took.
  void copy_back(std::size_t disk, SimTime now);
  /// All disks hold what they should.
  void repaired();

  /// When the next piece of a rebuild or copy wants to begin; nothing when none is under way.
  [[nodiscard]] std::optional<SimTime> next_piece() const { return next_piece_; }
  /// What a piece moves through the controller.
  [[nodiscard]] std::int64_t piece_bytes() const;
  /// Moves a piece. The group is repaired when that was the last.
  void move_piece(SimTime now);
  /// The share of the disk that has been rebuilt or copied.
  [[nodiscard]] double progress() const;

  void set_ailment(std::size_t disk, const DiskAilment& ailment) { disks_[disk].ailment = ailment; }
  /// Nothing is served before then.
  void stand_still_until(SimTime until);
  /// When all disks have done what they were asked for.
  [[nodiscard]] SimTime free_at() const;

 private:
  struct Member {
    SimTime free{};
    std::int64_t head = -1;
    DiskAilment ailment;
  };
  /// What an access wants of a disk.
  struct Want {
    std::int64_t first = 0;
    std::int64_t bytes = 0;
  };

  [[nodiscard]] std::size_t disk_of(std::int64_t stripe, std::size_t strip) const {
    return (static_cast<std::size_t>(stripe) + strip) % geometry_.disks;
  }
  /// Whether what the disk held of a stripe is not on it now.
  [[nodiscard]] bool is_lost(std::size_t disk, std::int64_t stripe) const {
    return disk == failed_ && stripe * geometry_.strip_bytes >= moved_;
  }
  void want(std::size_t disk, std::int64_t stripe);
  void want_stripe(std::int64_t stripe, std::size_t first_strip, std::size_t strips, bool parity);
  /// The same for whole stripes that nothing is lost of, in less time.
  void want_whole_stripes(std::int64_t first, std::int64_t last, bool parity);
  void find_wants(const RaidAccess& access, bool parity);
  Served serve_wants(SimTime now, SimTime retry);
  /// When the disk has passed the first strip, and when it is done.
  Served serve(Member& disk, SimTime now, const Want& want);

  RaidGeometry geometry_;
  double strips_per_byte_;
  Random random_;
  std::vector<Member> disks_;
  Member replacement_;  ///< That a spare's contents are copied to.
  std::vector<Want> wants_;
  std::optional<std::size_t> failed_;
  std::optional<std::size_t> copied_;  ///< A spare.
  std::optional<SimTime> next_piece_;
  std::int64_t moved_ = 0;  ///< Bytes of the disk that have been rebuilt or copied.
};

}  // namespace laggard::lab
