#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "collect/pings/ping.h"
#include "collect/pings/ping_files.h"

namespace laggard::collect {

/// Is told when a probe comes to another phase; each begins as PingBackend::prepares says.
using PingPhases = std::function<void(PingPhase phase)>;

/// Reaches one target. Every call may take as long as the file system hangs; calls of one operation never
/// overlap, those of different operations do, from threads of one process.
class PingTarget {
 public:
  virtual ~PingTarget() = default;
  [[nodiscard]] virtual PingResult run(PingOperation operation, const PingPhases& phases) = 0;
  /// Removes what killed recorders of this host left.
  virtual void remove_abandoned() = 0;
  /// Removes what this one made.
  virtual void remove_own() = 0;
};

/// What all targets of a recorder share.
struct PingBackendSetup {
  PingOwner owner;
  std::filesystem::path root = "/";  ///< Where /proc is.
};

/// The targets of a file system, and what the user should know of them.
struct PingListing {
  std::vector<PingTargetSpec> targets;
  std::vector<std::string> notes = {};  ///< Sentences.
};

/// A kind of file system, or of a way to pin requests to a part of one: a row of the table of backends.
struct PingBackend {
  std::string_view name;
  std::string_view pins = {};  ///< What its requests are pinned to, and how: for help.
  /// Whether the place can be one of its targets at all; touches no file system, since that may hang.
  Status (*check)(const PingTargetSpec& target) = nullptr;
  /// In the process that probes this target alone.
  std::unique_ptr<PingTarget> (*open)(const PingTargetSpec& target, const PingBackendSetup& setup) = nullptr;
  /// The targets of the file system that is mounted there; null where only the user knows them. May hang.
  Result<PingListing> (*list)(const std::string& mount) = nullptr;
  std::string_view usual_mount = {};  ///< Where the user names none.
  /// Probes are prepared at first, and the deadline runs from when they say that they are under way.
  bool prepares = false;
};

[[nodiscard]] std::span<const PingBackend> ping_backends();

}  // namespace laggard::collect
