#pragma once

#include <filesystem>
#include <span>

#include "collect/import/csv/layout.h"
#include "collect/import/import.h"
#include "collect/import/sample_collector.h"
#include "collect/import/unpack.h"
#include "model/series_source.h"

namespace laggard::collect {

/// Imports CSV files, packed or not, into a sink. The members of an archive are read in the order of their
/// names; those that are no CSV of this form are left out with a notice, unless none is.
///
/// A file that is bad is reported in the result and the next one is read; what stood before the bad line is
/// imported. Fails as a whole only when the form is impossible or the sink does.
[[nodiscard]] Result<ImportResult> import_csv(std::span<const std::filesystem::path> files,
                                              const CsvForm& form, TableSink& sink, ImportObserver& observer,
                                              const UnpackLimits& limits = {});

}  // namespace laggard::collect
