#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "collect/import/import.h"
#include "collect/import/unpack.h"
#include "model/series_source.h"

namespace laggard::collect {

struct SysstatOptions {
  std::string host;                              ///< Replaces the name in the file; when empty, see below.
  std::vector<std::string> disks;                ///< Globs; empty: every disk of the files, partitions too.
  std::string sadf = "sadf";                     ///< The program; tests use another one.
  Duration patience = std::chrono::seconds(60);  ///< How long a silent sadf may run.
  std::filesystem::path scratch = scratch_folder();  ///< Where members of archives are unpacked, see below.
  /// sa files compress less well than text.
  UnpackLimits unpack{.always = std::uint64_t{256} << 20U, .ratio = 50, .most = std::nullopt};
};

/// Imports sysstat's activity files (sa files) through the installed sadf, packed or not, members of archives
/// included. Members, and conversions of files of old versions, go into files without a name in `scratch`,
/// one at a time, so that nothing is left behind however the import ends.
///
/// A host is named by `host`, else by a file name of the form NAME.sa, else by the node name in the file.
/// A bad file is reported in the result and the next one is read; samples before the damage are imported.
[[nodiscard]] Result<ImportResult> import_sysstat(std::span<const std::filesystem::path> files,
                                                  const SysstatOptions& options, TableSink& sink,
                                                  ImportObserver& observer);

}  // namespace laggard::collect
