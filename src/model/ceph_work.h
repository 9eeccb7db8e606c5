#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace laggard {

/// What a Ceph OSD does beside its clients' I/O, told by the states of the placement groups that it serves
/// (docs.ceph.com: rados/operations/pg-states). Recorded as the level `ceph_work` of the OSD's disk, a bit
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

/// `deep scrub`, …, of each bit of a recorded level; nothing for bits that nobody has written yet.
[[nodiscard]] std::vector<std::string_view> ceph_work_names(std::uint64_t level);

}  // namespace laggard
