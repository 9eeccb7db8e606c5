#pragma once

#include <memory>

#include "archive/file_set.h"
#include "model/series_source.h"

namespace laggard::archive {

/// \param files  outlives the reader.
[[nodiscard]] std::unique_ptr<TableReader> make_table_reader(FileSet& files, ReadRequest request);

}  // namespace laggard::archive
