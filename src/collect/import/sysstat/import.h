#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "collect/import/import.h"
#include "model/series_source.h"

namespace laggard::collect {

struct SysstatOptions {
  std::string host;                              ///< In place of the name in the file; empty: see below.
  std::vector<std::string> disks;                ///< Globs; empty: every disk of the files, partitions too.
  std::string sadf = "sadf";                     ///< The program; another one in tests.
  Duration patience = std::chrono::seconds(60);  ///< With a sadf that says nothing.
  std::filesystem::path scratch = std::filesystem::temp_directory_path();
};

/// Imports sysstat's activity files (sa files) through the installed sadf, packed or not, members of archives
/// included. Files of old versions are converted in a scratch folder first.
///
/// A host is named by `host`, else by a file name of the form NAME.sa, else by the node name in the file.
/// A file that is bad is reported in the result and the next one is read; samples before the damage are
/// imported.
[[nodiscard]] Result<ImportResult> import_sysstat(std::span<const std::filesystem::path> files,
                                                  const SysstatOptions& options, TableSink& sink,
                                                  ImportObserver& observer);

}  // namespace laggard::collect
