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

struct LogImportOptions {
  std::string host;              ///< Of lines that name none.
  std::optional<Duration> zone;  ///< East of Greenwich, of times that name none; nothing: UTC, with a notice.
  std::optional<int> year;  ///< In which a log begins whose lines name none; nothing: the file's time says.
  WallTime now = kLatestTime;  ///< For logs whose file has no time.
};

/// Imports logs as events of the kind `log` (model/log_line.h), a table per host. Forms are told apart line
/// by line (LogForms); journals as `journalctl -o export` or `-o json` prints them, too. Files may be packed
/// and archives of many. A line of more than a megabyte is cut. Lines without a time, or that no form fits,
/// are passed over.
///
/// A bad file is reported in the result and the next one is read. Fails as a whole only when the sink fails.
[[nodiscard]] Result<ImportResult> import_logs(std::span<const std::filesystem::path> files,
                                               const LogImportOptions& options, ObservationSink& sink,
                                               ImportObserver& observer, const UnpackLimits& limits = {});

}  // namespace laggard::collect
