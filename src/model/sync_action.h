#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace laggard {

/// What an md array is doing beside its users' I/O, as /sys/block/mdX/md/sync_action has it (kernel:
/// Documentation/admin-guide/md.rst). Recorded as the level `sync_action`; numbers are never given a second
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
/// Of a recorded level; nothing for numbers that nobody has written yet.
[[nodiscard]] std::optional<SyncAction> sync_action(std::uint64_t level);
/// Whether it takes time of the disks.
[[nodiscard]] bool is_work(SyncAction action);

}  // namespace laggard
