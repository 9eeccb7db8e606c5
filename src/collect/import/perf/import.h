#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "collect/import/import.h"
#include "collect/import/unpack.h"
#include "model/observation_source.h"

namespace laggard::collect {

/// What the text of perf does not say, or not always.
struct PerfImportOptions {
  std::string host{};               ///< Whose samples they are; empty: the text's header names it.
  std::optional<WallTime> start{};  ///< When the first sample of a host was; nothing: the header says it.
  std::optional<Duration> zone{};   ///< East of Greenwich, of the header's time; nothing: UTC, with a notice.
  Duration each{};                  ///< What a sample stands for, where its event is no clock; zero: unknown.
  std::vector<std::string> events{};  ///< To take samples of; empty: that of the first sample.
};

/// Imports what `perf script` wrote, with any fields (-F) that have the time among them, as profiles of the
/// kind kSamplesKind and, where there are call chains, kStacksKind (model/code_profile.h), in periods of ten
/// seconds. Samples of idle processors are left out. What the compiler put into another function counts as
/// that function's in `samples`, since perf tells it of call chains only, and as its own in `stacks`.
///
/// Files may be packed and archives of many. A bad file is reported in the result, and the next one is read.
/// Lines that are none of perf's are counted and passed over. Fails as a whole only when the sink fails.
[[nodiscard]] Result<ImportResult> import_perf(std::span<const std::filesystem::path> files,
                                               const PerfImportOptions& options, ObservationSink& sink,
                                               ImportObserver& observer, const UnpackLimits& limits = {});

}  // namespace laggard::collect
