#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "base/error.h"
#include "base/time.h"
#include "collect/import/import.h"
#include "collect/import/unpack.h"
#include "model/observation_source.h"

namespace laggard::collect {

struct FoldedImportOptions {
  std::string host{};  ///< Whose samples they are.
  WallTime start{};    ///< Of the one period that all of them are from.
  Duration length = std::chrono::seconds(10);
  Duration each{};  ///< CPU time that one sample stands for; zero: unknown.
};

/// Imports folded stacks, as flame graphs are drawn from (`PROGRAM;OUTERMOST;...;INNERMOST COUNT`, a line for
/// each), as one period of the kinds kStacksKind and kSamplesKind (model/code_profile.h). The text does not
/// say which file a function is in; only that it is the kernel's or a compiler's at run time, where the tool
/// that folded it marked functions so (`_[k]`, `_[j]`). Samples of idle processors are left out.
///
/// Files may be packed and archives of many. A bad file is reported in the result, and the next one is read.
/// Other lines are counted and passed over. Fails as a whole only when the sink fails.
[[nodiscard]] Result<ImportResult> import_folded(std::span<const std::filesystem::path> files,
                                                 const FoldedImportOptions& options, ObservationSink& sink,
                                                 ImportObserver& observer, const UnpackLimits& limits = {});

}  // namespace laggard::collect
