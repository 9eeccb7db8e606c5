#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "base/error.h"
#include "base/time.h"
#include "collect/import/import.h"
#include "collect/import/unpack.h"
#include "model/observation_source.h"

namespace laggard::collect {

struct StraceImportOptions {
  std::string host{};               ///< Whose calls they are.
  Duration zone{};                  ///< East of Greenwich, of times of day.
  std::optional<WallTime> begin{};  ///< When the trace began, where its lines do not say.
};

/// Imports what strace wrote as events of the kind kSyscallKind (model/syscall_event.h), in the order in
/// which calls returned. Files of `strace -ff` are told by their names, `NAME.PID`. Files may be packed and
/// archives of many. In the result `values` are calls, signals and ends of threads.
///
/// A bad file is reported in the result, as far as its bad line it is imported, and the next one is read.
/// Fails as a whole only when the sink fails.
[[nodiscard]] Result<ImportResult> import_strace(std::span<const std::filesystem::path> files,
                                                 const StraceImportOptions& options, ObservationSink& sink,
                                                 ImportObserver& observer, const UnpackLimits& limits = {});

}  // namespace laggard::collect
