#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/time.h"

namespace laggard::collect {

/// The Store Pings of K §IV-A: three small requests that together pass the metadata server (CrWr, RmEx) and
/// the data server with its disks (WrEx).
enum class PingOperation : std::uint8_t {
  kCreateWrite,     ///< CrWr: creates a file and writes to it.
  kWriteExisting,   ///< WrEx: writes to a file that is there.
  kRemoveExisting,  ///< RmEx: removes a file that is there.
};
inline constexpr std::array kPingOperations{PingOperation::kCreateWrite, PingOperation::kWriteExisting,
                                            PingOperation::kRemoveExisting};
[[nodiscard]] constexpr std::string_view to_name(PingOperation operation) {
  constexpr std::array<std::string_view, kPingOperations.size()> kNames{"CrWr", "WrEx", "RmEx"};
  return kNames[static_cast<std::size_t>(operation)];
}

/// What probes are pinned to, by the name that it has in the system file, and where that is for the backend.
struct PingTargetSpec {
  std::string name;
  std::string place;       ///< A directory, a brick, an OSD: as the backend has it.
  std::string mount = {};  ///< Of the file system that the place is a part of; empty where it is none's.
  std::string known = {};  ///< What listing the targets found out of it, so that nobody must ask again.
};

/// How far a probe has come. Only what is under way is the target's to answer for.
enum class PingPhase : std::uint8_t {
  kPreparing,  ///< What the request needs of other parts of the system, before it and after.
  kUnderWay,   ///< The request itself.
};

/// How one request went.
struct PingResult {
  int error = 0;  ///< errno; 0 when it was done. EXDEV with `skipped`: its file lies on another target.
  bool skipped =
      false;           ///< It could not be tried, because what it needs (a file to remove) could not be had.
  bool direct = true;  ///< False when the file system refused direct I/O and the request went without.
  Duration latency{};  ///< Of the request itself, without what prepared it.

  /// Of a request that was begun then and is done, or refused, now.
  [[nodiscard]] static PingResult since(std::chrono::steady_clock::time_point begin, int error) {
    return {.error = error, .latency = std::chrono::steady_clock::now() - begin};
  }
  [[nodiscard]] static PingResult not_tried(int error) { return {.error = error, .skipped = true}; }
};

}  // namespace laggard::collect
