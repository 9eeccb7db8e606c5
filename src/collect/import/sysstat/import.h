#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "collect/import/checked_input.h"
#include "collect/import/import.h"
#include "collect/import/unpack.h"
#include "model/series_source.h"

namespace laggard::collect {

struct SysstatOptions {
  std::string host;                              ///< In place of the name in the file; empty: see below.
  std::vector<std::string> disks;                ///< Globs; empty: every disk of the files, partitions too.
  std::string sadf = "sadf";                     ///< The program; another one in tests.
  Duration patience = std::chrono::seconds(60);  ///< With a sadf that says nothing.
  std::filesystem::path scratch = scratch_folder();  ///< Where members of archives are unpacked, see below.
  /// sa files shrink less than texts do.
  UnpackLimits unpack{.always = std::uint64_t{256} << 20U, .ratio = 50, .most = std::nullopt};
};

/// Imports sysstat's activity files (sa files) through the installed sadf, packed or not, members of archives
/// included. These, and what files of old versions are converted to, go into files without a name in
/// `scratch`, one at a time: nothing of them is left behind, however the import ends.
///
/// A host is named by `host`, else by a file name of the form NAME.sa, else by the node name in the file.
/// A file that is bad is reported in the result and the next one is read; samples before the damage are
/// imported.
[[nodiscard]] Result<ImportResult> import_sysstat(std::span<const std::filesystem::path> files,
                                                  const SysstatOptions& options, TableSink& sink,
                                                  ImportObserver& observer);

}  // namespace laggard::collect
