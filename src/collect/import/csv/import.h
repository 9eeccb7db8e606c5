#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "collect/import/csv/moment.h"
#include "collect/import/import.h"
#include "collect/import/unpack.h"
#include "model/counter.h"
#include "model/series_source.h"

namespace laggard::collect {

/// How to read a wide file; all empty for the long form (docs/formats/csv.md).
struct CsvForm {
  std::string time;                   ///< Column of the time.
  std::string component;              ///< Column of the device.
  std::string host_column;            ///< Column of the host, or
  std::string host;                   ///< the one host of the file.
  std::vector<std::string> gauges;    ///< Columns of momentary values and rates (CsvColumn).
  std::vector<std::string> counters;  ///< Columns of counters that only grow.
  DeviceKind kind = DeviceKind::kDisk;
  // Of both forms:
  char delimiter = ',';
  char decimal = '.';
  CsvTimes times;

  [[nodiscard]] bool wide() const {
    return !time.empty() || !component.empty() || !host_column.empty() || !host.empty() || !gauges.empty() ||
           !counters.empty();
  }
  /// Fails when something of a wide form is missing or contradictory.
  [[nodiscard]] Status check() const;
};

/// Imports CSV files, packed or not, into a sink. The members of an archive are read in the order of their
/// names; members that are not CSV of this form are left out with a notice, but an archive without any that
/// is counts as bad.
///
/// A bad file is reported in the result and the next one is read; the lines before the bad one are imported.
/// Fails as a whole only when the form is impossible or the sink fails.
[[nodiscard]] Result<ImportResult> import_csv(std::span<const std::filesystem::path> files,
                                              const CsvForm& form, TableSink& sink, ImportObserver& observer,
                                              const UnpackLimits& limits = {});

}  // namespace laggard::collect
