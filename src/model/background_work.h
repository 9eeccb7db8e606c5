#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace laggard {

/// What an md array is doing beside its users' I/O, as /sys/block/mdX/md/sync_action has it (kernel:
/// Documentation/admin-guide/md.rst). Recorded as the gauge `sync_action`; numbers are never given a second
/// meaning.
enum class SyncAction : std::uint8_t {
  kIdle = 0,
  kCheck = 1,    ///< Reads everything and counts what does not agree.
  kRepair = 2,   ///< The same, and makes it agree.
  kResync = 3,   ///< Makes copies or parity agree after a crash or a creation.
  kRecover = 4,  ///< Rebuilds onto a replaced disk.
  kReshape = 5,  ///< Moves to another number of disks, level or chunk.
  kFrozen = 6,   ///< Would not begin any of it.
};

inline constexpr std::string_view kSyncActionCounter = "sync_action";

[[nodiscard]] std::string_view to_name(SyncAction action);
[[nodiscard]] std::optional<SyncAction> sync_action(std::string_view name);
/// Of a recorded value; nothing for numbers that nobody has written yet.
[[nodiscard]] std::optional<SyncAction> sync_action(std::uint64_t value);
/// Whether it takes time of the disks.
[[nodiscard]] bool is_work(SyncAction action);

/// What a Ceph OSD does beside its clients' I/O, told by the states of the placement groups that it serves
/// (docs.ceph.com: rados/operations/pg-states). Recorded as the gauge `ceph_work` of the OSD's disk, a bit
/// for each; bits are never given a second meaning.
enum class CephWork : std::uint8_t {
  kScrub = 0,      ///< Compares what the copies say of their objects.
  kDeepScrub = 1,  ///< Reads every byte of the copies.
  kRepair = 2,     ///< Puts right what a scrub found.
  kRecovery = 3,   ///< Brings copies up to date that missed writes.
  kBackfill = 4,   ///< Fills an OSD that has none of the group yet.
  kSnapTrim = 5,   ///< Removes objects of deleted snapshots.
};

inline constexpr std::string_view kCephWorkCounter = "ceph_work";

/// The disk that an OSD keeps its data on, as it is recorded.
struct OsdDisk {
  std::string host;
  std::string disk;
  bool operator==(const OsdDisk&) const = default;
};
using OsdDisks = std::map<std::int64_t, OsdDisk>;  ///< By the OSD's id.

[[nodiscard]] constexpr std::uint64_t bit_of(CephWork work) {
  return std::uint64_t{1} << static_cast<unsigned>(work);
}

/// `deep scrub`, …, of each bit of a recorded value; nothing for bits that nobody has written yet.
[[nodiscard]] std::vector<std::string_view> ceph_work_names(std::uint64_t value);

/// Background work that the operators know of: patrol reads, scrubs, rebuilds, backups. What it slows is no
/// news while it goes on.
struct ExpectedWork {
  std::string what;
  /// Components (`fs3/sdb`, `12.48.49`) or parts with all that runs through them (`ddn12`); empty:
  /// everything.
  std::vector<std::string> where;
  std::optional<TimeSpan> once;  ///< Else every week, on `days`, ...
  std::uint8_t days = 0;         ///< ... bit 0 is Monday ...
  Duration start{};              ///< ... from this time of the day on, UTC, ...
  Duration length{};             ///< ... for so long, at most a week.
  bool goes_on = false;          ///< `once` is as far as it has been seen, and it had not ended by then.
  Duration unseen{};             ///< For so long after `once` it may go on and not have been recorded yet.

  /// The occurrence that goes on at `t`, the latest one where several do.
  [[nodiscard]] std::optional<TimeSpan> at(WallTime t) const;
};

}  // namespace laggard
