#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "collect/samples/perf_ring.h"

namespace laggard::collect {

/// What is sampled, and how often.
struct SamplingOptions {
  std::uint64_t frequency = 99;  ///< Per second and processor.
  bool by_cycles = false;        ///< Of the processor's counter of cycles; else of a timer.
  bool has_chains = false;
  std::vector<pid_t> processes = {};                ///< And their children; empty: all.
  std::vector<std::filesystem::path> cgroups = {};  ///< Folders of control groups; empty: all.
};

/// The kernel's samples of all processors, and its records of what processes execute and map.
class PerfEvents {
 public:
  static constexpr std::size_t kDeepest = 64;  ///< Addresses in a call chain.

  /// \param root  where /sys and /proc are. Errors are sentences about what is missing.
  [[nodiscard]] static Result<PerfEvents> open(const SamplingOptions& options,
                                               const std::filesystem::path& root);

  /// Takes the records out of the rings and appends them. \return rings in which they made no sense.
  [[nodiscard]] std::size_t drain(std::vector<std::uint64_t>& words);
  /// Whether the kernel's own code stays out of sight, as we may not see it.
  [[nodiscard]] bool sees_user_only() const { return user_only_; }
  /// Readable when a ring is half full; nothing where that cannot be told from the end of a process.
  [[nodiscard]] std::optional<int> descriptor() const {
    return half_full_.valid() ? std::optional(half_full_.get()) : std::nullopt;
  }

 private:
  PerfEvents() = default;
  /// \param by_processor  numbers of processors and the descriptors of their events.
  [[nodiscard]] Status map_rings(std::vector<std::pair<int, int>> by_processor, std::size_t bytes);
  [[nodiscard]] Status watch_rings();

  std::vector<Fd> events_;
  std::vector<int> ring_owners_;  ///< Of `events_` those that have a ring.
  std::vector<PerfRing> rings_;
  Fd half_full_;
  bool user_only_ = false;
};

}  // namespace laggard::collect
